package bot

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/insight/stats"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// overviewPages are the handlers of a chatbot's first page.
type overviewPages struct{ *page.Base }

const (
	// overviewDays is how many days the page sums up.
	overviewDays = 7
	// newestGaps is how many open questions the page groups, and gapsShown how many
	// groups it has.
	newestGaps = 200
	gapsShown  = 5
)

func (s overviewPages) overviewPage(c *fiber.Ctx, v page.Visit) error {
	asked, byAPI, err := s.Insight.History.Asked(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	m := views.Overview{Improve: shell.ImproveURL(v.Chatbot.ID), MayEdit: v.MayChange(tenant.EditKnowledge)}
	if m.Offer, err = s.offer(c, v); err != nil {
		return err
	}
	if m.Steps, err = s.steps(c, v, asked, byAPI, m.Offer); err != nil {
		return err
	}
	if byAPI {
		m.Offer = nil
		if m.Week, err = s.week(c, v); err != nil {
			return err
		}
	}
	if asked {
		if err := s.topGaps(c, v, &m); err != nil {
			return err
		}
	}
	return page.Render(c, fiber.StatusOK, views.OverviewPage(v.Layout(c, shell.OverviewSection, "Overview"), m))
}

// steps are ticked by what really happened: something is ready, somebody asked, a
// program asked with a token.
func (s overviewPages) steps(c *fiber.Ctx, v page.Visit, asked, byAPI bool, offer *views.Offer) ([]views.Step, error) {
	counts, err := s.Browser.Counts(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Filter{States: []knowledge.State{knowledge.Ready}})
	if err != nil {
		return nil, err
	}
	id := v.Chatbot.ID
	deploy := views.Step{Title: "Deploy it", Text: "Connect your program with an API token.", Button: "Deploy", Icon: "rocket", URL: shell.DeployURL(id), Done: byAPI}
	if offer != nil && !byAPI {
		deploy.Text, deploy.Button, deploy.Later = "Optional: API access starts with "+offer.Title+".", "See API access", true
	}
	return []views.Step{
		{Title: "Add knowledge", Text: "Drop files or paste an address. The chatbot answers from them.", Button: "Add knowledge", Icon: "book-open", URL: shell.WelcomeURL(id), Done: counts[knowledge.Ready] > 0},
		{Title: "Ask it something", Text: "Try it in the playground, and see where each answer is from.", Button: "Open the playground", Icon: "message-circle", URL: shell.PlaygroundURL(id), Done: asked},
		deploy,
	}, nil
}

// offer is nil for a plan with API access.
func (s overviewPages) offer(c *fiber.Ctx, v page.Visit) (*views.Offer, error) {
	upgrade, err := tokenPages(s).upgradeForTokens(c, v, shell.DeployURL(v.Chatbot.ID))
	if err != nil || upgrade == nil {
		return nil, err
	}
	return &views.Offer{Title: upgrade.Title, URL: shell.DeployURL(v.Chatbot.ID)}, nil
}

// week sums up the last days.
func (s overviewPages) week(c *fiber.Ctx, v page.Visit) (*views.Week, error) {
	r := s.Insight.Reports.Last(overviewDays)
	report, err := s.Insight.Reports.Sums(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, r)
	if err != nil {
		return nil, err
	}
	return weekToView(v, report), nil
}

func weekToView(v page.Visit, report stats.Report) *views.Week {
	now, before := report.Total, report.Before
	labels, days := bucketed(report.Days)
	return &views.Week{
		Any: now.Questions > 0, Analytics: shell.AnalyticsURL(v.Chatbot.ID) + "?days=7",
		About: "Compared with the 7 days before. Days begin at midnight UTC. The playground is left out.",
		Tiles: []ui.Stat{
			amount("Conversations", now.Conversations, before.Conversations),
			share("Answered", now.AnsweredShare, before.AnsweredShare),
			share("Satisfaction", now.Satisfaction, before.Satisfaction),
			duration("Time to first token, median", now.P50, before.P50),
		},
		Chart: ui.Chart{ID: "questions", Title: "Questions a day", Labels: labels, Stacked: true, Series: questionsOf(v, report.Range, report.Range.To, days)},
	}
}

// topGaps are the largest groups of the newest open questions.
func (s overviewPages) topGaps(c *fiber.Ctx, v page.Visit, m *views.Overview) error {
	groups, err := s.Insight.Gaps.Newest(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, newestGaps)
	if err != nil || len(groups) == 0 {
		return err
	}
	open, err := s.Insight.Gaps.Count(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	m.Open = "See the open question in Improve"
	if open > 1 {
		m.Open = "See all " + plan.Thousands(open) + " open questions in Improve"
	}
	for _, group := range groups[:min(len(groups), gapsShown)] {
		m.Gaps = append(m.Gaps, improvePages(s).groupToView(v.Chatbot.ID, m.Improve, group))
	}
	return nil
}
