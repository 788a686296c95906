package person

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/tenant"
	views "parley/views/person"
	"parley/web/page"
)

// sessionPages are the handlers of the browsers in which a person is signed in.
type sessionPages struct{ *page.Base }

func (s sessionPages) sessionsPage(c *fiber.Ctx, person tenant.Person) error {
	sessions, err := s.Accounts.Sessions.Of(c.UserContext(), person.User.ID)
	if err != nil {
		return err
	}
	shown := make([]views.Session, len(sessions))
	for i, session := range sessions {
		shown[i] = views.Session{
			ID: session.ID, Device: session.Device(), Network: session.NetworkName(),
			LastSeenAt: session.LastSeenAt, Since: session.CreatedAt, Here: session.IsOf(s.Sessions.Secret(c)),
		}
	}
	return page.Render(c, fiber.StatusOK, views.SessionsPage(s.PersonLayout(c, person, "Your account"), shown))
}

func (s sessionPages) end(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "session")
	if err != nil {
		return err
	}
	if err := s.Accounts.Sessions.End(c.UserContext(), person.User, typed["session"]); err != nil {
		return err
	}
	return s.Flash(c, "/account/sessions", page.Message{Text: "That browser is signed out."})
}

func (s sessionPages) endOthers(c *fiber.Ctx, person tenant.Person) error {
	if err := s.Accounts.Sessions.EndOthers(c.UserContext(), person.User, s.Sessions.Secret(c)); err != nil {
		return err
	}
	return s.Flash(c, "/account/sessions", page.Message{Text: "All other browsers are signed out."})
}
