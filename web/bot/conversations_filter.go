package bot

import (
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/web/page"
)

// chooses are the inputs that choose conversations, in the address.
var chooses = []string{"q", "from", "to", "user", "outcome", "rating", "token", "origin"}

// queryOf reads the filters. What is no day, no outcome and no identifier chooses
// nothing in particular.
func (s conversationPages) queryOf(c *fiber.Ctx, v page.Visit) (query history.Query, typed url.Values) {
	typed = url.Values{}
	for _, name := range chooses {
		if value := strings.TrimSpace(c.Query(name)); value != "" {
			typed.Set(name, value)
		}
	}
	query = history.Query{
		Text: typed.Get("q"), ExternalUserID: typed.Get("user"), TokenID: typed.Get("token"), Viewer: v.Person.User.ID,
	}
	query.From, _ = time.Parse(time.DateOnly, typed.Get("from"))
	query.To, _ = time.Parse(time.DateOnly, typed.Get("to"))
	switch outcome := chat.Outcome(typed.Get("outcome")); outcome {
	case chat.Answered, chat.NoAnswer, chat.OutcomeFailed, chat.OutcomeStopped, chat.OutcomeInterrupted:
		query.Outcome = outcome
	}
	switch typed.Get("rating") {
	case "up":
		query.Rating = insight.ThumbUp
	case "down":
		query.Rating = insight.ThumbDown
	}
	if typed.Get("origin") == string(chat.Playground) {
		query.Origin = chat.Playground
	}
	return query, typed
}

// withQuery returns an address with the filters and further parameters.
func withQuery(base string, typed url.Values, more ...string) string {
	all := url.Values{}
	for name, values := range typed {
		all[name] = values
	}
	for i := 0; i+1 < len(more); i += 2 {
		all.Set(more[i], more[i+1])
	}
	if len(all) == 0 {
		return base
	}
	return base + "?" + all.Encode()
}
