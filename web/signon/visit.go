package signon

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/sso"
	"parley/internal/id"
	views "parley/views/person"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// visitPages are the handlers of signing in at an identity provider, and of showing again
// there who one is.
type visitPages struct{ *page.Base }

func (s visitPages) visit() page.StepCookie { return s.Sessions.KeepStep("sso") }

// page asks for an address, which says whose provider it is.
func (s visitPages) page(c *fiber.Ctx) error {
	return s.show(c, fiber.StatusOK, page.Form{"email": "", "next": page.LocalPath(c.Query("next"))}.View())
}

func (s visitPages) show(c *fiber.Ctx, status int, f ui.Form) error {
	return page.Render(c, status, views.SSOPage(s.PlainLayout(c, "Sign in with SSO"), f))
}

// find sends a browser to the provider of an address.
func (s visitPages) find(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "email", "next")
	if err != nil {
		return err
	}
	departure, err := s.SSO.SignIns.BeginFor(c.UserContext(), typed["email"], page.LocalPath(typed["next"]), returnURL(s.Base), s.Client(c))
	if err != nil {
		page.LogFailure(c, s.Log, fault.As(err))
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.show(c, status, f) })
	}
	return s.depart(c, s.visit(), departure)
}

// begin sends a browser to the installation's provider.
func (s visitPages) begin(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "next")
	if err != nil {
		return err
	}
	departure, err := s.SSO.SignIns.Begin(c.UserContext(), page.LocalPath(typed["next"]), returnURL(s.Base), s.Client(c))
	if err != nil {
		page.LogFailure(c, s.Log, fault.As(err))
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.show(c, status, f) })
	}
	return s.depart(c, s.visit(), departure)
}

// depart leads to a provider by a page, because browsers hold the redirect that answers
// a form to this page's policy, which lets forms lead to this server only.
func (s visitPages) depart(c *fiber.Ctx, kept page.StepCookie, d sso.Departure) error {
	kept.Keep(c, d.Secret, sso.VisitLifetime)
	c.Set("Refresh", "0; url="+d.URL)
	return page.Render(c, fiber.StatusOK, views.DepartPage(s.PlainLayout(c, "Sign in at "+d.Host), d.Host, d.URL))
}

// arrive signs a person in who comes back from a provider, or ends a visit in which they
// showed again who they are.
func (s visitPages) arrive(c *fiber.Ctx) error {
	answer := sso.Answer{Code: c.Query("code"), State: c.Query("state"), Issuer: c.Query("iss"), Error: c.Query("error")}
	if secret := s.proof().Secret(c); sso.IsAnswer(secret, answer) {
		return s.finishProof(c, secret, answer)
	}
	secret := s.visit().Secret(c)
	s.visit().Drop(c)
	arrival, err := s.SSO.SignIns.Finish(c.UserContext(), secret, id.Parse(c.Params("workspace")), answer)
	if err == nil {
		err = s.Start(c, arrival.User.ID, arrival.Proof(), s.after(arrival))
	}
	if err != nil {
		page.LogFailure(c, s.Log, fault.As(err))
		return page.Form{"email": "", "next": "/"}.Again(c, err, func(status int, f ui.Form) error { return s.show(c, status, f) })
	}
	return nil
}

// after is where a person goes on: where they wanted to, or to the workspace that let
// them in.
func (s visitPages) after(arrival sso.Arrival) string {
	next := page.LocalPath(arrival.Next)
	if next == "/" && arrival.WorkspaceID != "" {
		return shell.WorkspaceURL(arrival.WorkspaceID)
	}
	return next
}
