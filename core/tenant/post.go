package tenant

import (
	"context"
	"time"
)

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
