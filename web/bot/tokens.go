package bot

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/route"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/site"
)

// tokenPages are the handlers of a chatbot's API tokens.
type tokenPages struct{ *site.Site }

func (s tokenPages) tokensPage(c *fiber.Ctx, v site.Visit) error {
	upgrade, err := s.upgradeForTokens(c, v)
	if err != nil {
		return err
	}
	s.LetPay(c)
	return site.Render(c, fiber.StatusOK, views.TokensPage(v.Layout(c, shell.TokensSection, "API tokens"), views.Tokens{
		MayManage: v.May(tenant.ManageTokens), MayCreate: v.MayChange(tenant.ManageTokens),
		APIURL: s.Address(route.V1), TimeZone: v.Person.User.TimeZone, Upgrade: upgrade,
	}))
}

// upgradeForTokens is what a workspace is offered whose plan has no API access.
func (s tokenPages) upgradeForTokens(c *fiber.Ctx, v site.Visit) (*views.Upgrade, error) {
	plans, err := s.Tenants.Plans.All(c.UserContext())
	if err != nil {
		return nil, err
	}
	k := site.Catalog{Plans: plans, Sold: s.Billing != nil}
	current := k.Find(v.Member.Workspace.Plan)
	if current.Limits.Has(plan.FeatureAPI) {
		return nil, nil
	}
	better, found := k.CheapestWith(plan.FeatureAPI, current.Name)
	if !found { // nothing is sold
		better = k.Find(plan.APIFrom)
	}
	offered := &views.Upgrade{
		From: current.Title, Plan: string(better.Name), Title: better.Title, Next: shell.TokensURL(v.Chatbot.ID),
		Gains: gainsOfAPI(better.Limits), Price: k.Price(better.Name, plan.Monthly),
	}
	offered.Why, _ = s.WhoChanges(v)
	for _, i := range site.Intervals {
		if price := k.Price(better.Name, i.Interval); found && price != "" && s.Billing != nil && offered.Why == "" {
			offered.Prices = append(offered.Prices, ui.Option{Value: string(i.Interval), Text: i.Name + ", " + price})
		}
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
