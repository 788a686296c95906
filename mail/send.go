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

// Send sends one mail. An Invalid fault means that the mail can never be sent: the
// server refused it permanently (RFC 5321, section 4.2.1: 5yz), or it is malformed.
// Any other fault is Upstream, and the caller may retry.
func (s *Sender) Send(ctx context.Context, mail outbox.Mail) error {
	message, err := s.compose(mail)
	if err != nil {
		return err
	}
	err = s.connect(ctx, func(ctx context.Context, client *gomail.Client) error {
		return client.DialAndSendWithContext(ctx, message)
	})
	// Once the server has accepted the mail, no failure may send it again.
	if err == nil || message.IsDelivered() {
		return nil
	}
	return failure(err)
}

// Check reports whether the server can be reached and accepts the user and
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

// compose builds the message. Its id derives from the mail's key, so that recipients
// can recognize a mail that was sent twice.
func (s *Sender) compose(mail outbox.Mail) (*gomail.Msg, error) {
	to, err := netmail.ParseAddress(mail.To)
	if err != nil || unfit(mail.To) || unfit(mail.Subject) || !utf8.ValidString(mail.Body) || !utf8.ValidString(mail.HTML) {
		return nil, fault.New(fault.Invalid, "The mail's address, subject or text is malformed.")
	}
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(s.from)
	message.ToMailAddress(to)
	message.Subject(mail.Subject)
	message.SetDateWithValue(s.now())
	message.SetMessageIDWithValue(s.messageID(mail))
	// RFC 3834: we do not want automatic replies.
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	message.SetBodyString(gomail.TypeTextPlain, mail.Body)
	if mail.HTML != "" { // RFC 2046, section 5.1.4: the last alternative is the best
		message.AddAlternativeString(gomail.TypeTextHTML, mail.HTML)
	}
	return message, nil
}

func (s *Sender) messageID(mail outbox.Mail) string {
	sum := sha256.Sum256([]byte(mail.WorkspaceID + "\n" + mail.Key + "\n" + mail.To))
	_, domain, _ := strings.Cut(s.from.Address, "@")
	return hex.EncodeToString(sum[:16]) + "@" + domain
}

// unfit reports whether a text must not appear in a header, in any encoding.
func unfit(text string) bool {
	return len(text) > 1_000 || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl)
}

// failure distinguishes permanent refusals from temporary ones.
func failure(err error) error {
	var refused *gomail.SendError
	if !errors.As(err, &refused) {
		return notAccepted(err)
	}
	cause := withoutRecipient(refused)
	if isPermanent(refused.ErrorCode()) {
		return fault.Wrap(fault.Invalid, cause, "The mail server permanently refuses this mail.")
	}
	return notAccepted(cause)
}

func notAccepted(cause error) error {
	return fault.Wrap(fault.Upstream, cause, "The mail server does not accept mails. Check SMTP_URL and MAIL_FROM, or try again later.").ForOperator()
}

// withoutRecipient returns what may be logged: the server's own words often repeat
// the recipient.
func withoutRecipient(refused *gomail.SendError) error {
	if refused.ErrorCode() == 0 {
		return fmt.Errorf("%s: no answer", refused.Reason)
	}
	return fmt.Errorf("%s: code %d %s", refused.Reason, refused.ErrorCode(), refused.EnhancedStatusCode())
}

// isPermanent excludes codes for a wrong user or password (RFC 4954, section 6),
// which an operator can fix.
func isPermanent(code int) bool {
	switch code {
	case 530, 534, 535, 538:
		return false
	}
	return code >= 500 && code < 600
}
