package webhook

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/internal/trace"
)

const (
	// Timeout is how long an endpoint has to answer.
	Timeout = 10 * time.Second
	// lease is how long a process has for one attempt before another may try.
	lease = time.Minute
	// Under way at once: in this process, for a workspace and for an endpoint. A slow
	// endpoint keeps nobody else waiting.
	mostInAll, mostOfWorkspace, mostOfEndpoint = 256, 8, 4
	// remembered is how long messages and their deliveries are kept.
	remembered = 30 * 24 * time.Hour
	// loggedAttempts is how many attempts a delivery's log holds, and loggedAnswer how
	// many bytes of an answer.
	loggedAttempts, loggedAnswer = 20, 500
	gone                         = 410
	// cutOff is what stands in the log of a delivery whose last attempt did not end.
	cutOff = "The server stopped during the last attempt, so nothing is known of it. Send it again."
	// unreadable is what stands in the log of a delivery that cannot be signed.
	unreadable = "Nothing was sent: Parley cannot read the webhook's secret. Rotate it, or ask the operator to add the former key to SECRET_KEY."
	// longestAsked is how long a receiver can have the next attempt wait. The last
	// attempts are further apart anyway.
	longestAsked = time.Hour
)

// pauses are those before the attempts after the first, three days in all.
var pauses = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Request is what an endpoint is sent, as a POST of JSON.
type Request struct {
	URL, Body string
	Header    map[string]string
}

// Answer is what an endpoint says.
type Answer struct {
	Status int
	// Body is its beginning.
	Body string
	// RetryAfter is how long it asks to wait before the next attempt, or zero.
	RetryAfter time.Duration
}

// Poster sends requests over the public network.
type Poster interface {
	// Check is Invalid, in the field url, for an address that cannot be sent to, such
	// as one in a private network.
	Check(ctx context.Context, url string) error
	// Post sends a request and follows no redirects. An error has a message for the
	// people of the workspace.
	Post(ctx context.Context, request Request) (Answer, error)
}

// Members reads the members of workspaces.
type Members interface {
	Members(ctx context.Context, workspaceID string) ([]tenant.Member, error)
}

// Sender sends what is due.
type Sender struct {
	ports   Ports
	members Members
	mails   *outbox.Writer
	now     func() time.Time
	random  io.Reader
	log     *slog.Logger

	claiming   sync.Mutex // so that two claims do not see the same room
	mu         sync.Mutex
	underWay   int
	workspaces map[string]int
	endpoints  map[string]int
	sending    sync.WaitGroup
}

// NewSender returns a sender.
func NewSender(ports Ports, members Members, mails *outbox.Writer, now func() time.Time, random io.Reader, log *slog.Logger) *Sender {
	return &Sender{
		ports: ports, members: members, mails: mails, now: now, random: random, log: log,
		workspaces: map[string]int{}, endpoints: map[string]int{},
	}
}

// Work begins to send all that is due, as far as enough is not under way, and goes on
// with what is due whenever an endpoint has answered. It does not wait for endpoints:
// see [Sender.Wait].
func (s *Sender) Work(ctx context.Context) error {
	for {
		if begun, err := s.begin(ctx); err != nil || !begun {
			return err
		}
	}
}

// begin claims one delivery and begins to send it. It reports false if there is none.
func (s *Sender) begin(ctx context.Context) (bool, error) {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	busy, full := s.busy()
	if full {
		return false, nil
	}
	now := s.now()
	d, err := s.ports.Deliveries.ClaimDelivery(ctx, s.ports.System, now, now.Add(lease), busy)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.count(d, 1)
	s.sending.Go(func() {
		err := protect(func() error { return s.send(ctx, d) })
		s.count(d, -1)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.log.Log(ctx, fault.Level(err), "could not send a webhook", "delivery_id", d.ID, "workspace_id", d.WorkspaceID, "error", err)
		}
		if err := s.Work(ctx); err != nil && ctx.Err() == nil { // what has waited for this one
			s.log.Log(ctx, fault.Level(err), "could not send webhooks", "error", err)
		}
	})
	return true, nil
}

// protect makes an error of a panic, which would end the process at each attempt.
func protect(send func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return send()
}

// Wait returns when nothing is under way.
func (s *Sender) Wait() { s.sending.Wait() }

// DeleteOld deletes messages that nobody looks for any more, with their deliveries.
func (s *Sender) DeleteOld(ctx context.Context) error {
	return s.ports.Deliveries.DeleteMessages(ctx, s.ports.System, s.now().Add(-remembered))
}

func (s *Sender) count(d Delivery, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay += n
	for counts, key := range map[*map[string]int]string{&s.workspaces: d.WorkspaceID, &s.endpoints: d.EndpointID} {
		if (*counts)[key] += n; (*counts)[key] == 0 {
			delete(*counts, key)
		}
	}
}

func (s *Sender) busy() (busy Busy, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for workspaceID, n := range s.workspaces {
		if n >= mostOfWorkspace {
			busy.Workspaces = append(busy.Workspaces, workspaceID)
		}
	}
	for endpointID, n := range s.endpoints {
		if n >= mostOfEndpoint {
			busy.Endpoints = append(busy.Endpoints, endpointID)
		}
	}
	return busy, s.underWay >= mostInAll
}

// send makes one attempt and settles it, outside of any transaction. A process that
// dies meanwhile leaves the delivery to its lease.
func (s *Sender) send(ctx context.Context, d Delivery) (err error) {
	ctx, span := trace.Begin(ctx, "webhook")
	span.Text(trace.WorkspaceID, d.WorkspaceID)
	span.Text(trace.MessageID, d.Message.ID)
	defer func() {
		if err != nil {
			span.Fail(string(fault.As(err).Code()))
		}
		span.End()
	}()
	e, err := s.ports.Endpoints.Endpoint(ctx, d.WorkspaceID, d.EndpointID)
	if fault.Is(err, fault.NotFound) {
		return nil // deleted with its deliveries
	}
	if err != nil {
		return err
	}
	at := s.now()
	if d.Attempts > len(pauses)+1 { // the process ended in the last one
		return s.settle(ctx, e, d, Attempt{At: at, Answer: cutOff}, 0)
	}
	signed, err := signedRequest(s.ports.Vault, e, d.Message, at)
	if err != nil { // people and the operator see it, and have as long as a receiver that is down
		s.log.Error("could not read the secret of a webhook", "webhook_id", e.ID, "workspace_id", e.WorkspaceID, "error", fault.Wrap(fault.Unavailable, err, unreadable).ForOperator())
		return s.settle(ctx, e, d, Attempt{At: at, Answer: unreadable}, 0)
	}
	posting, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	answer, failure := s.ports.Poster.Post(posting, signed)
	if ctx.Err() != nil {
		return nil // the lease expires
	}
	if answer.Status != 0 {
		span.Number("http.response.status_code", answer.Status)
	}
	if answer.Status < 200 || answer.Status >= 300 {
		span.Fail("webhook_refused")
	}
	attempt := Attempt{At: at, Took: s.now().Sub(at), Status: answer.Status, Answer: beginning(answer.Body)}
	if failure != nil {
		attempt.Answer = fault.As(failure).Message
	}
	return s.settle(ctx, e, d, attempt, answer.RetryAfter)
}

// settle stores what became of an attempt, after which the endpoint has asked to wait.
func (s *Sender) settle(ctx context.Context, e SealedEndpoint, d Delivery, a Attempt, asked time.Duration) error {
	d.Log = append(d.Log, a)
	d.Log = d.Log[max(0, len(d.Log)-loggedAttempts):]
	now := s.now()
	d.DueAt = nil
	switch {
	case a.Status >= 200 && a.Status < 300:
		d.Outcome, d.EndedAt = Delivered, &now
	case a.Status == gone || d.Attempts > len(pauses):
		d.Outcome, d.EndedAt = Failed, &now
	default:
		again := now.Add(s.pause(d.Attempts, asked))
		d.DueAt = &again
	}
	err := s.ports.Tx.InTx(ctx, func(ctx context.Context) error {
		if d.Outcome == Failed { // before the delivery, in the order in which an owner's changes lock rows
			if _, err := s.ports.Workspaces.LockWorkspace(ctx, d.WorkspaceID); err != nil {
				return err
			}
		}
		if err := s.ports.Deliveries.SettleDelivery(ctx, d.WorkspaceID, d); err != nil || d.Outcome != Failed {
			return err
		}
		return s.reconsider(ctx, e, d, a)
	})
	if fault.Is(err, fault.NotFound) { // canceled, taken by another process, or deleted
		return nil
	}
	return err
}

// reconsider disables an endpoint that says that it is gone, or has taken nothing for
// as long as a message was tried.
func (s *Sender) reconsider(ctx context.Context, e SealedEndpoint, d Delivery, a Attempt) error {
	reason := "It answered 410 Gone, which says that nobody listens there any more."
	if a.Status != gone {
		since := d.CreatedAt
		if len(d.Log) > 0 && d.Log[0].At.After(since) {
			since = d.Log[0].At
		}
		alive, err := s.ports.Deliveries.DeliveredSince(ctx, d.WorkspaceID, d.EndpointID, since)
		if err != nil || alive {
			return err
		}
		reason = "It took no message for three days."
		if a.Status == 0 && a.Answer == unreadable {
			reason = "Its secret could not be read for three days."
		}
	}
	current, err := s.ports.Endpoints.Endpoint(ctx, e.WorkspaceID, e.ID)
	if err != nil || current.State != Active || current.URL != e.URL {
		return err
	}
	current.State, current.Reason, current.UpdatedAt = Disabled, reason, s.now()
	if err := s.ports.Endpoints.UpdateEndpoint(ctx, e.WorkspaceID, current); err != nil {
		return err
	}
	if err := s.ports.Deliveries.CancelDeliveries(ctx, e.WorkspaceID, e.ID, s.now()); err != nil {
		return err
	}
	err = audit.Record(ctx, s.ports.Audit, e.WorkspaceID, s.now(), audit.Entry{
		Action: audit.WebhookDisabled, Object: audit.Object{Kind: "webhook", ID: e.ID, Name: e.Host()}, Detail: reason,
	})
	return errors.Join(err, s.notifyOwners(ctx, current.Endpoint))
}

// notifyOwners mails the owners that Parley disabled an endpoint.
func (s *Sender) notifyOwners(ctx context.Context, e Endpoint) error {
	if s.mails == nil || !s.mails.On() {
		return nil
	}
	workspace, err := s.ports.Workspaces.Workspace(ctx, e.WorkspaceID)
	if err != nil {
		return err
	}
	members, err := s.members.Members(ctx, e.WorkspaceID)
	if err != nil {
		return err
	}
	letter := letterOfDisabled(s.mails, workspace, e)
	for _, m := range members {
		if m.Role != tenant.RoleOwner {
			continue
		}
		if err := s.mails.Write(ctx, m.Email, letter); err != nil {
			return err
		}
	}
	return nil
}

// pause is the time before the next attempt: up to a tenth more or less than planned,
// so that a receiver that comes back is not met by all at once. A receiver that asks
// for more time gets it, and up to a tenth more.
func (s *Sender) pause(attempts int, asked time.Duration) time.Duration {
	random := float64(binary.BigEndian.Uint16(id.Bytes(s.random, 2))) / 65535
	planned := pauses[min(attempts, len(pauses))-1]
	pause := planned + time.Duration((random*0.2-0.1)*float64(planned))
	if asked = min(asked, longestAsked); asked > pause {
		pause = asked + time.Duration(random*0.1*float64(asked))
	}
	return pause
}

// beginning is the part of an answer that people see.
func beginning(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if len(text) <= loggedAnswer {
		return text
	}
	cut := loggedAnswer
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
