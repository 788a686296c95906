package mail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"parley/core/fault"
	"parley/core/outbox"
)

// Send sends one mail. A fault that is Invalid means that it can never be
// sent: the server refused it for good (RFC 5321, section 4.2.1: 5yz), or it
// is malformed. Any other is Upstream, and the mail may be tried again.
func (s *Sender) Send(ctx context.Context, mail outbox.Mail) error {
	message, err := s.compose(mail)
	if err != nil {
		return err
	}
	err = s.connect(ctx, func(ctx context.Context, client *gomail.Client) error {
		return client.DialAndSendWithContext(ctx, message)
	})
	// After the server has accepted the mail, no failure may send it again.
	if err == nil || message.IsDelivered() {
		return nil
	}
	return failure(err)
}

// Check reports whether the server can be reached and takes the user and
// password.
func (s *Sender) Check(ctx context.Context) error {
	err := s.connect(ctx, func(ctx context.Context, client *gomail.Client) error {
		connection, err := client.DialToSMTPClientWithContext(ctx)
		if err != nil {
			return err
		}
		return client.CloseWithSMTPClient(connection)
	})
	if err != nil {
		return failure(err)
	}
	return nil
}

// compose makes the message. Its id follows from the mail's key, so that a
// mail which had to be sent twice can be known by it.
func (s *Sender) compose(mail outbox.Mail) (*gomail.Msg, error) {
	to, err := netmail.ParseAddress(mail.To)
	if err != nil || unfit(mail.To) || unfit(mail.Subject) || !utf8.ValidString(mail.Body) {
		return nil, fault.New(fault.Invalid, "The mail's address, subject or text is malformed.")
	}
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(s.from)
	message.ToMailAddress(to)
	message.Subject(mail.Subject)
	message.SetDateWithValue(s.now())
	message.SetMessageIDWithValue(s.messageID(mail))
	// RFC 3834: nobody's absence notice is wanted in return.
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	message.SetBodyString(gomail.TypeTextPlain, mail.Body)
	return message, nil
}

func (s *Sender) messageID(mail outbox.Mail) string {
	sum := sha256.Sum256([]byte(mail.WorkspaceID + "\n" + mail.Key + "\n" + mail.To))
	_, domain, _ := strings.Cut(s.from.Address, "@")
	return hex.EncodeToString(sum[:16]) + "@" + domain
}

// unfit says that a text must not stand in a header, whatever encodes it.
func unfit(text string) bool {
	return len(text) > 1_000 || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl)
}

// failure tells what will never be taken from what may be later.
func failure(err error) error {
	var refused *gomail.SendError
	if !errors.As(err, &refused) {
		return notTaken(err)
	}
	cause := withoutRecipient(refused)
	if isPermanent(refused.ErrorCode()) {
		return fault.Wrap(fault.Invalid, cause, "The mail server refuses this mail for good.")
	}
	return notTaken(cause)
}

func notTaken(cause error) error {
	return fault.Wrap(fault.Upstream, cause, "The mail server does not take mails. Check SMTP_URL and MAIL_FROM, or try again later.")
}

// withoutRecipient is what a log may have: the server's own words often repeat
// who the mail is for.
func withoutRecipient(refused *gomail.SendError) error {
	if refused.ErrorCode() == 0 {
		return fmt.Errorf("%s: no answer", refused.Reason)
	}
	return fmt.Errorf("%s: code %d %s", refused.Reason, refused.ErrorCode(), refused.EnhancedStatusCode())
}

// isPermanent leaves out what says that the user or the password is wrong (RFC
// 4954, section 6): an operator can mend that.
func isPermanent(code int) bool {
	switch code {
	case 530, 534, 535, 538:
		return false
	}
	return code >= 500 && code < 600
}
