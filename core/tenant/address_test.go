package tenant_test

import (
	"strings"
	"testing"

	"parley/core/outbox"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

// mailed sends due mails and returns the only mail, and the code in its link.
func (c *clock) mailed() (mail outbox.Mail, code string) {
	c.Helper()
	return tenancytest.Mailed(c.T, c.Services)
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
	return tenancytest.Sends(c.T, c.Services, want...)
}
