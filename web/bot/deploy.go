package bot

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/web/page"
)

// deployPages are the handlers of the page that tells how a chatbot gets into a
// program.
type deployPages struct{ *page.Base }

// someQuestion is asked where the knowledge suggests none.
const someQuestion = "What can you help me with?"

func (s deployPages) deployPage(c *fiber.Ctx, v page.Visit) error {
	upgrade, err := tokenPages(s).upgradeForTokens(c, v, shell.DeployURL(v.Chatbot.ID))
	if err != nil {
		return err
	}
	tokens, err := s.Chatbots.Tokens.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	greeting, err := s.Browser.Greeting(c.UserContext(), v.Chatbot)
	if err != nil {
		return err
	}
	m := views.Deploy{Upgrade: upgrade, MayCreate: v.MayChange(tenant.CreateTokens), APIURL: s.Address(route.V1), Question: someQuestion}
	if len(greeting.SuggestedQuestions) > 0 {
		m.Question = greeting.SuggestedQuestions[0]
	}
	m.Tokens, m.LastUsed = tokenSummary(tokens, s.now())
	m.Code = views.Samples(m.APIURL, shellQuoted(m.Question), `"markdown"`)
	return page.Render(c, fiber.StatusOK, views.DeployPage(v.Layout(c, shell.DeploySection, "Deploy"), m))
}

func (s deployPages) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// shellQuoted writes a question as it stands in JSON, and between the quotation marks of a
// shell, too.
func shellQuoted(question string) string {
	written, err := json.Marshal(question)
	if err != nil {
		return `"Hello"`
	}
	return strings.ReplaceAll(string(written), "'", `\u0027`)
}

// tokenSummary says how many tokens work, and when one was used last.
func tokenSummary(tokens []chatbot.Token, now time.Time) (text string, lastUsed *time.Time) {
	n := 0
	for _, t := range tokens {
		if t.Status(now) != chatbot.TokenActive || t.OverLimit {
			continue
		}
		n++
		if at := t.LastUsedAt; at != nil && (lastUsed == nil || at.After(*lastUsed)) {
			lastUsed = at
		}
	}
	switch n {
	case 0:
		return "No token yet.", nil
	case 1:
		return "1 active token", lastUsed
	}
	return plan.Thousands(n) + " active tokens", lastUsed
}
