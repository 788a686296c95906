package page

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/fault"
)

// SignedIn reports whether the browser has a session.
func (s *Base) SignedIn(c *fiber.Ctx) (bool, error) {
	_, err := s.Sessions.Person(c)
	if fault.Is(err, fault.Unauthenticated) {
		return false, nil
	}
	return err == nil, err
}

// Client is whoever sent a request that has to prove itself.
func (s *Base) Client(c *fiber.Ctx) account.Client {
	return account.Client{Address: s.Proxies.Of(c), Device: s.Sessions.device(c), Agent: c.Get(fiber.HeaderUserAgent)}
}

// Start signs a person in who has just proved who they are, and leads to a path.
func (s *Base) Start(c *fiber.Ctx, userID string, proof signin.Proof, path string) error {
	keys, err := s.Accounts.Sessions.Start(c.UserContext(), userID, proof, s.Client(c))
	if err != nil {
		return err
	}
	return s.Enter(c, keys, path)
}

// Enter gives a browser the keys of a sign-in, and leads to a path, or first to the page
// that asks for the second factor.
func (s *Base) Enter(c *fiber.Ctx, keys account.Keys, path string) error {
	if keys.Step != "" {
		s.Sessions.KeepStep(SignInStep).Keep(c, keys.Step, signin.SecondFactorWait)
		return SeeOther(c, secondFactorPath+"?next="+url.QueryEscape(path))
	}
	if err := s.Sessions.Begin(c, keys); err != nil {
		return err
	}
	user, err := s.Accounts.Users.Get(c.UserContext(), keys.UserID)
	if err != nil {
		return err
	}
	if theme := string(user.Appearance); theme != s.Theme(c) {
		s.SetTheme(c, theme)
	}
	return SeeOther(c, path)
}

// secondFactorPath is the page that asks for a second factor at a sign-in.
const secondFactorPath = "/sign-in/second-factor"
