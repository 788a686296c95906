// Package webhook owns what is sent to other programs when something happens in a
// workspace: the events, the endpoints that receive them, how messages are signed, and
// when a delivery is tried again. Messages follow the Standard Webhooks specification
// (https://www.standardwebhooks.com).
//
// It does not own when something happens (package app publishes it, in the transaction
// that records it), nor how a request reaches an endpoint (package fetch).
package webhook

import (
	"context"
	"iter"
	"time"

	"parley/core/system"
)

// Kind is what an event is about. Its name is stable: other programs rely on it.
type Kind string

// The kinds of events.
const (
	// MessageCompleted is an answer that has ended well.
	MessageCompleted Kind = "message.completed"
	// MessageUnanswered is an answer that says that the chatbot does not know.
	MessageUnanswered   Kind = "message.unanswered"
	ConversationCreated Kind = "conversation.created"
	DocumentReady       Kind = "document.ready"
	DocumentFailed      Kind = "document.failed"
	// QuotaNear is a month whose messages are used for the most part, or all.
	QuotaNear Kind = "quota.near"
	// TokenExpiring is an API token that expires within 14 days, or within 3.
	TokenExpiring Kind = "token.expiring"

	// Test is sent to one endpoint when somebody asks for it. None subscribes to it.
	Test Kind = "webhook.test"
)

// Kinds returns the kinds that an endpoint can receive.
func Kinds() []Kind {
	return []Kind{MessageCompleted, MessageUnanswered, ConversationCreated, DocumentReady, DocumentFailed, QuotaNear, TokenExpiring}
}

// State is whether an endpoint receives events.
type State string

// The states of an endpoint.
const (
	Active State = "active"
	// Paused was stopped by a person.
	Paused State = "paused"
	// Disabled was stopped by Parley; [Endpoint.Reason] says why.
	Disabled State = "disabled"
)

// MaxEndpoints is how many endpoints a workspace may have.
const MaxEndpoints = 10

// MaxPending is how many deliveries to one endpoint wait at most. What is more is listed
// as canceled, and people can send it again. A receiver that is down thus takes a
// bounded part of what processes look through.
const MaxPending = 5_000

// Endpoint is an address that a workspace's events are sent to.
type Endpoint struct {
	// ID is opaque and starts with "we_".
	ID          string
	WorkspaceID string
	// ChatbotID is the one chatbot whose events are sent, or empty for all.
	ChatbotID   string
	URL         string
	Kinds       []Kind
	Description string
	State       State
	Reason      string
	// Unreadable says that the secret cannot be read, so that nothing can be signed or
	// sent. Services set it; it is not stored.
	Unreadable bool
	// PreviousUntil is until when messages are signed with the secret from before a
	// rotation, too.
	PreviousUntil *time.Time
	CreatedBy     string
	UpdatedAt     time.Time
	CreatedAt     time.Time
}

// SealedEndpoint is an endpoint with its secrets as they are kept.
type SealedEndpoint struct {
	Endpoint
	SealedSecret   []byte
	SealedPrevious []byte
}

// Message is an event as it is sent.
type Message struct {
	// ID is what a receiver knows it by, however often it is sent.
	ID        string
	ChatbotID string
	Kind      Kind
	// Payload is the JSON that is sent and signed, byte for byte.
	Payload   string
	CreatedAt time.Time
}

// Outcome is what became of a delivery.
type Outcome string

// The outcomes of deliveries.
const (
	Pending   Outcome = "pending"
	Delivered Outcome = "delivered"
	// Failed was tried as often as it is.
	Failed Outcome = "failed"
	// Canceled waited when its endpoint was paused or disabled, or found [MaxPending]
	// others waiting.
	Canceled Outcome = "canceled"
)

// Delivery is a message on its way to one endpoint.
type Delivery struct {
	ID          int64
	WorkspaceID string
	EndpointID  string
	Message     Message
	Outcome     Outcome
	// Attempts are those since it was last asked for, with the one under way.
	Attempts int
	// Log holds the latest attempts, oldest first.
	Log []Attempt
	// DueAt is when it is sent next, or when the lease of a worker ends. It is nil
	// after the end.
	DueAt     *time.Time
	EndedAt   *time.Time
	CreatedAt time.Time
}

// Attempt is one try to deliver.
type Attempt struct {
	At   time.Time
	Took time.Duration
	// Status is the HTTP status of the endpoint's response, or zero if there was none.
	Status int
	// Answer is the beginning of what the endpoint said, or why there is no answer.
	Answer string
}

// EndpointStore stores endpoints.
type EndpointStore interface {
	CreateEndpoint(ctx context.Context, workspaceID string, endpoint SealedEndpoint) error
	// Endpoint is NotFound if the workspace has none of this id.
	Endpoint(ctx context.Context, workspaceID, endpointID string) (SealedEndpoint, error)
	// Endpoints returns a workspace's endpoints, oldest first.
	Endpoints(ctx context.Context, workspaceID string) ([]SealedEndpoint, error)
	// ActiveEndpoints returns the active ones, and keeps them until the transaction
	// ends.
	ActiveEndpoints(ctx context.Context, workspaceID string) ([]Endpoint, error)
	// UpdateEndpoint changes all but the id, the creator and the time of creation.
	UpdateEndpoint(ctx context.Context, workspaceID string, endpoint SealedEndpoint) error
	// DeleteEndpoint deletes an endpoint with its deliveries.
	DeleteEndpoint(ctx context.Context, workspaceID, endpointID string) error
	// AllEndpoints reads the endpoints of every workspace, a portion at a time, for the operator.
	AllEndpoints(ctx context.Context, access system.Access) iter.Seq2[SealedEndpoint, error]
}

// DeliveryStore stores messages and deliveries.
type DeliveryStore interface {
	// AddMessages adds messages and, for each, deliveries to endpoints. What has the
	// id of a known message is left out.
	AddMessages(ctx context.Context, workspaceID string, sendings []Sending) error
	// Pending counts what waits for each endpoint of a workspace.
	Pending(ctx context.Context, workspaceID string) (map[string]int, error)
	// ClaimDelivery returns the delivery that has been due for longest in any
	// workspace but those that are busy, and makes it due again at a later time, so
	// that others send it if this process dies. Its Attempts include this one.
	// NotFound means that none is due.
	ClaimDelivery(ctx context.Context, access system.Access, now, again time.Time, busy Busy) (Delivery, error)
	// SettleDelivery stores what became of an attempt: outcome, log and times. It is
	// NotFound if another process has taken the delivery, or somebody canceled it.
	SettleDelivery(ctx context.Context, workspaceID string, delivery Delivery) error
	// Deliveries returns those to an endpoint with ids below before, or all if it is
	// zero, latest first.
	Deliveries(ctx context.Context, workspaceID, endpointID string, before int64, limit int) ([]Delivery, error)
	// RestartDelivery makes a delivery that has ended due. It is NotFound otherwise.
	RestartDelivery(ctx context.Context, workspaceID, endpointID string, deliveryID int64, due time.Time) error
	// CancelDeliveries ends what waits for an endpoint.
	CancelDeliveries(ctx context.Context, workspaceID, endpointID string, at time.Time) error
	// DeliveredSince reports whether an endpoint took any message after a time.
	DeliveredSince(ctx context.Context, workspaceID, endpointID string, since time.Time) (bool, error)
	// DeleteMessages deletes messages of every workspace from before a time, with
	// their deliveries.
	DeleteMessages(ctx context.Context, access system.Access, before time.Time) error
}

// Sending is a message with the endpoints that it goes to.
type Sending struct {
	Message   Message
	Endpoints []string
	// Full are endpoints for which too much waits: the delivery is canceled with this
	// log.
	Full []string
	Log  []Attempt
}

// Busy are the workspaces and endpoints to which enough is under way.
type Busy struct{ Workspaces, Endpoints []string }
