package tenant

import (
	"context"
	"time"
)

// AuditEntry is something that was done to a workspace, and by whom. It holds
// no secret and no text of a message or document.
type AuditEntry struct {
	WorkspaceID string
	// Actor is the e-mail address of a person, or "stripe", "reconciliation",
	// "operator" or "time".
	Actor string
	// Action is one of the constants below.
	Action string
	// Detail is a sentence for people.
	Detail string
	At     time.Time
}

// The actions of the audit log.
const (
	PlanChanged         = "plan.changed"
	SubscriptionChanged = "subscription.changed"
	LimitsChosen        = "limits.chosen"
	EmailChanged        = "email.changed"
)

// AuditStore keeps the audit log.
type AuditStore interface {
	AddAudit(ctx context.Context, workspaceID string, entry AuditEntry) error
	// Audit returns the latest entries, the latest first.
	Audit(ctx context.Context, workspaceID string, limit int) ([]AuditEntry, error)
}

// Mail is a message to a person about their workspace.
type Mail struct {
	ID          int64
	WorkspaceID string
	// Key keeps the same mail from being written twice.
	Key       string
	To        string
	Subject   string
	Body      string
	DueAt     *time.Time
	Attempts  int
	CreatedAt time.Time
}

// MailStore keeps mails until they are sent.
type MailStore interface {
	// AddMail writes a mail that is due at its DueAt, which is never nil,
	// unless one of its key is there.
	AddMail(ctx context.Context, workspaceID string, mail Mail) error
	// ClaimMail returns the mail of any workspace that has been due for
	// longest, and makes it due again at a later time: who dies with it leaves
	// it to others. Its Attempts count this one. NotFound means that none is
	// due.
	ClaimMail(ctx context.Context, now, again time.Time) (Mail, error)
	// SettleMail says that a mail was sent or, with none of the two times,
	// given up; or when it is tried again.
	SettleMail(ctx context.Context, workspaceID string, id int64, sentAt, dueAt *time.Time) error
	// DeleteMails deletes those that were settled before a time.
	DeleteMails(ctx context.Context, before time.Time) error
}

// ChoreStore lets one process at a time do something now and then.
type ChoreStore interface {
	// BeginChore reports true to the one that is to do it: nobody has begun
	// it since a time.
	BeginChore(ctx context.Context, name string, since, now time.Time) (bool, error)
}
