package workspace

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// suspendable are the things that are suspended when the plan includes fewer, by the name
// that the form has for them.
var suspendable = []struct {
	name, title, one, many string
	resource               plan.Resource
	limit                  func(plan.Limits) int
}{
	{"chatbots", "Chatbots", "chatbot", "chatbots", plan.Chatbots, func(l plan.Limits) int { return l.Chatbots }},
	{"members", "Members", "member", "members", plan.Members, func(l plan.Limits) int { return l.Members }},
	{"tokens", "API tokens", "API token for each chatbot", "API tokens for each chatbot", plan.Tokens, func(l plan.Limits) int { return l.TokensPerChatbot }},
}

// limitPages are the handlers of the page of what exceeds the plan.
type limitPages struct{ *page.Base }

func (s limitPages) limitsPage(c *fiber.Ctx, v page.Visit) error {
	return s.showLimits(c, v, fiber.StatusOK, ui.Form{})
}

func (s limitPages) showLimits(c *fiber.Ctx, v page.Visit, status int, f ui.Form) error {
	current, err := s.planOf(c, v)
	if err != nil {
		return err
	}
	holdings, err := s.Tenants.Holdings.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	m := overLimits(current, holdings)
	m.Form, m.MayChoose = f, v.May(tenant.ChangePlan)
	return page.Render(c, status, views.LimitsPage(v.Layout(c, shell.BillingSection, "Over the limit"), m))
}

// planOf returns the plan in force.
func (s limitPages) planOf(c *fiber.Ctx, v page.Visit) (plan.Plan, error) {
	plans, err := s.Tenants.Plans.All(c.UserContext())
	return page.Catalog{Plans: plans}.Find(v.Member.Workspace.Plan), err
}

// overLimits groups what exceeds a limit: by kind, and tokens by chatbot.
func overLimits(p plan.Plan, holdings []tenant.Holding) views.OverLimits {
	var m views.OverLimits
	for _, kind := range suspendable {
		limit := kind.limit(p.Limits)
		group := views.OverGroup{
			Resource: kind.name, Title: kind.title, Includes: includes(p, limit, kind.one, kind.many), MayChoose: limit != 0,
		}
		for _, held := range byChatbot(kind.resource, holdings) {
			if set := overSet(held, holdings); more(len(held), limit) || set.Suspended {
				group.Sets = append(group.Sets, set)
			}
		}
		if len(group.Sets) > 0 {
			m.Groups = append(m.Groups, group)
		}
	}
	return m
}

func includes(p plan.Plan, limit int, one, many string) string {
	switch limit {
	case 0:
		return fmt.Sprintf("The %s plan includes no %s.", p.Title, many)
	case 1:
		many = one
	}
	return fmt.Sprintf("The %s plan includes %s %s.", p.Title, amount(limit), many)
}

// byChatbot returns the holdings of a kind, each chatbot's tokens for
// themselves. Others are of no chatbot, and one set.
func byChatbot(resource plan.Resource, holdings []tenant.Holding) [][]tenant.Holding {
	var sets [][]tenant.Holding
	place := map[string]int{}
	for _, h := range holdings {
		if h.Resource != resource {
			continue
		}
		at, known := place[h.ChatbotID]
		if !known {
			at = len(sets)
			place[h.ChatbotID] = at
			sets = append(sets, nil)
		}
		sets[at] = append(sets[at], h)
	}
	return sets
}

func overSet(held, all []tenant.Holding) views.OverSet {
	set := views.OverSet{Name: chatbotName(held[0].ChatbotID, all)}
	for _, h := range held {
		set.Items = append(set.Items, views.OverItem{ID: h.ID, Name: h.Name, Vital: h.Vital, Stays: !h.OverLimit})
		set.Suspended = set.Suspended || h.OverLimit
	}
	return set
}

func chatbotName(chatbotID string, holdings []tenant.Holding) string {
	for _, h := range holdings {
		if h.Resource == plan.Chatbots && h.ID == chatbotID {
			return h.Name
		}
	}
	return ""
}

// keep writes down what an owner wants to stay.
func (s limitPages) keep(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "resource")
	if err != nil {
		return err
	}
	if err := s.keepChosen(c, v, typed["resource"], readChoices(c, "keep")); err != nil {
		return page.Form{}.Again(c, err, func(status int, f ui.Form) error { return s.showLimits(c, v, status, f) })
	}
	return page.Done(c, shell.LimitsURL(v.WorkspaceID()), "chosen")
}

func (s limitPages) keepChosen(c *fiber.Ctx, v page.Visit, kind string, ids []string) error {
	for _, k := range suspendable {
		if k.name == kind {
			return s.Tenants.Holdings.Keep(c.UserContext(), v.WorkspaceID(), k.resource, ids)
		}
	}
	return fault.New(fault.Invalid, "Choose whether to keep chatbots, members or API tokens, and submit the form again.")
}

// readChoices are the identifiers of the boxes that were ticked.
func readChoices(c *fiber.Ctx, name string) []string {
	var ids []string
	for _, value := range c.Request().PostArgs().PeekMulti(name) {
		if chosen := id.Parse(string(value)); chosen != "" {
			ids = append(ids, chosen)
		}
	}
	return ids
}
