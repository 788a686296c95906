package chatbot_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/outbox"
	"parley/core/tenant"
	"parley/store/people"
)

// join makes a user a member of home.
func (r *rig) join(id, email string, role tenant.Role) {
	r.Helper()
	r.must(people.NewUsers(r.db).CreateUser(r.Context(), account.User{ID: id, Email: email, CreatedAt: r.now}))
	r.must(people.NewMembers(r.db).AddMember(r.Context(), home, tenant.Member{UserID: id, Role: role, CreatedAt: r.now}))
}

// mailed are the mails that are sent now, as "address: subject".
func (r *rig) mailed() (got []string, mails []outbox.Mail) {
	r.Helper()
	_, err := r.tenants.Mails.Send(r.Context(), func(_ context.Context, mail outbox.Mail) error {
		got, mails = append(got, mail.To+": "+mail.Subject), append(mails, mail)
		return nil
	})
	r.must(err)
	slices.Sort(got)
	return got, mails
}

func (r *rig) mails(want ...string) []outbox.Mail {
	r.Helper()
	got, mails := r.mailed()
	if slices.Sort(want); !slices.Equal(got, want) {
		r.Errorf("the mails are %q, want %q", got, want)
	}
	return mails
}

func TestMailsAboutTokens(t *testing.T) {
	r := newRig(t)
	r.join("usr_owner", "owner@example.com", tenant.RoleOwner)
	r.join("usr_admin", "admin@example.com", tenant.RoleAdmin)
	r.join("usr_other", "other@example.com", tenant.RoleAdmin)

	token, secret, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{Name: "Website", CreatedBy: "admin@example.com"})
	r.must(err)
	mails := r.mails("owner@example.com: New API token for Guide", "admin@example.com: New API token for Guide")
	for _, part := range []string{"admin@example.com created the API token “Website” (" + token.Hint + ")", "does not expire", "https://parley.example/chatbots/" + r.bot.ID + "/tokens"} {
		if !strings.Contains(mails[0].Body, part) {
			t.Errorf("the mail does not say %q:\n%s", part, mails[0].Body)
		}
	}
	if strings.Contains(mails[0].Body, secret) {
		t.Error("the mail has the secret")
	}

	rolled, _ := r.roll(token.ID, 1)
	mails = r.mails("owner@example.com: API token rolled for Guide")
	if !strings.Contains(mails[0].Body, "The old token works until 2026-01-02T00:00:00Z.") {
		t.Errorf("the mail says\n%s", mails[0].Body)
	}
	for range 2 {
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, rolled.ID))
	}
	r.mails("owner@example.com: API token revoked for Guide")
}

func TestMailsBeforeATokenExpires(t *testing.T) {
	r := newRig(t)
	r.join("usr_owner", "owner@example.com", tenant.RoleOwner)
	began := r.now
	end := began.Add(20 * aDay)
	issue := func(expires *time.Time) chatbot.Token {
		token, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{ExpiresAt: expires})
		r.must(err)
		return token
	}
	token := issue(&end)
	issue(nil)
	r.mailed()
	warned := func(after time.Duration, want ...string) {
		t.Helper()
		r.now = began.Add(after)
		for range 3 { // as several processes, and one after a crash
			r.must(r.Announcer.WarnOfExpiring(t.Context()))
		}
		r.mails(want...)
	}
	const soon = "owner@example.com: An API token of Guide expires on January 21"
	warned(6*aDay - time.Second)
	warned(6*aDay, soon)
	warned(10 * aDay)
	warned(17*aDay, soon)
	warned(19 * aDay)
	warned(21 * aDay)

	t.Run("at once is once", func(t *testing.T) {
		r := newRig(t)
		r.join("usr_owner", "owner@example.com", tenant.RoleOwner)
		end := r.now.Add(20 * aDay)
		_, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{ExpiresAt: &end})
		r.must(err)
		r.mailed()
		r.now = r.now.Add(18 * aDay) // the server was off when the first was due
		r.atOnce(8, 0, func() error { return r.Announcer.WarnOfExpiring(t.Context()) })
		r.mails(soon)
	})

	t.Run("an expiry that was just chosen is no news, and a new one is", func(t *testing.T) {
		r := newRig(t)
		r.join("usr_owner", "owner@example.com", tenant.RoleOwner)
		began, end := r.now, r.now.Add(10*aDay)
		token, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{ExpiresAt: &end})
		r.must(err)
		r.mailed()
		r.must(r.Announcer.WarnOfExpiring(t.Context()))
		r.mails()
		r.now = began.Add(8 * aDay)
		r.must(r.Announcer.WarnOfExpiring(t.Context()))
		r.mails("owner@example.com: An API token of Guide expires on January 11")
		end = began.Add(40 * aDay)
		_, err = r.Tokens.Change(t.Context(), home, r.bot.ID, token.ID, chatbot.TokenChange{ExpiresAt: pointer(&end)})
		r.must(err)
		r.now = began.Add(30 * aDay)
		r.must(r.Announcer.WarnOfExpiring(t.Context()))
		r.mails("owner@example.com: An API token of Guide expires on February 10")
	})

	t.Run("nobody hears of one that was revoked", func(t *testing.T) {
		r.now = began
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID))
		r.mailed()
		warned(17 * aDay)
	})
}
