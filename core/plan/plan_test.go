package plan

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/fault"
)

// amounts are the limits of the plans in their order, as they are sold.
var amounts = map[Resource]struct {
	name, remedy string
	limits       []int
}{
	Chatbots:       {"chatbots", "Delete one or upgrade the plan.", []int{1, 3, 10, 50, Unlimited}},
	Members:        {"members", "Remove a member or an invitation, or upgrade the plan.", []int{1, 3, 10, 50, Unlimited}},
	Tokens:         {"active API tokens", "Revoke one or upgrade the plan.", []int{noAPI, noAPI, 10, 50, Unlimited}},
	KnowledgeChars: {"characters of knowledge", "Remove documents or upgrade the plan.", []int{400_000, 2_000_000, 20_000_000, 100_000_000, Unlimited}},
	MessageChars:   {"characters, the limit", "Shorten it.", []int{4_000, 8_000, 16_000, 32_000, 64_000}},
	API:            {"API access", "Upgrade to the Standard plan", []int{noAPI, noAPI, Unlimited, Unlimited, Unlimited}},
}

// noAPI stands for a plan that admits none for want of API access.
const noAPI = -2

func TestAdmit(t *testing.T) {
	for resource, sold := range amounts {
		for i, p := range Defaults() {
			limit := sold.limits[i]
			t.Run(fmt.Sprintf("the %s plan has %d of %s", p.Title, limit, sold.name), func(t *testing.T) {
				switch limit {
				case noAPI:
					wantRefused(t, p, resource, 1, p.Title, "no API access", "Upgrade to the Standard plan")
				case Unlimited:
					wantAdmitted(t, p, resource, 1, 1_000_000_000)
				default:
					wantAdmitted(t, p, resource, 0, 1, limit)
					name := sold.name
					if limit == 1 {
						name = strings.TrimSuffix(name, "s")
					}
					wantRefused(t, p, resource, limit+1, p.Title, fmt.Sprint(limit, " ", name), sold.remedy)
				}
			})
		}
	}

	t.Run("a resource that no rule is about is refused", func(t *testing.T) {
		if err := Defaults()[4].Admit(Resource(99), 1); !fault.Is(err, fault.Internal) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("a limit of zero admits none", func(t *testing.T) {
		wantRefused(t, Plan{Title: "Tiny"}, Chatbots, 1, "Tiny", "0 chatbots")
	})
}

func wantAdmitted(t *testing.T, p Plan, resource Resource, amounts ...int) {
	t.Helper()
	for _, used := range amounts {
		if err := p.Admit(resource, used); err != nil {
			t.Errorf("%d are refused: %v", used, err)
		}
	}
}

func wantRefused(t *testing.T, p Plan, resource Resource, used int, says ...string) {
	t.Helper()
	err := p.Admit(resource, used)
	kind := fault.Forbidden
	if resource == MessageChars {
		kind = fault.Invalid
	}
	if !fault.Is(err, kind) {
		t.Fatalf("%d give %v, want a fault of kind %d", used, err, kind)
	}
	for _, text := range says {
		if !strings.Contains(fault.As(err).Message, text) {
			t.Errorf("%q does not say %q", fault.As(err).Message, text)
		}
	}
}

func TestDefaults(t *testing.T) {
	order := []Name{Starter, Basic, Standard, Premium, Enterprise}
	all := Defaults()
	if len(all) != len(order) {
		t.Fatalf("there are %d plans", len(all))
	}
	for i, p := range all {
		if p.Name != order[i] || p.Rank != i || p.Title == "" {
			t.Errorf("plan %d is %+v, want %s", i, p, order[i])
		}
	}
	for i, p := range all[1:] {
		if less(p.Limits, all[i].Limits) {
			t.Errorf("%s admits less of something than %s", p.Title, all[i].Title)
		}
	}
}

// less reports whether a admits less of anything than b.
func less(a, b Limits) bool {
	of := func(l Limits) []int {
		return []int{l.Chatbots, l.Members, l.TokensPerChatbot, l.MessageChars, l.KnowledgeChars}
	}
	for i, limit := range of(a) {
		if limit != Unlimited && (of(b)[i] == Unlimited || limit < of(b)[i]) {
			return true
		}
	}
	return b.APIAccess && !a.APIAccess
}
