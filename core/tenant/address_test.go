package tenant_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/core/outbox"
	"parley/store/tenancy"
)

// mailed sends due mails and returns the only mail, and the code in its link.
func (c *clock) mailed() (mail outbox.Mail, code string) {
	c.Helper()
	var mails []outbox.Mail
	_, err := c.Mails.Send(c.Context(), func(_ context.Context, mail outbox.Mail) error {
		mails = append(mails, mail)
		return nil
	})
	c.must(err)
	if len(mails) != 1 {
		c.Fatalf("there are %d mails: %+v", len(mails), mails)
	}
	_, code, _ = strings.Cut(mails[0].Body, "#")
	code, _, _ = strings.Cut(code, "\n")
	return mails[0], code
}

func TestInvitationByMail(t *testing.T) {
	t.Parallel()
	c := newClock(t)
	code := c.invite("guest@example.com")
	mail, mailed := c.mailed()
	if mail.To != "guest@example.com" || mailed != code || !strings.Contains(mail.Body, "owner@example.com invites you to the workspace Shop.") {
		t.Errorf("the mail is %+v", mail)
	}
	c.Services = c.withOptions(tenancy.Options{})
	c.invite("other@example.com")
	c.Services = c.withOptions(tenancy.Options{Mails: outbox.Options{Mails: true}})
	c.sends()
}

// sends checks which mails are sent now, as "address: subject".
func (c *clock) sends(want ...string) []outbox.Mail {
	c.Helper()
	var mails []outbox.Mail
	var got []string
	n, err := c.Mails.Send(c.Context(), func(_ context.Context, mail outbox.Mail) error {
		mails = append(mails, mail)
		got = append(got, mail.To+": "+mail.Subject)
		return nil
	})
	c.must(err)
	slices.Sort(got)
	slices.Sort(want)
	if n != len(got) || !slices.Equal(got, want) {
		c.Errorf("%d are sent: %q, want %q", n, got, want)
	}
	return mails
}
