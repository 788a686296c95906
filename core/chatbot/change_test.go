package chatbot_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
)

func pointer[T any](to T) *T { return &to }

func TestChange(t *testing.T) {
	t.Run("what is named changes, and the rest stays", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		r.wantAuthenticated(secret, nil)
		end := r.now.Add(30 * aDay)
		ranges := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
		_, err := r.Tokens.Change(t.Context(), home, r.bot.ID, token.ID, chatbot.TokenChange{
			Note: pointer(" For the help desk "), Scopes: &[]chatbot.Scope{chatbot.ScopeChat}, IPRanges: &ranges,
			RequestsPerMinute: pointer(5), MessagesPerMonth: pointer(6), ExpiresAt: pointer(&end),
		})
		r.must(err)
		principal, err := r.Callers.Authenticate(t.Context(), secret) // at once
		r.must(err)
		for _, got := range []chatbot.Token{r.token(token.ID), principal.Token} {
			if got.Name != token.Name || got.Note != "For the help desk" || len(got.Scopes) != 1 || !slices.Equal(got.IPRanges, ranges) ||
				got.RequestsPerMinute != 5 || got.MessagesPerMonth != 6 || !got.ExpiresAt.Equal(end) {
				t.Errorf("it is %+v", got)
			}
		}
		changed, err := r.Tokens.Change(t.Context(), home, r.bot.ID, token.ID, chatbot.TokenChange{IPRanges: &[]netip.Prefix{}, RequestsPerMinute: pointer(0), ExpiresAt: pointer[*time.Time](nil)})
		if err != nil || len(changed.IPRanges) != 0 || changed.RequestsPerMinute != 0 || changed.ExpiresAt != nil || changed.MessagesPerMonth != 6 {
			t.Errorf("it becomes %+v: %v", changed, err)
		}
	})

	t.Run("the log has what was and what is", func(t *testing.T) {
		r := newRig(t)
		token, _ := r.issue()
		end := r.now.Add(30 * aDay)
		ranges := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("10.0.0.0/8")}
		change := chatbot.TokenChange{IPRanges: &ranges, RequestsPerMinute: pointer(5), ExpiresAt: pointer(&end)}
		for range 2 { // the second time nothing changes
			_, err := r.Tokens.Change(t.Context(), home, r.bot.ID, token.ID, change)
			r.must(err)
		}
		_, err := r.rename(home, token.ID, "Website")
		r.must(err)
		entries, _, err := r.tenants.Audit.Of(t.Context(), home, audit.Filter{Limit: 10})
		r.must(err)
		var got []string
		for _, e := range entries {
			if e.Object.ID == token.ID {
				got = append(got, fmt.Sprint(e.Action, e.Changes))
			}
		}
		want := []string{
			"token.renamed[{name API token Website}]",
			"token.changed[{expires_at  2026-01-31T00:00:00Z} {ip_ranges  192.0.2.0/24, 10.0.0.0/8} {requests_per_minute 0 5}]",
		}
		if len(got) != 3 || !slices.Equal(got[:2], want) {
			t.Errorf("the log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})

	t.Run("what a token cannot have is refused, and nothing changes", func(t *testing.T) {
		r := newRig(t)
		secret, _ := r.issue()
		shop, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{Kind: chatbot.PublishableToken, Restrictions: chatbot.Restrictions{Origins: []string{"https://shop.example"}}})
		r.must(err)
		past := r.now
		for field, c := range map[string]struct {
			id     string
			change chatbot.TokenChange
		}{
			"name":                {secret.ID, chatbot.TokenChange{Name: pointer(" ")}},
			"note":                {secret.ID, chatbot.TokenChange{Note: pointer("\x00")}},
			"scopes":              {secret.ID, chatbot.TokenChange{Scopes: &[]chatbot.Scope{}}},
			"expires_at":          {secret.ID, chatbot.TokenChange{ExpiresAt: pointer(&past)}},
			"requests_per_minute": {secret.ID, chatbot.TokenChange{RequestsPerMinute: pointer(-1)}},
			"origins":             {shop.ID, chatbot.TokenChange{Origins: &[]string{}}},
		} {
			before := r.token(c.id)
			_, err := r.Tokens.Change(t.Context(), home, r.bot.ID, c.id, c.change)
			if !fault.Is(err, fault.Invalid) || fault.As(err).Field != field {
				t.Errorf("%s: it gives %v", field, err)
			}
			if after := r.token(c.id); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("%s: %v became %v", field, before, after)
			}
		}
	})

	t.Run("of a token that does not work any more only the name and the note change", func(t *testing.T) {
		r := newRig(t)
		token, _ := r.issue()
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID))
		_, err := r.rename(home, token.ID, "Old website")
		r.must(err)
		_, err = r.Tokens.Change(t.Context(), home, r.bot.ID, token.ID, chatbot.TokenChange{ExpiresAt: pointer[*time.Time](nil)})
		if !fault.Is(err, fault.Conflict) || fault.As(err).Code() != fault.TokenEnded {
			t.Errorf("it gives %v", err)
		}
	})

	t.Run("a token that was rolled does not work for longer than its overlap", func(t *testing.T) {
		r := newRig(t)
		token, _ := r.issue()
		r.roll(token.ID, 2)
		later, sooner := r.now.Add(3*aDay), r.now.Add(aDay)
		for _, end := range []*time.Time{nil, &later} {
			if _, err := r.Tokens.Change(t.Context(), home, r.bot.ID, token.ID, chatbot.TokenChange{ExpiresAt: &end}); !fault.Is(err, fault.Conflict) {
				t.Errorf("%v gives %v", end, err)
			}
		}
		_, err := r.Tokens.Change(t.Context(), home, r.bot.ID, token.ID, chatbot.TokenChange{ExpiresAt: pointer(&sooner)})
		r.must(err)
	})
}

func TestMessagesOfAToken(t *testing.T) {
	r := newRig(t)
	free, _ := r.issue()
	if month, err := r.Callers.TakeMessage(t.Context(), &free); month != "" || err != nil {
		t.Errorf("a token without a limit gives %q, %v", month, err)
	}
	token, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{Restrictions: chatbot.Restrictions{MessagesPerMonth: 3}})
	r.must(err)
	take := func() error { _, err := r.Callers.TakeMessage(t.Context(), &token); return err }
	if made := r.atOnce(20, fault.RateLimited, take); made != 3 {
		t.Errorf("of 20 at once %d were admitted, want 3", made)
	}
	refused := fault.As(take())
	if refused.Code() != fault.TokenQuotaExceeded || refused.RetryAfter != 31*aDay {
		t.Errorf("another gives %v, again in %v", refused, refused.RetryAfter)
	}
	r.must(r.Callers.GiveMessageBack(t.Context(), &token, "2026-01"))
	r.must(take())
	if err := take(); err == nil {
		t.Error("one that was given back admits two")
	}
	r.now = r.now.Add(31 * aDay)
	r.must(take())
}

func TestLastUse(t *testing.T) {
	r := newRig(t)
	token, _ := r.issue()
	began := r.now
	use := func(ip, agent string) { r.Uses.Used(&token, func() (string, string) { return ip, agent }) }
	for _, c := range []struct {
		after time.Duration
		ip    string
		want  string
	}{{0, "192.0.2.1", "192.0.2.1"}, {30 * time.Second, "192.0.2.2", "192.0.2.1"}, {time.Minute, "2001:db8::1", "2001:db8::1"}} {
		r.now = began.Add(c.after)
		use(c.ip, "curl/8\x00 \u202e"+strings.Repeat("x", 300)+"\xff")
		r.must(r.Uses.WriteUses(t.Context()))
		if got := r.token(token.ID); got.LastUsedIP != c.want || !strings.HasPrefix(got.LastUsedAgent, "curl/8 xxx") || len(got.LastUsedAgent) != 200 {
			t.Errorf("after %v the last use is by %s, %q", c.after, got.LastUsedIP, got.LastUsedAgent)
		}
	}
	if at := r.token(token.ID).LastUsedAt; at == nil || !at.Equal(began.Add(time.Minute)) {
		t.Errorf("it was last used at %v", at)
	}
	t.Run("a use that is written late does not hide a later one", func(t *testing.T) {
		r.now = r.now.Add(time.Hour)
		use("192.0.2.3", "")
		now := r.now.Add(time.Minute)
		r.must(r.pausable.TouchToken(t.Context(), home, token.ID, chatbot.LastUse{LastUsedAt: &now, LastUsedIP: "192.0.2.4"}))
		r.must(r.Uses.WriteUses(t.Context()))
		if got := r.token(token.ID); got.LastUsedIP != "192.0.2.4" {
			t.Errorf("the last use is by %s", got.LastUsedIP)
		}
	})
	t.Run("uses of many tokens are written together", func(t *testing.T) {
		other, _ := r.issue()
		r.now = r.now.Add(time.Hour)
		use("192.0.2.5", "")
		r.Uses.Used(&other, func() (string, string) { return "192.0.2.6", "" })
		r.must(r.Uses.WriteUses(t.Context()))
		if a, b := r.token(token.ID), r.token(other.ID); a.LastUsedIP != "192.0.2.5" || b.LastUsedIP != "192.0.2.6" {
			t.Errorf("the last uses are by %s and %s", a.LastUsedIP, b.LastUsedIP)
		}
	})
}
