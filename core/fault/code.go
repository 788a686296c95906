package fault

import (
	"cmp"
	"time"
)

// Code is a stable, lower-case name of what a failure means, for programs. Several
// codes can share a [Kind]. Callers rely on codes: add some, and change none.
type Code string

// The codes of failures whose kind does not say enough.
const (
	// MissingScope is a token that may not do this.
	MissingScope Code = "missing_scope"
	// EmailUnconfirmed is a person who has not shown that they read the mail of their
	// address.
	EmailUnconfirmed Code = "email_unconfirmed"
	// PlanRequired is a plan that does not include the requested feature.
	PlanRequired Code = "plan_required"
	// PlanLimit is a plan that includes fewer of something.
	PlanLimit Code = "plan_limit"
	// Suspended is a token or a chatbot that is over a limit of the plan.
	Suspended Code = "suspended"
	// ConversationBusy is a conversation that is still answering.
	ConversationBusy Code = "conversation_busy"
	// WrongCursor is an after that no page of this list gave.
	WrongCursor Code = "invalid_cursor"
	// MetadataTooLarge is metadata with more or longer pairs than are kept.
	MetadataTooLarge Code = "metadata_too_large"
	// KeyReused is an idempotency key that was sent before with another request.
	KeyReused Code = "idempotency_key_reused"
	// AnswerRestarted is an answer that cannot be resumed where the caller left it.
	AnswerRestarted Code = "answer_restarted"
	// AnswerStopped is an answer that somebody asked to stop.
	AnswerStopped Code = "answer_stopped"
	// AnswerInterrupted is an answer that its process did not finish.
	AnswerInterrupted Code = "answer_interrupted"
	// QuotaExceeded is a month whose messages are used up.
	QuotaExceeded Code = "quota_exceeded"
	// TooManyAnswers is a caller or a workspace with too many answers at once.
	TooManyAnswers Code = "too_many_at_once"
	// Overloaded is a server that has as much under way as it can.
	Overloaded Code = "overloaded"
	// StorageFull is a server that has no room to store anything, and only reads.
	StorageFull Code = "storage_full"
	// IndexNotReady is a chatbot whose documents are not all in the server's index yet.
	IndexNotReady Code = "index_not_ready"
	// Draining is a server that is stopping.
	Draining Code = "draining"
	// ModelFailed is a language model that did not answer, or not to the end.
	ModelFailed Code = "model_failed"
	// ModelBusy is a language model that limits how often it is asked.
	ModelBusy Code = "model_busy"
	// ModelDeclined is a language model that will not answer this question.
	ModelDeclined Code = "model_declined"
	// ModelKeyRejected is a model provider that does not accept the key.
	ModelKeyRejected Code = "model_key_rejected"
	// ModelUnknown is a model that its provider does not have.
	ModelUnknown Code = "model_unknown"
	// ModelUnpaid is an account at a model provider that has no credit.
	ModelUnpaid Code = "model_unpaid"
	// ModelRefused is a request that the model's server will never accept.
	ModelRefused Code = "model_refused"
	// ContextTooLong is a prompt that does not fit into the model's context.
	ContextTooLong Code = "context_too_long"
	// BadIPRange is a range of addresses that is not in CIDR notation.
	BadIPRange Code = "invalid_ip_range"
	// BadOrigin is an origin that is more, or less, than a scheme and a host.
	BadOrigin Code = "invalid_origin"
	// OriginsRequired is a publishable token without an origin.
	OriginsRequired Code = "origins_required"
	// BadExternalID is a name of a document that is empty, too long, or cannot be
	// shown on a line.
	BadExternalID Code = "invalid_external_id"
	// KindDiffers is a document that one of another kind cannot replace.
	KindDiffers Code = "kind_differs"
	// AddressExists is a web address that the chatbot has already.
	AddressExists Code = "address_exists"
	// TokenEnded is a token that was revoked or has expired, and so cannot be
	// rolled or changed.
	TokenEnded Code = "token_ended"
	// SecretInBrowser is a secret token that a web page sent.
	SecretInBrowser Code = "secret_token_in_browser"
	// OriginNotAllowed is a page that may not use the token.
	OriginNotAllowed Code = "origin_not_allowed"
	// AddressNotAllowed is an address from which the token may not be used.
	AddressNotAllowed Code = "address_not_allowed"
	// TokenQuotaExceeded is a token whose own messages of the month are used up.
	TokenQuotaExceeded Code = "token_quota_exceeded"
	// StepEnded is a sign-in that took too long between two pages.
	StepEnded Code = "step_ended"
	// SignOnRequired is a workspace whose members use single sign-on.
	SignOnRequired Code = "sign_on_required"
	// SecondFactorRequired is a workspace whose members show a second factor.
	SecondFactorRequired Code = "second_factor_required"
	// ReauthenticationRequired is an act before which people show again who they are.
	ReauthenticationRequired Code = "reauthentication_required"
	// RetrievalFailed is knowledge that could not be searched.
	RetrievalFailed Code = "retrieval_failed"
)

var codes = map[Kind]Code{
	Internal:        "internal_error",
	Invalid:         "invalid_request",
	TooLarge:        "too_large",
	Unauthenticated: "invalid_token",
	Forbidden:       "forbidden",
	NotFound:        "not_found",
	Conflict:        "conflict",
	RateLimited:     "rate_limited",
	Upstream:        "upstream_failed",
	Unavailable:     "unavailable",
}

// Named gives a new failure a code of its own, and returns it.
func (e *Error) Named(code Code) *Error {
	e.code = code
	return e
}

// OutOfStorage returns the failure of a server that has no room to store anything.
func OutOfStorage(cause error) *Error {
	const message = "The server's storage is full, so it can only be read from. Try again later: its operator must free space."
	return (&Error{Kind: Unavailable, Message: message, RetryAfter: 30 * time.Second, Cause: cause}).Named(StorageFull).ForOperator()
}

// IsOutOfStorage reports whether err is such a failure.
func IsOutOfStorage(err error) bool { return err != nil && As(err).Code() == StorageFull }

// Code returns the failure's own code, or its kind's code if it has none.
func (e *Error) Code() Code { return cmp.Or(e.code, codes[e.Kind]) }
