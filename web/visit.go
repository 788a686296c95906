package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/internal/route"
	"parley/views"
)

// visit is a person in one of their workspaces, and maybe at a chatbot.
type visit struct {
	person  tenant.Person
	member  tenant.Membership
	chatbot chatbot.Chatbot
	// suspended says that something of the workspace is over a limit.
	suspended bool
}

// anyone lets in everybody.
func (s *site) anyone(_ route.Declaration, handle fiber.Handler) fiber.Handler { return s.page(handle) }

// withPerson lets in whoever is signed in.
func (s *site) withPerson(_ route.Declaration, handle func(*fiber.Ctx, tenant.Person) error) fiber.Handler {
	return s.page(func(c *fiber.Ctx) error {
		person, err := s.Sessions.Person(c)
		if err != nil {
			return err
		}
		return handle(c, person)
	})
}

// withMember lets in a person whose role in the workspace that the address
// names, itself or by a chatbot, allows what the route declares.
func (s *site) withMember(d route.Declaration, handle func(*fiber.Ctx, visit) error) fiber.Handler {
	enter := s.toWorkspace
	if strings.Contains(d.Path, "/:chatbot") {
		enter = s.toChatbot
	}
	return s.page(func(c *fiber.Ctx) error {
		person, err := s.Sessions.Person(c)
		if err != nil {
			return err
		}
		v, err := enter(c, person)
		if err != nil {
			return err
		}
		if err := v.member.May(d.Action); err != nil {
			return err
		}
		if v, err = s.arrive(c, v); err != nil {
			return err
		}
		return handle(c, v)
	})
}

// toWorkspace returns the visit to the workspace in the address.
func (s *site) toWorkspace(c *fiber.Ctx, person tenant.Person) (visit, error) {
	member, err := person.In(id.Given(c.Params("workspace")))
	return visit{person: person, member: member}, err
}

// toChatbot returns the visit to the chatbot in the address.
func (s *site) toChatbot(c *fiber.Ctx, person tenant.Person) (visit, error) {
	bot, member, err := s.Chatbots.Visible(c.UserContext(), person, id.Given(c.Params("chatbot")))
	return visit{person: person, member: member, chatbot: bot}, err
}

// arrive counts the request for the workspace, and looks whether anything of
// that is suspended.
func (s *site) arrive(c *fiber.Ctx, v visit) (visit, error) {
	if err := s.Pace.Workspace(c.UserContext(), v.workspaceID()); err != nil {
		return visit{}, err
	}
	holdings, err := s.Tenants.Holdings.List(c.UserContext(), v.workspaceID())
	v.suspended = anySuspended(holdings)
	return v, err
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
		Workspaces: workspacesToViews(v.person), Suspended: v.suspended, LooksOnly: v.member.OverLimit,
	}
	if v.chatbot.ID != "" {
		l.Chatbot = chatbotToView(v.chatbot)
		l.Title = title + " – " + v.chatbot.Name
	}
	return l
}

func workspacesToViews(p tenant.Person) []views.Workspace {
	var all []views.Workspace
	for _, m := range p.Memberships {
		all = append(all, views.Workspace{ID: m.Workspace.ID, Name: m.Workspace.Name})
	}
	return all
}

func chatbotToView(bot chatbot.Chatbot) views.Chatbot {
	return views.Chatbot{ID: bot.ID, Name: bot.Name, OverLimit: bot.OverLimit, CreatedAt: bot.CreatedAt}
}
