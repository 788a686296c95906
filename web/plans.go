package web

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/views"
)

const byOperator = "Plans are changed by the operator of this server."

func (s *site) plansPage(c *fiber.Ctx) error {
	v, err := s.toWorkspace(c, tenant.Read)
	if err != nil {
		return err
	}
	return s.showPlans(c, v, fiber.StatusOK, views.Form{})
}

func (s *site) showPlans(c *fiber.Ctx, v visit, status int, f views.Form) error {
	plans, err := s.Tenants.Plans(c.UserContext())
	if err != nil {
		return err
	}
	m := comparison(plans, v.member.Workspace.Plan)
	m.Form = f
	switch {
	case !s.PlanChanges:
		m.Why = byOperator
	case !v.may(tenant.ChangePlan):
		m.Why = "An owner of the workspace can change the plan."
	default:
		m.MayChange = true
	}
	return render(c, status, views.PlansPage(v.layout(c, views.PlanSection, "Plan"), m))
}

func (s *site) changePlan(c *fiber.Ctx) error {
	v, err := s.toWorkspace(c, tenant.ChangePlan)
	if err != nil {
		return err
	}
	if !s.PlanChanges {
		return fault.New(fault.Forbidden, byOperator)
	}
	typed, err := readForm(c, "plan")
	if err != nil {
		return err
	}
	if err := s.Tenants.SetPlan(c.UserContext(), v.workspaceID(), plan.Name(typed["plan"])); err != nil {
		return form{}.again(c, err, func(status int, f views.Form) error { return s.showPlans(c, v, status, f) })
	}
	return done(c, views.PlanURL(v.workspaceID()), "plan")
}

// limits are the rows of the comparison.
var limits = []struct {
	name   string
	amount func(plan.Limits) string
}{
	{"Chatbots", func(l plan.Limits) string { return amount(l.Chatbots) }},
	{"Members", func(l plan.Limits) string { return amount(l.Members) }},
	{"Characters of knowledge", func(l plan.Limits) string { return amount(l.KnowledgeChars) }},
	{"Characters of a message", func(l plan.Limits) string { return amount(l.MessageChars) }},
	{"API tokens of a chatbot", func(l plan.Limits) string {
		if !l.APIAccess {
			return "No API access"
		}
		return amount(l.TokensPerChatbot)
	}},
}

func comparison(plans []plan.Plan, current plan.Name) views.Plans {
	var m views.Plans
	for _, p := range plans {
		m.Plans = append(m.Plans, views.Plan{Name: string(p.Name), Title: p.Title, Current: p.Name == current})
	}
	for _, limit := range limits {
		row := views.Limit{Name: limit.name}
		for _, p := range plans {
			row.Amounts = append(row.Amounts, limit.amount(p.Limits))
		}
		m.Limits = append(m.Limits, row)
	}
	return m
}

func amount(limit int) string {
	if limit == plan.Unlimited {
		return "Unlimited"
	}
	return thousands(limit)
}

// thousands writes a number of at least 0 with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
