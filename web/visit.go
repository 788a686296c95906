package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views"
)

// visit is a person in one of their workspaces, and maybe at a chatbot.
type visit struct {
	person  tenant.Person
	member  tenant.Membership
	chatbot chatbot.Chatbot
}

// toWorkspace returns the visit to the workspace in the address, if the
// person's role allows the action.
func (s *site) toWorkspace(c *fiber.Ctx, action tenant.Action) (visit, error) {
	person, err := s.Sessions.Person(c)
	if err != nil {
		return visit{}, err
	}
	member, err := person.May(action, id.Given(c.Params("workspace")))
	return visit{person: person, member: member}, err
}

// toChatbot is toWorkspace for the chatbot in the address.
func (s *site) toChatbot(c *fiber.Ctx, action tenant.Action) (visit, error) {
	person, err := s.Sessions.Person(c)
	if err != nil {
		return visit{}, err
	}
	bot, member, err := s.Chatbots.Visible(c.UserContext(), person, id.Given(c.Params("chatbot")))
	if err != nil {
		return visit{}, err
	}
	return visit{person: person, member: member, chatbot: bot}, member.Role.May(action)
}

func (v visit) may(action tenant.Action) bool { return v.member.Role.May(action) == nil }

func (v visit) workspaceID() string { return v.member.Workspace.ID }

func (v visit) layout(c *fiber.Ctx, section views.Section, title string) views.Layout {
	l := views.Layout{
		Title: title, Notice: notice(c), Section: section, Email: v.person.User.Email,
		Workspace: views.Workspace{ID: v.workspaceID(), Name: v.member.Workspace.Name},
	}
	for _, m := range v.person.Memberships {
		l.Workspaces = append(l.Workspaces, views.Workspace{ID: m.Workspace.ID, Name: m.Workspace.Name})
	}
	if v.chatbot.ID != "" {
		l.Chatbot = chatbotView(v.chatbot)
		l.Title = title + " – " + v.chatbot.Name
	}
	return l
}

func chatbotView(bot chatbot.Chatbot) views.Chatbot {
	return views.Chatbot{ID: bot.ID, Name: bot.Name, CreatedAt: bot.CreatedAt}
}
