// Package outbox owns mails until they are sent: it writes them to the database
// in the transaction of what they are about, and sends them later, again and
// again while the mail server is away.
//
// It does not own what a mail says (the packages that write one do), nor how it
// reaches a mail server (package mail).
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
	Key       string
	To        string
	Subject   string
	Body      string
	DueAt     *time.Time
	Attempts  int
	CreatedAt time.Time
}

// Letter is what a mail says.
type Letter struct {
	Subject string
	// Says are the paragraphs.
	Says []string
}

// Body writes paragraphs as the text of a mail.
func Body(paragraphs ...string) string {
	return strings.Join(append([]string{"Hello,"}, paragraphs...), "\n\n") + "\n"
}

// Options are what an operator decides about mails.
type Options struct {
	// Mails says that there is a mail server. Without one no mail is written.
	Mails bool
	// BaseURL is where people reach this server, for links in mails.
	BaseURL string
}

// Writer writes mails to people about their accounts.
type Writer struct {
	store   AccountMails
	now     func() time.Time
	random  io.Reader
	options Options
}

// AccountMails keeps mails that are of no workspace.
type AccountMails interface {
	// AddAccountMail writes a mail, due at its DueAt.
	AddAccountMail(ctx context.Context, mail Mail) error
}

// NewWriter returns a writer over a store.
func NewWriter(store AccountMails, now func() time.Time, random io.Reader, options Options) *Writer {
	options.BaseURL = strings.TrimRight(options.BaseURL, "/")
	return &Writer{store: store, now: now, random: random, options: options}
}

// On reports whether mails are sent here at all.
func (w *Writer) On() bool { return w.options.Mails }

// Link is the address of a path of this server.
func (w *Writer) Link(path string) string { return w.options.BaseURL + path }

// Write writes a letter to a person, in the transaction of ctx. Without a mail
// server it does nothing.
func (w *Writer) Write(ctx context.Context, email string, letter Letter) error {
	if !w.On() {
		return nil
	}
	now := w.now()
	return w.store.AddAccountMail(ctx, Mail{
		Key: id.New(w.random, "mail"), To: email, Subject: letter.Subject, Body: Body(letter.Says...), DueAt: &now, CreatedAt: now,
	})
}
