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
	// resting says that something of the workspace is over a limit.
	resting bool
}

// toWorkspace returns the visit to the workspace in the address, if the
// person's role allows the action.
func (s *site) toWorkspace(c *fiber.Ctx, action tenant.Action) (visit, error) {
	person, err := s.Sessions.Person(c)
	if err != nil {
		return visit{}, err
	}
	member, err := person.May(action, id.Given(c.Params("workspace")))
	if err != nil {
		return visit{}, err
	}
	return s.arrive(c, visit{person: person, member: member})
}

// arrive counts the request for the workspace, and looks whether anything of
// that rests.
func (s *site) arrive(c *fiber.Ctx, v visit) (visit, error) {
	if err := s.Pace.Workspace(c.UserContext(), v.workspaceID()); err != nil {
		return visit{}, err
	}
	holdings, err := s.Tenants.Holdings(c.UserContext(), v.workspaceID())
	v.resting = resting(holdings)
	return v, err
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
	if err := member.May(action); err != nil {
		return visit{}, err
	}
	return s.arrive(c, visit{person: person, member: member, chatbot: bot})
}

func (v visit) may(action tenant.Action) bool { return v.member.May(action) == nil }

// mayChange is may for what a chatbot over the limit does not let anyone do.
func (v visit) mayChange(action tenant.Action) bool {
	return v.may(action) && v.chatbot.Writable() == nil
}

func (v visit) workspaceID() string { return v.member.Workspace.ID }

func (v visit) layout(c *fiber.Ctx, section views.Section, title string) views.Layout {
	l := views.Layout{
		Title: title, Notice: notice(c), Section: section, Email: v.person.User.Email,
		Workspace:  views.Workspace{ID: v.workspaceID(), Name: v.member.Workspace.Name},
		Workspaces: workspaceViews(v.person), Resting: v.resting, LooksOnly: v.member.OverLimit,
	}
	if v.chatbot.ID != "" {
		l.Chatbot = chatbotView(v.chatbot)
		l.Title = title + " – " + v.chatbot.Name
	}
	return l
}

func workspaceViews(p tenant.Person) []views.Workspace {
	var all []views.Workspace
	for _, m := range p.Memberships {
		all = append(all, views.Workspace{ID: m.Workspace.ID, Name: m.Workspace.Name})
	}
	return all
}

func chatbotView(bot chatbot.Chatbot) views.Chatbot {
	return views.Chatbot{ID: bot.ID, Name: bot.Name, OverLimit: bot.OverLimit, CreatedAt: bot.CreatedAt}
}
