package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/route"
	"parley/views"
)

// tokenPages are the handlers of a chatbot's API tokens.
type tokenPages struct{ *site }

func (s tokenPages) tokensPage(c *fiber.Ctx, v visit) error {
	upgrade, err := s.upgradeForTokens(c, v)
	if err != nil {
		return err
	}
	s.letPay(c)
	return render(c, fiber.StatusOK, views.TokensPage(v.layout(c, views.TokensSection, "API tokens"), views.Tokens{
		MayManage: v.may(tenant.ManageTokens), MayCreate: v.mayChange(tenant.ManageTokens),
		APIURL: s.address(route.V1), Upgrade: upgrade,
	}))
}

// upgradeForTokens is what a workspace is offered whose plan has no API access.
func (s tokenPages) upgradeForTokens(c *fiber.Ctx, v visit) (*views.Upgrade, error) {
	plans, err := s.Tenants.Plans.All(c.UserContext())
	if err != nil {
		return nil, err
	}
	k := catalogue{plans: plans, sold: s.Billing != nil}
	current := k.find(v.member.Workspace.Plan)
	better, found := k.cheapestWith(plan.FeatureAPI, current.Name)
	if current.Limits.Has(plan.FeatureAPI) || !found {
		return nil, nil
	}
	offered := &views.Upgrade{From: current.Title, Plan: string(better.Name), Title: better.Title, Next: views.TokensURL(v.chatbot.ID)}
	offered.Why, _ = s.whoChanges(v)
	for _, i := range intervals {
		if price := k.price(better.Name, i.interval); price != "" && s.Billing != nil && offered.Why == "" {
			offered.Prices = append(offered.Prices, views.Choice{Value: string(i.interval), Text: i.name + ", " + price})
		}
	}
	return offered, nil
}

// address of a path for people outside.
func (d Deps) address(path string) string { return strings.TrimRight(d.BaseURL, "/") + path }
