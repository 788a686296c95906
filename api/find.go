package api

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/insight/history"
	"parley/core/knowledge/browse"
)

// finder are the handlers of the dashboard's search.
type finder struct{ *API }

// How many of each kind are found, and how long what is looked for can be.
const (
	maxFound  = 6
	maxSought = 200
)

type findData struct {
	Found []foundWire `json:"found"`
}

// foundWire is something that a person can go to.
type foundWire struct {
	Text  string `json:"text"`
	About string `json:"about"`
	Icon  string `json:"icon"`
	URL   string `json:"url"`
}

// find looks for documents and conversations of a chatbot by a part of their
// titles, the latest first.
func (h finder) find(c *fiber.Ctx, at visit) error {
	sought := strings.TrimSpace(c.Query("q"))
	if !utf8.ValidString(sought) || utf8.RuneCountInString(sought) > maxSought {
		return fault.InField("q", "Search for at most %d characters.", maxSought)
	}
	data := findData{Found: []foundWire{}}
	if sought == "" {
		return succeed(c, data)
	}
	documents, _, err := h.Browser.Documents(c.UserContext(), at.WorkspaceID, at.ID, browse.Filter{Search: sought}, browse.Slice{Limit: maxFound})
	if err != nil {
		return err
	}
	base := "/chatbots/" + at.ID
	for _, d := range documents {
		data.Found = append(data.Found, foundWire{Text: d.Title, About: "Document of " + at.Name, Icon: "file-text", URL: base + "/knowledge/" + d.ID})
	}
	conversations, err := h.History.List(c.UserContext(), at.WorkspaceID, at.ID, history.Query{Text: sought, Limit: maxFound, Viewer: at.person.User.ID})
	if err != nil {
		return err
	}
	for _, found := range conversations.Conversations {
		data.Found = append(data.Found, foundWire{
			Text: found.Title, About: "Conversation of " + at.Name, Icon: "messages-square",
			URL: base + "/conversations/" + strconv.FormatInt(h.IDs.Conversation(found.ID), 10),
		})
	}
	return succeed(c, data)
}
