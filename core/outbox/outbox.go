// Package outbox owns mails until they are sent. It writes them to the database in
// the transaction that causes them, and sends them later, retrying while the mail
// server is down.
//
// It does not own what a mail says (the packages that write it do), what it looks
// like (package views/letter), or how it reaches a mail server (package mail).
package outbox

import (
	"context"
	"io"
	"strings"
	"time"

	"parley/internal/id"
)

// Mail is a message to a person.
type Mail struct {
	ID int64
	// WorkspaceID is empty for a mail to a person about their account.
	WorkspaceID string
	// Key keeps the same mail from being written twice.
	Key     string
	To      string
	Subject string
	// Body is the text, and HTML the same as a page; without one the mail is text
	// alone.
	Body, HTML string
	DueAt      *time.Time
	Attempts   int
	CreatedAt  time.Time
}

// Options are the operator's settings for mails.
type Options struct {
	// Mails says that there is a mail server. Without one nothing is written.
	Mails bool
	// BaseURL is where people reach this server, for links in mails.
	BaseURL string
	// HTML makes a letter into a page, in the look of the product. With nil, mails
	// are text alone.
	HTML func(Letter) (string, error)
}

// Writer writes mails to people about their accounts.
type Writer struct {
	store   AccountMails
	now     func() time.Time
	random  io.Reader
	options Options
}

// AccountMails stores mails that belong to no workspace.
type AccountMails interface {
	// AddAccountMail adds a mail, due at its DueAt.
	AddAccountMail(ctx context.Context, mail Mail) error
}

// NewWriter returns a writer over a store.
func NewWriter(store AccountMails, now func() time.Time, random io.Reader, options Options) *Writer {
	options.BaseURL = strings.TrimRight(options.BaseURL, "/")
	return &Writer{store: store, now: now, random: random, options: options}
}

// On reports whether this server sends mails.
func (w *Writer) On() bool { return w.options.Mails }

// Link returns the address of a path on this server.
func (w *Writer) Link(path string) string { return w.options.BaseURL + path }

// Write writes a letter to a person in the transaction of ctx. Without a mail server
// it does nothing.
func (w *Writer) Write(ctx context.Context, email string, letter Letter) error {
	return w.write(ctx, "mail", email, letter)
}

// OnceKey begins the keys of mails that are deleted when they are settled.
const OnceKey = "once"

// WriteOnce is [Writer.Write] to a person of whom nothing is to be kept: the mail is
// deleted as soon as it was sent or given up.
func (w *Writer) WriteOnce(ctx context.Context, email string, letter Letter) error {
	return w.write(ctx, OnceKey, email, letter)
}

func (w *Writer) write(ctx context.Context, prefix, email string, letter Letter) error {
	if !w.On() {
		return nil
	}
	now := w.now()
	mail, err := w.Compose(Mail{Key: id.New(w.random, prefix), To: email, DueAt: &now, CreatedAt: now}, letter)
	if err != nil {
		return err
	}
	return w.store.AddAccountMail(ctx, mail)
}

// Compose returns a mail with the content of a letter.
func (w *Writer) Compose(mail Mail, letter Letter) (_ Mail, err error) {
	mail.Subject, mail.Body = letter.Subject, letter.text()
	if w.options.HTML != nil {
		mail.HTML, err = w.options.HTML(letter)
	}
	return mail, err
}
