package person

import (
	"github.com/gofiber/fiber/v2"

	views "parley/views/person"
	"parley/views/ui"
	"parley/web/page"
)

// resetPages are the handlers for people who have forgotten their password.
type resetPages struct{ *page.Base }

func (s resetPages) requestPage(c *fiber.Ctx) error {
	return s.showRequest(c, fiber.StatusOK, ui.Form{})
}

func (s resetPages) showRequest(c *fiber.Ctx, status int, f ui.Form) error {
	return page.Render(c, status, views.ForgotPage(s.PlainLayout(c, "Forgot your password?"), f, s.Letters.On()))
}

// request gives the same answer whether or not there is an account.
func (s resetPages) request(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "email")
	if err != nil {
		return err
	}
	if err := s.Accounts.Resets.Request(c.UserContext(), typed["email"], s.Client(c)); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showRequest(c, status, f) })
	}
	return page.Render(c, fiber.StatusOK, views.ResetMailedPage(s.PlainLayout(c, "Check your e-mail")))
}

func (s resetPages) finishPage(c *fiber.Ctx) error {
	return s.showFinish(c, fiber.StatusOK, ui.Form{})
}

func (s resetPages) showFinish(c *fiber.Ctx, status int, f ui.Form) error {
	return page.Render(c, status, views.ResetPage(s.PlainLayout(c, "Choose another password"), f))
}

// finish sets the password and begins no session: a sign-in may ask for more than it.
func (s resetPages) finish(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "code", "password")
	if err != nil {
		return err
	}
	if _, err := s.Accounts.Resets.Finish(c.UserContext(), typed["code"], typed["password"], s.Client(c)); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showFinish(c, status, f) })
	}
	return page.Done(c, "/sign-in", "reset")
}
