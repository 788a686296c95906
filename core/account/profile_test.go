package account_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
)

func TestProfile(t *testing.T) {
	c := newClock(t)
	want := account.Profile{Name: "Ada <b>", TimeZone: "Europe/Berlin", Appearance: account.Dark}
	given := want
	given.Name = "  Ada\n\u202e<b>\u200b "
	c.must(c.Profiles.Change(t.Context(), c.user.ID, given))
	user, err := c.Users.ByEmail(t.Context(), email)
	if err != nil || user.Profile != want || user.Location().String() != "Europe/Berlin" {
		t.Errorf("it is %+v: %v", user.Profile, err)
	}
	for field, wrong := range map[string][]account.Profile{
		"name":       {{Name: strings.Repeat("ä", 101)}, {Name: "a\x00"}, {Name: "\xff"}},
		"time_zone":  {{TimeZone: "Local"}, {TimeZone: "Mars/Olympus"}, {TimeZone: "../../etc/passwd"}, {TimeZone: strings.Repeat("x", 65)}, {TimeZone: "/etc/localtime"}},
		"appearance": {{Appearance: "sepia"}},
	} {
		for _, profile := range wrong {
			if err := c.Profiles.Change(t.Context(), c.user.ID, profile); !fault.Is(err, fault.Invalid) || fault.As(err).Field != field {
				t.Errorf("%+v gives %v", profile, err)
			}
		}
	}
	if (account.Profile{TimeZone: "gone"}).Location() != time.UTC {
		t.Error("a zone that is not known any more is not UTC")
	}
}

func TestSessionList(t *testing.T) {
	c := newClock(t)
	agent := "Mozilla/5.0\n" + strings.Repeat("ä", 500)
	here := c.signInFrom(account.Client{Address: netip.MustParseAddr("192.0.2.7"), Agent: agent}).Session
	c.pass(time.Minute)
	phone := c.signInFrom(account.Client{Address: netip.MustParseAddr("2001:db8:1:2:3::4"), Agent: "Phone"}).Session
	tablet := c.signIn()

	sessions, err := c.Sessions.Of(t.Context(), c.user.ID)
	c.must(err)
	if len(sessions) != 3 {
		t.Fatalf("there are %d", len(sessions))
	}
	last := sessions[2]
	if !last.IsOf(here) || last.Network != "192.0.2.7/32" || len(last.Agent) > 400 || !strings.HasPrefix(last.Agent, "Mozilla/5.0ää") {
		t.Errorf("the first is %+v", last)
	}
	for _, s := range sessions {
		if s.IsOf(phone) && s.Network != "2001:db8:1:2::/64" {
			t.Errorf("the phone's network is %q", s.Network)
		}
	}

	t.Run("one is ended, and nobody else's can be", func(t *testing.T) {
		for _, s := range sessions {
			if s.IsOf(phone) {
				c.isA(c.Sessions.End(t.Context(), account.User{ID: "usr_other"}, s.ID), fault.NotFound)
				c.isSignedIn(phone, true)
				c.must(c.Sessions.End(t.Context(), c.user, s.ID))
				c.isA(c.Sessions.End(t.Context(), c.user, s.ID), fault.NotFound)
			}
		}
		c.isSignedIn(phone, false)
		c.isSignedIn(tablet, true)
	})
	t.Run("all others are ended, and none is no failure", func(t *testing.T) {
		c.must(c.Sessions.EndOthers(t.Context(), c.user, here))
		c.must(c.Sessions.EndOthers(t.Context(), c.user, here))
		c.isSignedIn(tablet, false)
		c.isSignedIn(here, true)
	})
	t.Run("one that has expired is not listed", func(t *testing.T) {
		c.pass(8 * day)
		if left, err := c.Sessions.Of(t.Context(), c.user.ID); err != nil || len(left) != 0 {
			t.Errorf("there are %+v: %v", left, err)
		}
	})
}
