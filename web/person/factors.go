package person

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/account/factor"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/internal/qr"
	views "parley/views/person"
	"parley/views/ui"
	"parley/web/page"
)

const (
	securityPath = "/account/security"
	appPath      = securityPath + "/app"
)

// securityForms are the forms of the page about how a person signs in.
type securityForms struct {
	password, passkey ui.Form
	// renamed is the passkey whose new name was refused, and rename that form.
	renamed string
	rename  ui.Form
}

func newSecurityForms() securityForms {
	return securityForms{
		password: page.Form{"old_password": "", "new_password": ""}.View(),
		passkey:  page.Form{"name": ""}.View(),
	}
}

// factorsOf is what the page says of a person's second factors.
func factorsOf(s *page.Base, c *fiber.Ctx, person tenant.Person, f securityForms) (views.Factors, error) {
	set, err := s.Factors.Of(c.UserContext(), person.User.ID)
	if err != nil {
		return views.Factors{}, err
	}
	_, possible := s.Party(c)
	shown := views.Factors{App: set.App, RecoveryCodes: set.RecoveryCodes, Any: set.Any(), Possible: possible, Form: f.passkey, Renamed: f.renamed, Rename: f.rename}
	for _, key := range set.Passkeys {
		shown.Passkeys = append(shown.Passkeys, views.Passkey{ID: key.ID, Name: key.Name, CreatedAt: key.CreatedAt, LastUsedAt: key.LastUsedAt})
	}
	return shown, nil
}

// setUpPages are the handlers of a person's second factors.
type setUpPages struct{ *page.Base }

// beginApp makes a secret for an app, and leads to the page that shows it.
func (s setUpPages) beginApp(c *fiber.Ctx, person tenant.Person) error {
	if err := s.Factors.Apps.Begin(c.UserContext(), person.User); err != nil {
		return s.refuse(c, err)
	}
	return page.SeeOther(c, appPath)
}

// refuse says on the page of second factors what did not work.
func (s setUpPages) refuse(c *fiber.Ctx, err error) error {
	failure := fault.As(err)
	if failure.Kind == fault.Internal || failure.Kind == fault.NotFound {
		return err
	}
	return s.Flash(c, securityPath, page.Message{Text: failure.Message, Failed: true})
}

func (s setUpPages) appPage(c *fiber.Ctx, person tenant.Person) error {
	return s.showApp(c, person, fiber.StatusOK, page.Form{"code": ""}.View())
}

func (s setUpPages) showApp(c *fiber.Ctx, person tenant.Person, status int, f ui.Form) error {
	pending, err := s.Factors.Apps.Pending(c.UserContext(), person.User)
	if fault.Is(err, fault.NotFound) {
		return page.SeeOther(c, securityPath)
	}
	if err != nil {
		return err
	}
	code, err := qr.Of(pending.URI)
	if err != nil {
		return err
	}
	return page.Render(c, status, views.AppPage(s.PersonLayout(c, person, "Set up an authenticator app"), views.App{
		Form: f, Secret: pending.Secret, Size: code.Size, Path: code.Path,
	}))
}

// confirmApp completes the app with its first code.
func (s setUpPages) confirmApp(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "code")
	if err != nil {
		return err
	}
	codes, err := s.Factors.Apps.Confirm(c.UserContext(), person.User, person.Session, typed["code"])
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showApp(c, person, status, f) })
	}
	return s.done(c, person, codes, "Your authenticator app is set up.")
}

// done shows new recovery codes, this once, or confirms the action.
func (s setUpPages) done(c *fiber.Ctx, person tenant.Person, codes []string, text string) error {
	if len(codes) == 0 {
		return s.Flash(c, securityPath, page.Message{Text: text})
	}
	return page.Render(c, fiber.StatusOK, views.RecoveryCodesPage(s.PersonLayout(c, person, "Save your recovery codes"), codes))
}

func (s setUpPages) removeApp(c *fiber.Ctx, person tenant.Person) error {
	if err := s.Factors.Apps.Remove(c.UserContext(), person.User); err != nil {
		return err
	}
	return s.Flash(c, securityPath, page.Message{Text: "The authenticator app is removed."})
}

// renewCodes shows new recovery codes, and ends the former ones.
func (s setUpPages) renewCodes(c *fiber.Ctx, person tenant.Person) error {
	codes, err := s.Factors.Recovery.Renew(c.UserContext(), person.User)
	if err != nil {
		return s.refuse(c, err)
	}
	return s.done(c, person, codes, "")
}

func (s setUpPages) challenge() page.StepCookie {
	return s.Sessions.KeepStep(passkeyStep)
}

// askPasskey answers with what a script has the browser make a passkey from.
func (s setUpPages) askPasskey(c *fiber.Ctx, person tenant.Person) error {
	party, here := s.Party(c)
	if !here {
		return page.Refuse(c, noParty())
	}
	options, secret, err := s.Factors.Passkeys.Begin(c.UserContext(), party, person.User)
	if err != nil {
		return page.Refuse(c, err)
	}
	s.challenge().Keep(c, secret, factor.PasskeyWait)
	return answerOptions(c, options)
}

// addPasskey stores the passkey that a browser has made.
func (s setUpPages) addPasskey(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "answer", "name")
	if err != nil {
		return err
	}
	party, _ := s.Party(c)
	codes, err := s.Factors.Passkeys.Add(c.UserContext(), party, person.User, person.Session, s.challenge().Secret(c), typed["answer"], typed["name"])
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			forms := newSecurityForms()
			forms.passkey = f
			return profilePages(s).showSecurity(c, person, status, forms)
		})
	}
	s.challenge().Drop(c)
	return s.done(c, person, codes, "The passkey is set up.")
}

func (s setUpPages) renamePasskey(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "new_name")
	if err != nil {
		return err
	}
	passkeyID := id.Parse(c.Params("passkey"))
	if err := s.Factors.Passkeys.Rename(c.UserContext(), person.User, passkeyID, typed["new_name"]); err != nil {
		return typed.Again(c, renamed(err, "name", "new_name"), func(status int, f ui.Form) error {
			forms := newSecurityForms()
			forms.renamed, forms.rename = passkeyID, f
			return profilePages(s).showSecurity(c, person, status, forms)
		})
	}
	return s.Flash(c, securityPath, page.Message{Text: "The passkey is renamed."})
}

func (s setUpPages) removePasskey(c *fiber.Ctx, person tenant.Person) error {
	if err := s.Factors.Passkeys.Remove(c.UserContext(), person.User, id.Parse(c.Params("passkey"))); err != nil {
		return err
	}
	return s.Flash(c, securityPath, page.Message{Text: "The passkey is removed."})
}
