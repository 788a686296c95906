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
		APIURL: s.Address(route.V1), Upgrade: upgrade,
	}))
}

// upgradeForTokens is what a workspace is offered whose plan has no API access.
func (s tokenPages) upgradeForTokens(c *fiber.Ctx, v site.Visit) (*views.Upgrade, error) {
	plans, err := s.Tenants.Plans.All(c.UserContext())
	if err != nil {
		return nil, err
	}
	k := site.Catalogue{Plans: plans, Sold: s.Billing != nil}
	current := k.Find(v.Member.Workspace.Plan)
	better, found := k.CheapestWith(plan.FeatureAPI, current.Name)
	if current.Limits.Has(plan.FeatureAPI) || !found {
		return nil, nil
	}
	offered := &views.Upgrade{From: current.Title, Plan: string(better.Name), Title: better.Title, Next: shell.TokensURL(v.Chatbot.ID)}
	offered.Why, _ = s.WhoChanges(v)
	for _, i := range site.Intervals {
		if price := k.Price(better.Name, i.Interval); price != "" && s.Billing != nil && offered.Why == "" {
			offered.Prices = append(offered.Prices, ui.Option{Value: string(i.Interval), Text: i.Name + ", " + price})
		}
	}
	return offered, nil
}
