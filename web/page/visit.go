package page

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/internal/requestline"
	"parley/views/shell"
)

// Visit is a person in one of their workspaces, and maybe at a chatbot.
type Visit struct {
	Person  tenant.Person
	Member  tenant.Membership
	Chatbot chatbot.Chatbot
	// action is what their role was asked for.
	action tenant.Action
	// holdings are the counts that the plan limits.
	holdings []tenant.Holding
	// messages is this month's use of messages.
	messages tenant.QuotaUse
	base     *Base
}

// Anyone lets in everybody.
func (s *Base) Anyone(_ route.Declaration, handle fiber.Handler) fiber.Handler { return s.wrap(handle) }

// WithPerson lets in whoever is signed in.
func (s *Base) WithPerson(d route.Declaration, handle func(*fiber.Ctx, tenant.Person) error) fiber.Handler {
	return s.wrap(func(c *fiber.Ctx) error {
		person, err := s.Sessions.Person(c)
		if err != nil {
			return err
		}
		note(c, s.personLayout(person, s.Theme(c)))
		if asked, err := askAgain(c, d, person); asked {
			return err
		}
		return handle(c, person)
	})
}

// WithMember lets in a person whose role in the workspace that the address
// names, itself or by a chatbot, allows what the route declares.
func (s *Base) WithMember(d route.Declaration, handle func(*fiber.Ctx, Visit) error) fiber.Handler {
	enter := s.atWorkspace
	if strings.Contains(d.Path, "/:chatbot") {
		enter = s.atChatbot
	}
	return s.wrap(func(c *fiber.Ctx) error {
		person, err := s.Sessions.Person(c)
		if err != nil {
			return err
		}
		v, err := enter(c, person)
		if err != nil {
			if ending, is := s.ending(c, person); is {
				return SeeOther(c, shell.DeletionURL(ending.Workspace.ID))
			}
			note(c, s.failureLayout(c, person))
			return err
		}
		v.base, v.action = s, d.Action
		requestline.Of(c).For(v.WorkspaceID(), "")
		note(c, v.layout(c))
		if err := v.Member.May(d.Action); err != nil {
			return err
		}
		if asked, err := askAgain(c, d, person); asked {
			return err
		}
		if v, err = s.admit(c, v); err != nil {
			return err
		}
		return handle(c, v)
	})
}

// WithEnding lets in a person whose role in a workspace that is being deleted allows what
// the route declares. Of one that is not, its settings are shown.
func (s *Base) WithEnding(d route.Declaration, handle func(*fiber.Ctx, Visit) error) fiber.Handler {
	return s.wrap(func(c *fiber.Ctx) error {
		person, err := s.Sessions.Person(c)
		if err != nil {
			return err
		}
		workspaceID := id.Parse(c.Params("workspace"))
		note(c, s.failureLayout(c, person))
		member, err := person.InEnding(workspaceID)
		if fault.Is(err, fault.NotFound) {
			member, err = person.In(workspaceID)
		}
		if err != nil {
			return err
		}
		if err := member.May(d.Action); err != nil {
			return err
		}
		requestline.Of(c).For(workspaceID, "")
		if !member.Workspace.Ending() {
			return SeeOther(c, shell.SettingsURL(workspaceID))
		}
		return handle(c, Visit{Person: person, Member: member, base: s})
	})
}

// atWorkspace returns the visit to the workspace in the address.
func (s *Base) atWorkspace(c *fiber.Ctx, person tenant.Person) (Visit, error) {
	member, err := person.In(id.Parse(c.Params("workspace")))
	return Visit{Person: person, Member: member}, err
}

// atChatbot returns the visit to the chatbot in the address.
func (s *Base) atChatbot(c *fiber.Ctx, person tenant.Person) (Visit, error) {
	bot, member, err := s.Chatbots.Visible(c.UserContext(), person, id.Parse(c.Params("chatbot")))
	return Visit{Person: person, Member: member, Chatbot: bot}, err
}

// ending returns the person's membership in the workspace that the address names, itself
// or by a chatbot, if that is being deleted.
func (s *Base) ending(c *fiber.Ctx, person tenant.Person) (tenant.Membership, bool) {
	if len(person.Ending) == 0 {
		return tenant.Membership{}, false
	}
	if chatbotID := c.Params("chatbot"); chatbotID != "" {
		_, member, err := s.Chatbots.Visible(c.UserContext(), person.AmongEnding(), id.Parse(chatbotID))
		return member, err == nil
	}
	member, err := person.InEnding(id.Parse(c.Params("workspace")))
	return member, err == nil
}

// admit counts the request for the workspace, and looks whether anything of that
// is suspended.
func (s *Base) admit(c *fiber.Ctx, v Visit) (Visit, error) {
	if err := s.Pace.Workspace(c.UserContext(), v.WorkspaceID()); err != nil {
		return Visit{}, err
	}
	holdings, err := s.Tenants.Holdings.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return Visit{}, err
	}
	v.holdings = holdings
	if v.messages, err = s.Team.Quotas.Near(c.UserContext(), v.WorkspaceID()); err != nil {
		return Visit{}, err
	}
	note(c, v.layout(c))
	return v, nil
}

// Again returns a function that says whether the person may still do what the request asks
// for, also when the request has ended. It counts nothing.
func (v Visit) Again(c *fiber.Ctx) func(context.Context) error {
	again, action, workspaceID := v.base.Sessions.Again(c), v.action, v.WorkspaceID()
	return func(ctx context.Context) error {
		person, err := again(ctx)
		if err == nil {
			_, err = person.May(action, workspaceID)
		}
		return err
	}
}

func (v Visit) May(action tenant.Action) bool { return v.Member.May(action) == nil }

// MayChange is may for what a chatbot over the limit does not let anyone do.
func (v Visit) MayChange(action tenant.Action) bool {
	return v.May(action) && v.Chatbot.Writable() == nil
}

func (v Visit) WorkspaceID() string { return v.Member.Workspace.ID }

// Layout is what surrounds a page, with the message that waits for it.
func (v Visit) Layout(c *fiber.Ctx, section shell.Section, title string) shell.Layout {
	l := v.layout(c)
	l.Section, l.Title, l.Heading = section, title, title
	if v.Chatbot.ID != "" {
		l.Title = title + " – " + v.Chatbot.Name
	}
	return v.base.Sessions.withFlash(c, l)
}

func (v Visit) layout(c *fiber.Ctx) shell.Layout {
	l := v.base.personLayout(v.Person, v.base.Theme(c))
	l.Unconfirmed = l.Unconfirmed && v.Member.Role.May(tenant.Invite) == nil
	l.Workspace = shell.Workspace{ID: v.WorkspaceID(), Name: v.Member.Workspace.Name}
	l.LooksOnly, l.Audits = v.Member.OverLimit, v.May(tenant.ManageMembers)
	if use := v.messages; use.Told > 0 {
		l.Messages = shell.Messages{Used: plan.Thousands(use.Used), Included: plan.Thousands(use.Included), Near: true, AllUsed: use.Used >= use.Included}
	}
	for _, h := range v.holdings {
		l.Suspended = l.Suspended || h.OverLimit
		if h.Resource == plan.Chatbots {
			l.Chatbots = append(l.Chatbots, shell.Chatbot{ID: h.ID, Name: h.Name, OverLimit: h.OverLimit})
		}
	}
	if v.Chatbot.ID != "" {
		l.Chatbot = ChatbotToView(v.Chatbot)
	}
	return l
}

// PersonLayout is what surrounds a page of a person, with the message that waits
// for it.
func (s *Base) PersonLayout(c *fiber.Ctx, person tenant.Person, title string) shell.Layout {
	l := s.personLayout(person, s.Theme(c))
	l.Section, l.Title = shell.AccountSection, title
	return s.Sessions.withFlash(c, l)
}

// personLayout is without a message.
func (s *Base) personLayout(person tenant.Person, theme string) shell.Layout {
	return shell.Layout{Email: person.User.Email, Unconfirmed: !person.User.EmailConfirmed(), Mails: s.Letters.On(), Workspaces: workspacesToViews(person), Theme: theme, Zone: person.User.TimeZone}
}

// PlainLayout returns the layout of a page for people who are not signed in.
func (s *Base) PlainLayout(c *fiber.Ctx, title string) shell.Layout {
	return s.Sessions.withFlash(c, shell.Layout{Title: title, Theme: s.Theme(c)})
}

// layoutKey is where a request has the layout of the page that it is for, so that
// a failure is shown in it.
type layoutKey struct{}

func note(c *fiber.Ctx, l shell.Layout) { c.Locals(layoutKey{}, l) }

func notedLayout(c *fiber.Ctx) shell.Layout {
	l, _ := c.Locals(layoutKey{}).(shell.Layout)
	return l
}

func workspacesToViews(p tenant.Person) []shell.Workspace {
	var all []shell.Workspace
	for _, m := range p.Memberships {
		all = append(all, shell.Workspace{ID: m.Workspace.ID, Name: m.Workspace.Name})
	}
	for _, m := range p.Ending {
		all = append(all, shell.Workspace{ID: m.Workspace.ID, Name: m.Workspace.Name, Ending: true})
	}
	return all
}

func ChatbotToView(bot chatbot.Chatbot) shell.Chatbot {
	return shell.Chatbot{ID: bot.ID, Name: bot.Name, OverLimit: bot.OverLimit, CreatedAt: bot.CreatedAt}
}
