package site

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/internal/route"
	"parley/views/shell"
)

// Visit is a person in one of their workspaces, and maybe at a chatbot.
type Visit struct {
	Person  tenant.Person
	Member  tenant.Membership
	Chatbot chatbot.Chatbot
	// suspended says that something of the workspace is over a limit.
	suspended bool
}

// Anyone lets in everybody.
func (s *Site) Anyone(_ route.Declaration, handle fiber.Handler) fiber.Handler { return s.page(handle) }

// WithPerson lets in whoever is signed in.
func (s *Site) WithPerson(_ route.Declaration, handle func(*fiber.Ctx, tenant.Person) error) fiber.Handler {
	return s.page(func(c *fiber.Ctx) error {
		person, err := s.Sessions.Person(c)
		if err != nil {
			return err
		}
		return handle(c, person)
	})
}

// WithMember lets in a person whose role in the workspace that the address
// names, itself or by a chatbot, allows what the route declares.
func (s *Site) WithMember(d route.Declaration, handle func(*fiber.Ctx, Visit) error) fiber.Handler {
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
		if err := v.Member.May(d.Action); err != nil {
			return err
		}
		if v, err = s.arrive(c, v); err != nil {
			return err
		}
		return handle(c, v)
	})
}

// toWorkspace returns the visit to the workspace in the address.
func (s *Site) toWorkspace(c *fiber.Ctx, person tenant.Person) (Visit, error) {
	member, err := person.In(id.Given(c.Params("workspace")))
	return Visit{Person: person, Member: member}, err
}

// toChatbot returns the visit to the chatbot in the address.
func (s *Site) toChatbot(c *fiber.Ctx, person tenant.Person) (Visit, error) {
	bot, member, err := s.Chatbots.Visible(c.UserContext(), person, id.Given(c.Params("chatbot")))
	return Visit{Person: person, Member: member, Chatbot: bot}, err
}

// arrive counts the request for the workspace, and looks whether anything of
// that is suspended.
func (s *Site) arrive(c *fiber.Ctx, v Visit) (Visit, error) {
	if err := s.Pace.Workspace(c.UserContext(), v.WorkspaceID()); err != nil {
		return Visit{}, err
	}
	holdings, err := s.Tenants.Holdings.List(c.UserContext(), v.WorkspaceID())
	v.suspended = anySuspended(holdings)
	return v, err
}

func (v Visit) May(action tenant.Action) bool { return v.Member.May(action) == nil }

// MayChange is may for what a chatbot over the limit does not let anyone do.
func (v Visit) MayChange(action tenant.Action) bool {
	return v.May(action) && v.Chatbot.Writable() == nil
}

func (v Visit) WorkspaceID() string { return v.Member.Workspace.ID }

func (v Visit) Layout(c *fiber.Ctx, section shell.Section, title string) shell.Layout {
	l := shell.Layout{
		Title: title, Notice: Notice(c), Section: section, Email: v.Person.User.Email,
		Workspace:  shell.Workspace{ID: v.WorkspaceID(), Name: v.Member.Workspace.Name},
		Workspaces: WorkspacesToViews(v.Person), Suspended: v.suspended, LooksOnly: v.Member.OverLimit,
	}
	if v.Chatbot.ID != "" {
		l.Chatbot = ChatbotToView(v.Chatbot)
		l.Title = title + " – " + v.Chatbot.Name
	}
	return l
}

func WorkspacesToViews(p tenant.Person) []shell.Workspace {
	var all []shell.Workspace
	for _, m := range p.Memberships {
		all = append(all, shell.Workspace{ID: m.Workspace.ID, Name: m.Workspace.Name})
	}
	return all
}

func ChatbotToView(bot chatbot.Chatbot) shell.Chatbot {
	return shell.Chatbot{ID: bot.ID, Name: bot.Name, OverLimit: bot.OverLimit, CreatedAt: bot.CreatedAt}
}

// anySuspended reports whether anything is over a limit.
func anySuspended(holdings []tenant.Holding) bool {
	for _, h := range holdings {
		if h.OverLimit {
			return true
		}
	}
	return false
}
