package api

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/find"
	"parley/core/tenant"
)

// finder are the handlers of the dashboard's search.
type finder struct{ *API }

type findData struct {
	Found []foundData `json:"found"`
}

// foundData is something that a person can go to.
type foundData struct {
	Text  string `json:"text"`
	About string `json:"about"`
	Icon  string `json:"icon"`
	URL   string `json:"url"`
}

// find looks for chatbots, documents and conversations of a workspace by a part
// of their names, the latest first. Those of the chatbot that the query names
// come before others.
func (h finder) find(c *fiber.Ctx, at tenant.Membership, person tenant.Person) error {
	found, err := h.Finder.Find(c.UserContext(), at.Workspace.ID, find.Query{Text: c.Query("q"), ChatbotID: c.Query("chatbot"), Viewer: person.User.ID})
	if err != nil {
		return err
	}
	data := findData{Found: []foundData{}}
	for _, bot := range found.Chatbots {
		data.Found = append(data.Found, foundData{Text: bot.Name, About: "Chatbot", Icon: "bot", URL: "/chatbots/" + bot.ID})
	}
	for _, d := range found.Documents {
		data.Found = append(data.Found, foundData{
			Text: d.Title, About: "Document of " + found.Names[d.ChatbotID], Icon: "file-text",
			URL: "/chatbots/" + d.ChatbotID + "/knowledge/" + d.ID,
		})
	}
	for _, talk := range found.Conversations {
		data.Found = append(data.Found, foundData{
			Text: talk.Title, About: "Conversation of " + found.Names[talk.ChatbotID], Icon: "messages-square",
			URL: "/chatbots/" + talk.ChatbotID + "/conversations/" + strconv.FormatInt(h.IDs.Conversation(talk.ID), 10),
		})
	}
	return succeed(c, data)
}
