package tenant_test

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/store"
	"parley/store/bots"
	"parley/store/people"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

// owner returns the owner as an actor.
func (c *clock) owner() audit.Actor { return audit.Person(c.user.ID, c.user.Email) }

// addChatbots adds chatbots cb_1 to cb_n, each a minute younger.
func (c *clock) addChatbots(n int) {
	c.Helper()
	for i := range n {
		c.must(bots.NewChatbots(c.store).CreateChatbot(c.Context(), c.space.ID, chatbot.Chatbot{
			ID: fmt.Sprintf("cb_%d", i+1), WorkspaceID: c.space.ID, Name: fmt.Sprintf("Bot %d", i+1),
			CreatedAt: c.now.Add(time.Duration(i) * time.Minute),
		}))
	}
}

// addTokens adds tokens <chatbot>_1 to <chatbot>_n, each a minute younger.
func (c *clock) addTokens(bot string, n int) {
	c.Helper()
	for i := range n {
		id := fmt.Sprintf("%s_%d", bot, i+1)
		c.must(bots.NewTokens(c.store).CreateToken(c.Context(), c.space.ID, chatbot.Token{
			ID: id, WorkspaceID: c.space.ID, ChatbotID: bot, Name: id, Scopes: chatbot.AllScopes(),
			CreatedAt: c.now.Add(time.Duration(i) * time.Minute),
		}, "hash of "+id))
	}
}

// addMember makes <name>@example.com a member and returns the user's id.
func (c *clock) addMember(name string, role tenant.Role) string {
	c.Helper()
	user := account.User{ID: "usr_" + name, Email: name + "@example.com", PasswordHash: "none", CreatedAt: c.now}
	c.must(people.NewUsers(c.store).CreateUser(c.Context(), user))
	c.pass(time.Second)
	c.must(c.Members.Add(c.Context(), c.space.ID, user, role))
	return user.ID
}

// suspended checks which holdings of a resource are suspended.
func (c *clock) suspended(resource plan.Resource, want ...string) {
	c.Helper()
	holdings, err := c.Holdings.List(c.Context(), c.space.ID)
	c.must(err)
	var got []string
	for _, h := range holdings {
		if h.Resource == resource && h.OverLimit {
			got = append(got, h.ID)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		c.Errorf("suspended are %q, want %q", got, want)
	}
}

func (c *clock) isA(err error, kind fault.Kind) {
	c.Helper()
	if !fault.Is(err, kind) {
		c.Errorf("got %v, want a fault of kind %d", err, kind)
	}
}

func (c *clock) invite(email string) string {
	c.Helper()
	code, err := c.Invitations.Invite(c.Context(), c.space.ID, c.user.ID, email, tenant.RoleMember)
	c.must(err)
	return code
}

const (
	email    = "owner@example.com"
	password = "correct horse battery"
	day      = 24 * time.Hour
)

// stranger is a client on which nobody has signed in before.
var stranger = from("192.0.2.1")

func from(address string) account.Client {
	return account.Client{Address: netip.MustParseAddr(address)}
}

// clock is the services over a real store, with simulated time.
type clock struct {
	*testing.T
	*tenancy.Services
	store *store.Store
	now   time.Time
	user  account.User
	space tenant.Workspace
}

func newClock(t *testing.T) *clock {
	t.Helper()
	shop := tenancytest.Open(t)
	c := &clock{T: t, store: shop.Store, now: tenancytest.Epoch, user: shop.User, space: shop.Space}
	c.Services = c.withOptions(tenancy.Options{Payments: subscription.Options{Grace: 21 * day}, Mails: outbox.Options{Mails: true, BaseURL: "https://parley.example/"}})
	return c
}

// withOptions returns other services over the same store.
func (c *clock) withOptions(options tenancy.Options) *tenancy.Services {
	return tenancytest.Services(c.store, func() time.Time { return c.now }, options)
}

func (c *clock) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }
