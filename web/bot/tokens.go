package bot

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/web/page"
)

// tokenPages are the handlers of a chatbot's API tokens.
type tokenPages struct{ *page.Base }

func (s tokenPages) tokensPage(c *fiber.Ctx, v page.Visit) error {
	upgrade, err := s.upgradeForTokens(c, v, shell.TokensURL(v.Chatbot.ID))
	if err != nil {
		return err
	}
	return page.Render(c, fiber.StatusOK, views.TokensPage(v.Layout(c, shell.TokensSection, "API tokens"), views.Tokens{
		MayManage: v.May(tenant.ManageTokens), MayCreate: v.MayChange(tenant.CreateTokens),
		APIURL: s.Address(route.V1), TimeZone: v.Person.User.TimeZone, Upgrade: upgrade,
	}))
}

// upgradeForTokens is what a workspace is offered whose plan has no API access. next
// is the page that the change ends on.
func (s tokenPages) upgradeForTokens(c *fiber.Ctx, v page.Visit, next string) (*views.Upgrade, error) {
	plans, err := s.Tenants.Plans.All(c.UserContext())
	if err != nil {
		return nil, err
	}
	k := page.Catalog{Plans: plans, Sold: s.Billing != nil}
	current := k.Find(v.Member.Workspace.Plan)
	if current.Limits.Has(plan.FeatureAPI) {
		return nil, nil
	}
	better, found := k.CheapestWith(plan.FeatureAPI, current.Name)
	if !found { // nothing is sold
		better = k.Find(plan.APIFrom)
	}
	offered := &views.Upgrade{
		From: current.Title, Plan: string(better.Name), Title: better.Title,
		Gains: gainsOfAPI(better.Limits), Price: k.Price(better.Name, plan.Monthly),
	}
	why, byHand := s.WhoChanges(v)
	if offered.Why = why; why == "" && (found || byHand) {
		offered.Change = shell.PlanChangeURL(v.WorkspaceID(), offered.Plan, next)
	}
	return offered, nil
}

// gainsOfAPI says what API access gives.
func gainsOfAPI(l plan.Limits) []string {
	gains := []string{"Ask this chatbot from your own programs, in JSON or as a stream"}
	if l.TokensPerChatbot == plan.Unlimited {
		gains = append(gains, "Any number of API tokens for each chatbot, each with its own permissions and expiry")
	} else {
		gains = append(gains, plan.Thousands(l.TokensPerChatbot)+" API tokens for each chatbot, each with its own permissions and expiry")
	}
	if l.MessagesPerMonth != plan.Unlimited {
		gains = append(gains, plan.Thousands(l.MessagesPerMonth)+" messages a month")
	}
	if l.RequestsPerMinute != plan.Unlimited {
		gains = append(gains, plan.Thousands(l.RequestsPerMinute)+" requests a minute")
	}
	return append(gains, "Code samples for curl, JavaScript and Python")
}
