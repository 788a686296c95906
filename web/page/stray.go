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

// Stray answers addresses that no route has, for whoever is signed in with the
// shell around it, so that they find on. Programs get what the router says.
func (s *Base) Stray(c *fiber.Ctx) error {
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
		note(c, s.lost(c, person))
		return err
	})(c)
}

// lost is what surrounds the page of a failure before the visit is known: the
// workspace or the chatbot that the address names, if the person belongs there,
// and their first workspace otherwise, where the start page leads, too.
func (s *Base) lost(c *fiber.Ctx, person tenant.Person) shell.Layout {
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
