package signon

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/sso"
	"parley/core/tenant"
	"parley/internal/id"
	views "parley/views/person"
	"parley/views/shell"
	"parley/web/page"
)

// proof keeps a visit apart from one that signs in.
func (s visitPages) proof() page.StepCookie { return s.Sessions.KeepStep("sso_proof") }

// beginProof sends a browser to a provider, where its person signs in anew.
func (s visitPages) beginProof(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "workspace", "next")
	if err != nil {
		return err
	}
	departure, err := s.SSO.SignIns.BeginProof(c.UserContext(), person.User, person.Session, id.Parse(typed["workspace"]), page.LocalPath(typed["next"]), returnURL(s.Base), s.Client(c))
	if fault.Is(err, fault.NotFound) {
		return err
	}
	if err != nil {
		return s.refuseProof(c, err, typed["next"])
	}
	return s.depart(c, s.proof(), departure)
}

// finishProof ends the visit that the browser comes back from, and goes on where the person
// was asked.
func (s visitPages) finishProof(c *fiber.Ctx, secret string, answer sso.Answer) error {
	s.proof().Drop(c)
	person, err := s.Sessions.Person(c)
	if err != nil {
		return err
	}
	next, err := s.SSO.SignIns.FinishProof(c.UserContext(), person.User, person.Session, secret, id.Parse(c.Params("workspace")), answer)
	if err != nil {
		return s.refuseProof(c, err, next)
	}
	return s.Flash(c, page.LocalPath(next), page.Message{Text: views.ProvedNotice})
}

// refuseProof leads back to the page that asks, which says what did not work.
func (s visitPages) refuseProof(c *fiber.Ctx, err error, next string) error {
	page.LogFailure(c, s.Log, fault.As(err))
	return s.Flash(c, shell.ConfirmURL(page.LocalPath(next)), page.Message{Text: fault.As(err).Message, Failed: true})
}
