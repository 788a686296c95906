// Package letters gives mails the look of the product, and has one of each for people
// who look at them.
//
// It does not own what a letter says (the packages under core that write it) nor what it
// looks like (package views/letter).
package letters

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/chatbot"
	"parley/core/outbox"
	"parley/core/privacy"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/core/webhook"
	"parley/views/letter"
	"parley/web"
)

// Options returns the settings for mails of the server at an address. On says that
// there is a mail server.
func Options(home string, on bool) outbox.Options {
	return outbox.Options{Mails: on, BaseURL: home, HTML: func(l outbox.Letter) (string, error) {
		return letter.HTML(letter.Letter{Subject: l.Subject, Says: l.Says, Then: l.Then, Button: letter.Button(l.Link), Home: home})
	}}
}

// Log prints the links that no mail can carry.
type Log struct{ *slog.Logger }

// PrintLink warns, because whoever reads the log can follow the link. Logs go to more
// people than the database does, so the address is shortened: the operator, who is asked
// by its owner, knows it again.
func (l Log) PrintLink(ctx context.Context, email, link string) {
	l.WarnContext(ctx, "this server sends no mails (SMTP_URL); whoever follows the link confirms the address", "email", shortened(email), "link", link)
}

// shortened is the first character of an address, and its domain.
func shortened(email string) string {
	local, domain, _ := strings.Cut(email, "@")
	_, first := utf8.DecodeRuneInString(local)
	return local[:first] + "…@" + domain
}

// Samples are one of each mail that Parley writes, about invented things.
func Samples() ([]web.SampleMail, error) {
	writer := outbox.NewWriter(nil, time.Now, rand.Reader, Options("https://parley.example.com", true))
	letters := slices.Concat(account.SampleLetters(writer), factor.SampleLetters(writer), tenant.SampleLetters(writer), subscription.SampleLetters(writer),
		chatbot.SampleLetters(writer), webhook.SampleLetters(writer), privacy.SampleLetters(writer))
	var mails []web.SampleMail
	for _, l := range letters {
		mail, err := writer.Compose(outbox.Mail{}, l)
		if err != nil {
			return nil, err
		}
		mails = append(mails, web.SampleMail{Subject: mail.Subject, Text: mail.Body, HTML: mail.HTML})
	}
	return mails, nil
}
