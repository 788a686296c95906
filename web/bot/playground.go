package bot

import (
	"cmp"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// playgroundPages are the handlers of the page where members try their chatbot. Its
// script asks by the routes of package api.
type playgroundPages struct{ *page.Base }

// draftInputs are the inputs of a draft.
var draftInputs = []string{"instructions", "no_answer", "provider_id", "model", "grounding", "temperature"}

func (s playgroundPages) playgroundPage(c *fiber.Ctx, v page.Visit) error {
	shown := page.Form{"instructions": v.Chatbot.Instructions, "no_answer": v.Chatbot.NoAnswer}
	answers := page.Form{}
	fillAnswering(answers, v.Chatbot.Answering)
	for _, name := range draftInputs[2:] {
		shown[name] = answers[name]
	}
	return s.showPlayground(c, v, fiber.StatusOK, shown.View(), v.Chatbot.Settings().Fingerprint())
}

func (s playgroundPages) showPlayground(c *fiber.Ctx, v page.Visit, status int, draft ui.Form, seen string) error {
	in, err := s.Tenants.Plans.All(c.UserContext())
	if err != nil {
		return err
	}
	limits := page.Catalog{Plans: in}.Find(v.Member.Workspace.Plan).Limits
	counts, err := s.Browser.Counts(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Filter{})
	if err != nil {
		return err
	}
	m := views.Playground{
		Ready: counts[knowledge.Ready], Welcome: v.Chatbot.Welcome,
		MayTry: v.MayChange(tenant.Try), MayAdd: v.MayChange(tenant.EditKnowledge), MayDraft: v.MayChange(tenant.ManageChatbots),
		Draft: draft, Refused: draft.Message != "", Seen: seen, MaxChars: limits.MessageChars,
		Code: views.Samples(s.Address(route.V1), "QUESTION", "FORMAT"), HasAPI: limits.Has(plan.FeatureAPI),
	}
	if included := limits.PlaygroundPerMonth; included != plan.Unlimited {
		left, err := triedLeft(c, s.Base, v, included)
		if err != nil {
			return err
		}
		m.Left, m.LeftNumber, m.Included = plan.Thousands(left), strconv.Itoa(left), plan.Thousands(included)
	}
	for state, n := range counts {
		if state != knowledge.Removing {
			m.Documents += n
		}
	}
	if m.MayDraft {
		m.Answering, err = settingsPages(s).answeringChoices(c, v)
		if err != nil {
			return err
		}
	}
	return page.Render(c, status, views.PlaygroundPage(v.Layout(c, shell.PlaygroundSection, "Playground"), m))
}

// triedLeft is how many of the playground questions that the plan includes in a month
// are left.
func triedLeft(c *fiber.Ctx, s *page.Base, v page.Visit, included int) (int, error) {
	asked, err := s.Tenants.Holdings.Tried(c.UserContext(), v.WorkspaceID())
	return max(0, included-asked), err
}

// publish saves the settings of a draft, unless somebody has changed the live ones
// since they were seen.
func (s playgroundPages) publish(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, append([]string{"seen"}, draftInputs...)...)
	if err != nil {
		return err
	}
	seen := typed["seen"]
	delete(typed, "seen")
	draft := chatbot.Draft{}
	instructions, noAnswer, grounding := typed["instructions"], typed["no_answer"], chatbot.Grounding(cmp.Or(typed["grounding"], string(chatbot.Open)))
	draft.Instructions, draft.NoAnswer, draft.Grounding = &instructions, &noAnswer, &grounding
	draft.Model = &chatbot.ModelChoice{ProviderID: chosenProvider(typed["provider_id"]), Name: typed["model"]}
	temperature, err := fraction(typed, "temperature")
	if err == nil {
		draft.Temperature = &temperature
		err = s.Chatbots.UpdateFrom(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, seen, draft.Over(v.Chatbot.Settings()), v.Person.Session.CheckProof())
	}
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return s.showPlayground(c, v, status, f, seen)
		})
	}
	return s.Flash(c, shell.PlaygroundURL(v.Chatbot.ID), page.Message{Text: "Published. Your chatbot answers with these settings now."})
}
