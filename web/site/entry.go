package site

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/fault"
)

// SignedIn reports whether the browser has a session.
func (s *Site) SignedIn(c *fiber.Ctx) (bool, error) {
	_, err := s.Sessions.Person(c)
	if fault.Is(err, fault.Unauthenticated) {
		return false, nil
	}
	return err == nil, err
}

// Client is whoever sent a request that has to prove itself.
func (s *Site) Client(c *fiber.Ctx) account.Client {
	return account.Client{Address: s.Proxies.Of(c), Device: s.Sessions.device(c), Agent: c.Get(fiber.HeaderUserAgent)}
}

// Start signs a person in who has just proved who they are.
func (s *Site) Start(c *fiber.Ctx, userID, path string) error {
	keys, err := s.Accounts.Sessions.Start(c.UserContext(), userID, s.Client(c))
	if err != nil {
		return err
	}
	if err := s.Sessions.Begin(c, keys); err != nil {
		return err
	}
	user, err := s.Accounts.Users.Get(c.UserContext(), userID)
	if err != nil {
		return err
	}
	if theme := string(user.Appearance); theme != s.Theme(c) {
		s.SetTheme(c, theme)
	}
	return SeeOther(c, path)
}
