package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
)

// Words of the table below.
const (
	yes  = Unlimited
	no   = -2
	free = "free"       // the Starter plan
	paid = "subscribed" // the plan subscribed to
	last = "last"       // the plan that was in force before
)

// gives is what each status of a subscription gives access to.
var gives = map[Status]string{
	None:              free,
	Trialing:          paid,
	Active:            paid,
	PastDue:           paid,
	Incomplete:        free,
	IncompleteExpired: free,
	Unpaid:            free,
	Canceled:          free,
	Paused:            free,
	"hibernating":     last, // a status that Stripe does not have yet
}

// includes lists what each plan admits: yes, no, or up to an amount.
var includes = []struct {
	resource Resource
	name     string
	//         Starter  Basic      Standard    Premium      Enterprise
	of [5]int
}{
	{API, "the API", [5]int{no, no, yes, yes, yes}},
	{Sites, "sites", [5]int{no, yes, yes, yes, yes}},
	{Schedules, "schedules", [5]int{no, no, yes, yes, yes}},
	{SSO, "single sign-on", [5]int{no, no, yes, yes, yes}},
	{Chatbots, "chatbots", [5]int{1, 3, 10, 50, yes}},
	{Members, "members", [5]int{1, 3, 10, 50, yes}},
	{Tokens, "tokens of a chatbot", [5]int{no, no, 10, 50, yes}},
	{KnowledgeChars, "characters of knowledge", [5]int{400_000, 2_000_000, 20_000_000, 100_000_000, yes}},
	{StoredBytes, "bytes of files and texts", [5]int{50_000_000, 250_000_000, 2_000_000_000, 10_000_000_000, yes}},
	{Messages, "messages a month", [5]int{100, 2_000, 20_000, 200_000, yes}},
	{Playground, "questions of the playground a month", [5]int{200, 500, 2_000, 10_000, yes}},
	{MessageChars, "characters of a message", [5]int{4_000, 8_000, 16_000, 32_000, 64_000}},
}

// TestWhoMayDoWhat checks every combination of a subscription's status, its plan and
// a resource.
func TestWhoMayDoWhat(t *testing.T) {
	const before = Premium
	for status, what := range gives {
		for _, subscribed := range Names() {
			effective := map[string]Name{free: Starter, paid: subscribed, last: before}[what]
			t.Run(fmt.Sprintf("a subscription to %s that is %q gives %s", subscribed, status, effective), func(t *testing.T) {
				standing := Standing{Status: status, Plan: subscribed}
				access := standing.Access(Access{Plan: before}, time.Hour, time.Unix(0, 0))
				if access.Plan != effective || access.Until != nil || access.Unknown != (what == last) {
					t.Fatalf("it gives %+v", access)
				}
				for _, row := range includes {
					wantUpTo(t, named(access.Plan), row.resource, row.name, row.of[rank(effective)])
				}
			})
		}
	}
}

func wantUpTo(t *testing.T, p Plan, resource Resource, name string, limit int) {
	t.Helper()
	admitted, refused := []int{0, 1, limit}, []int{limit + 1, 100_000_000_000}
	switch limit {
	case yes:
		admitted, refused = []int{0, 1, 100_000_000_000}, nil
	case no:
		admitted, refused = nil, []int{1}
	}
	for _, used := range admitted {
		if err := p.Admit(resource, used); err != nil {
			t.Errorf("%s: %d of %s are refused: %v", p.Title, used, name, err)
		}
	}
	for _, used := range refused {
		if err := p.Admit(resource, used); !fault.Is(err, kindOf(resource)) {
			t.Errorf("%s: %d of %s give %v", p.Title, used, name, err)
		}
	}
}

// kindOf returns the kind of fault of a refusal.
func kindOf(resource Resource) fault.Kind {
	switch resource {
	case Messages, Playground:
		return fault.RateLimited
	case MessageChars:
		return fault.Invalid
	}
	return fault.Forbidden
}

func TestTheTableIsComplete(t *testing.T) {
	for _, status := range []Status{None, Trialing, Active, PastDue, Incomplete, IncompleteExpired, Unpaid, Canceled, Paused} {
		if _, known := gives[status]; !known {
			t.Errorf("the status %q is not in the table", status)
		}
	}
	for resource := API; resource <= MessageChars; resource++ {
		if includes[resource].resource != resource {
			t.Errorf("resource %d is not in the table", resource)
		}
	}
	if len(includes) != int(MessageChars)+1 {
		t.Errorf("the table has %d resources", len(includes))
	}
}

func TestRefusals(t *testing.T) {
	one := named(Standard)
	one.Limits.Chatbots = 1
	for _, c := range []struct {
		p        Plan
		resource Resource
		want     string
	}{
		{named(Basic), API, "The Basic plan has no API access. Upgrade to the Standard plan or above to create and use API tokens."},
		{named(Starter), Tokens, "The Starter plan has no API access. Upgrade to the Standard plan or above to create and use API tokens."},
		{named(Starter), Sites, "The Starter plan does not read whole sites. Add single pages, or upgrade to the Basic plan or above."},
		{named(Basic), Schedules, "The Basic plan does not read sources again automatically. Read them again by hand, or upgrade to the Standard plan or above."},
		{one, Chatbots, "The Standard plan includes 1 chatbot. Delete one or upgrade the plan."},
		{named(Standard), Chatbots, "The Standard plan includes 10 chatbots. Delete one or upgrade the plan."},
		{named(Basic), Members, "The Basic plan includes 3 members. Remove a member or an invitation, or upgrade the plan."},
		{named(Standard), Tokens, "The Standard plan includes 10 active API tokens for each chatbot. Revoke one or upgrade the plan."},
		{named(Starter), KnowledgeChars, "The Starter plan includes 400000 characters of knowledge. Remove documents or upgrade the plan."},
		{named(Starter), StoredBytes, "The Starter plan stores up to 50 MB of files and texts. Remove documents or files that could not be read, or upgrade the plan."},
		{named(Starter), Playground, "Your playground questions for this month are used up: the Starter plan includes 200. Wait for the next month or upgrade the plan."},
		{named(Starter), Messages, "The Starter plan includes 100 messages a month, and you have used them all. Wait for the next month or upgrade the plan."},
		{named(Starter), MessageChars, "message is longer than 4000 characters, the limit of the Starter plan. Shorten it."},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := fault.As(c.p.Admit(c.resource, 900_000_000)).Message; got != c.want {
				t.Errorf("it says %q", got)
			}
		})
	}

	t.Run("an unknown resource is refused", func(t *testing.T) {
		if err := named(Enterprise).Admit(Resource(99), 1); !fault.Is(err, fault.Internal) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a lower plan has no API access, whatever its row says", func(t *testing.T) {
		for _, name := range []Name{Starter, Basic} {
			p := named(name)
			p.Limits.Features, p.Limits.TokensPerChatbot = AllFeatures(), 5
			if err := p.Admit(API, 1); !fault.Is(err, fault.Forbidden) {
				t.Errorf("%s: the error is %v", name, err)
			}
			if err := p.Admit(Tokens, 1); !fault.Is(err, fault.Forbidden) {
				t.Errorf("%s: the error is %v", name, err)
			}
		}
	})
	t.Run("a limit of zero admits none", func(t *testing.T) {
		err := Plan{Title: "Tiny"}.Admit(Chatbots, 1)
		if !strings.Contains(fault.As(err).Message, "Tiny plan includes 0 chatbots") {
			t.Errorf("the error is %v", err)
		}
	})
}
