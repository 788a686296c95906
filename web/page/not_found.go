package page

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views/shell"
)

// NotFound answers addresses without a route. People who are signed in get the error inside
// the shell, and programs the answer of the router.
func (s *Base) NotFound(c *fiber.Ctx) error {
	err := c.Next()
	if err == nil || strings.HasPrefix(c.Path(), route.API) {
		return err
	}
	return s.wrap(func(c *fiber.Ctx) error {
		person, unknown := s.Sessions.Caller(c)
		switch {
		case fault.Is(unknown, fault.Unauthenticated):
			return err
		case unknown != nil:
			return unknown
		}
		note(c, s.failureLayout(c, person))
		return err
	})(c)
}

// failureLayout returns the layout of a failure before the visit is known: of the workspace
// or chatbot in the address, if the person belongs there, or else of their first workspace,
// where the start page leads, too.
func (s *Base) failureLayout(c *fiber.Ctx, person tenant.Person) shell.Layout {
	if len(person.Memberships) == 0 {
		return s.personLayout(person, s.Theme(c))
	}
	v := Visit{Person: person, Member: person.Memberships[0], base: s}
	kind, rest, _ := strings.Cut(strings.TrimPrefix(c.Path(), "/"), "/")
	named, _, _ := strings.Cut(rest, "/")
	switch kind {
	case "workspaces":
		if member, err := person.In(id.Parse(named)); err == nil {
			v.Member = member
		}
	case "chatbots":
		if bot, member, err := s.Chatbots.Visible(c.UserContext(), person, id.Parse(named)); err == nil {
			v.Chatbot, v.Member = bot, member
		}
	}
	return v.layout(c)
}
