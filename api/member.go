package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/chatbot"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/internal/requestline"
	"parley/internal/trace"
)

// visit is a person at the chatbot that the path names.
type visit struct {
	chatbot.Chatbot
	person tenant.Person
}

// withMember lets in a person whose role allows what the route declares. A
// chatbot that the person cannot see is NotFound, like one that does not exist.
func (a *API) withMember(d route.Declaration, handle func(*fiber.Ctx, visit) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "no-store")
		person, err := a.Person(c)
		if err != nil {
			return err
		}
		bot, membership, err := a.Chatbots.Visible(c.UserContext(), person, id.Parse(pathID(c, "id")))
		if err != nil {
			return err
		}
		requestline.Of(c).For(bot.WorkspaceID, "")
		trace.Of(c.UserContext()).Text(trace.WorkspaceID, bot.WorkspaceID)
		if err := a.Pace.Workspace(c.UserContext(), bot.WorkspaceID); err != nil {
			return err
		}
		if err := membership.May(d.Action); err != nil {
			return err
		}
		if err := requireProof(d, person); err != nil {
			return err
		}
		return handle(c, visit{bot, person})
	}
}

// inWorkspace is withMember for a path that names a workspace.
func (a *API) inWorkspace(d route.Declaration, handle func(*fiber.Ctx, tenant.Membership, tenant.Person) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "no-store")
		person, err := a.Person(c)
		if err != nil {
			return err
		}
		member, err := person.In(id.Parse(pathID(c, "workspace")))
		if err != nil {
			return err
		}
		requestline.Of(c).For(member.Workspace.ID, "")
		trace.Of(c.UserContext()).Text(trace.WorkspaceID, member.Workspace.ID)
		if err := a.Pace.Workspace(c.UserContext(), member.Workspace.ID); err != nil {
			return err
		}
		if err := member.May(d.Action); err != nil {
			return err
		}
		if err := requireProof(d, person); err != nil {
			return err
		}
		return handle(c, member, person)
	}
}

// requireProof is Forbidden on a sensitive route for a person who has not proved lately who
// they are.
func requireProof(d route.Declaration, person tenant.Person) error {
	if !d.Sensitive {
		return nil
	}
	return person.Session.CheckProof()
}

// admitAll admits every request.
func admitAll(_ route.Declaration, handle fiber.Handler) fiber.Handler { return handle }
