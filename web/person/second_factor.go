package person

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/account/factor"
	"parley/core/fault"
	views "parley/views/person"
	"parley/views/ui"
	"parley/web/page"
)

// factorPages are the handlers of signing in with a second factor, or with a passkey
// alone.
type factorPages struct{ *page.Base }

// passkeyStep is the cookie of a challenge for a passkey.
const passkeyStep = "passkey"

// noParty refuses passkeys where browsers make none.
func noParty() error {
	return fault.New(fault.Conflict, "Passkeys need this server's domain name, with HTTPS. On its own machine, open it as localhost.")
}

func (s factorPages) step() page.StepCookie { return s.Sessions.KeepStep(page.SignInStep) }

func (s factorPages) factorPage(c *fiber.Ctx) error {
	return s.showFactor(c, fiber.StatusOK, page.Form{"next": page.LocalPath(c.Query("next"))}.View())
}

func (s factorPages) showFactor(c *fiber.Ctx, status int, f ui.Form) error {
	waiting, err := s.Factors.Proofs.Waiting(c.UserContext(), s.step().Secret(c))
	if err != nil {
		return s.startAgain(c, err)
	}
	_, passkeys := s.Party(c)
	return page.Render(c, status, views.SecondFactorPage(s.PlainLayout(c, "Confirm that it's you"), views.Proof{
		Form: f, App: waiting.Set.App, Passkeys: passkeys && len(waiting.Set.Passkeys) > 0, Recovery: true,
	}))
}

// startAgain leads back to the start of an expired sign-in.
func (s factorPages) startAgain(c *fiber.Ctx, err error) error {
	if fault.As(err).Code() != fault.StepEnded {
		return err
	}
	s.step().Drop(c)
	return s.Flash(c, "/sign-in", page.Message{Text: fault.As(err).Message, Failed: true})
}

// enterCode signs in with a code of an app, or with a recovery code.
func (s factorPages) enterCode(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "code", "recovery_code", "next")
	if err != nil {
		return err
	}
	keys, err := s.Factors.Proofs.EnterWithCode(c.UserContext(), s.step().Secret(c), codeOf(typed), s.Client(c))
	if fault.Is(err, fault.Unauthenticated) {
		return s.startAgain(c, err)
	}
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showFactor(c, status, withoutCodes(f)) })
	}
	s.step().Drop(c)
	return s.Enter(c, keys, page.LocalPath(typed["next"]))
}

// codeOf is the code that was typed in one of two forms.
func codeOf(typed page.Form) factor.Code {
	if typed["recovery_code"] != "" {
		return factor.Code{Text: typed["recovery_code"], Recovery: true}
	}
	return factor.Code{Text: typed["code"]}
}

// withoutCodes leaves out what must be typed again.
func withoutCodes(f ui.Form) ui.Form {
	f.Values["code"], f.Values["recovery_code"] = "", ""
	return f
}

// askFactor answers with what a script asks the browser for a passkey with.
func (s factorPages) askFactor(c *fiber.Ctx) error {
	party, here := s.Party(c)
	if !here {
		return page.Refuse(c, noParty())
	}
	options, err := s.Factors.Proofs.AskToEnter(c.UserContext(), party, s.step().Secret(c))
	if err != nil {
		return page.Refuse(c, err)
	}
	return answerOptions(c, options)
}

// enterPasskey signs in with a passkey as the second factor.
func (s factorPages) enterPasskey(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "answer", "next")
	if err != nil {
		return err
	}
	party, _ := s.Party(c)
	keys, err := s.Factors.Proofs.EnterWithPasskey(c.UserContext(), party, s.step().Secret(c), typed["answer"], s.Client(c))
	if fault.Is(err, fault.Unauthenticated) {
		return s.startAgain(c, err)
	}
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showFactor(c, status, f) })
	}
	s.step().Drop(c)
	return s.Enter(c, keys, page.LocalPath(typed["next"]))
}

func (s factorPages) challenge() page.StepCookie {
	return s.Sessions.KeepStep(passkeyStep)
}

// askPasskey answers with what a script asks the browser for anybody's passkey with.
func (s factorPages) askPasskey(c *fiber.Ctx) error {
	party, here := s.Party(c)
	if !here {
		return page.Refuse(c, noParty())
	}
	options, secret, err := s.Factors.Proofs.Ask(c.UserContext(), party, s.Client(c))
	if err != nil {
		return page.Refuse(c, err)
	}
	s.challenge().Keep(c, secret, factor.PasskeyWait)
	return answerOptions(c, options)
}

// signInWithPasskey signs in without a password.
func (s factorPages) signInWithPasskey(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "answer", "next")
	if err != nil {
		return err
	}
	party, _ := s.Party(c)
	keys, err := s.Factors.Proofs.SignIn(c.UserContext(), party, s.challenge().Secret(c), typed["answer"], s.Client(c))
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return signInPages(s).showSignIn(c, status, f) })
	}
	s.challenge().Drop(c)
	return s.Enter(c, keys, page.LocalPath(typed["next"]))
}

// answerOptions answers a script with JSON.
func answerOptions(c *fiber.Ctx, options string) error {
	c.Type("json", "utf-8")
	return c.SendString(options)
}
