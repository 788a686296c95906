package bot

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/insight/history"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/web/site"
)

// overviewPages are the handlers of a chatbot's first page.
type overviewPages struct{ *site.Site }

func (s overviewPages) overviewPage(c *fiber.Ctx, v site.Visit) error {
	steps, err := s.steps(c, v)
	if err != nil {
		return err
	}
	return site.Render(c, fiber.StatusOK, views.OverviewPage(v.Layout(c, shell.OverviewSection, "Overview"), views.Overview{Steps: steps}))
}

// steps are ticked by what really happened: something is ready, somebody asked in
// the playground, a program used a token.
func (s overviewPages) steps(c *fiber.Ctx, v site.Visit) ([]views.Step, error) {
	counts, err := s.Browser.Counts(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Filter{States: []knowledge.State{knowledge.Ready}})
	if err != nil {
		return nil, err
	}
	tried, err := s.History.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, history.Query{Origin: chat.Playground, Viewer: v.Person.User.ID, Limit: 1})
	if err != nil {
		return nil, err
	}
	tokens, err := s.Chatbots.Tokens.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return nil, err
	}
	id := v.Chatbot.ID
	return []views.Step{
		{Title: "Add knowledge", Text: "Drop files or paste an address. The chatbot answers from them.", Button: "Add knowledge", Icon: "book-open", URL: shell.WelcomeURL(id), Done: counts[knowledge.Ready] > 0},
		{Title: "Ask it something", Text: "Try it in the playground, and see where each answer is from.", Button: "Open the playground", Icon: "message-circle", URL: shell.PlaygroundURL(id), Done: len(tried.Conversations) > 0},
		{Title: "Deploy it", Text: "Connect your program with an API token.", Button: "Deploy", Icon: "rocket", URL: shell.DeployURL(id), Done: anyUsed(tokens)},
	}, nil
}

func anyUsed(tokens []chatbot.Token) bool {
	for _, t := range tokens {
		if t.LastUsedAt != nil {
			return true
		}
	}
	return false
}
