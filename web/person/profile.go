package person

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/fault"
	"parley/core/tenant"
	views "parley/views/person"
	"parley/views/ui"
	"parley/web/page"
)

// profileForms are the forms of the page about oneself.
type profileForms struct{ name, email ui.Form }

// newProfileForms returns the forms as they are before anything is typed.
func newProfileForms(p tenant.Person) profileForms {
	return profileForms{
		name:  page.Form{"name": p.User.Name}.View(),
		email: page.Form{"email": p.User.Email, "email_password": ""}.View(),
	}
}

// profilePages are the handlers of the account of whoever is signed in.
type profilePages struct{ *page.Base }

func (s profilePages) profilePage(c *fiber.Ctx, person tenant.Person) error {
	return s.showProfile(c, person, fiber.StatusOK, newProfileForms(person))
}

func (s profilePages) showProfile(c *fiber.Ctx, person tenant.Person, status int, f profileForms) error {
	l := s.PersonLayout(c, person, "Your account")
	return page.Render(c, status, views.ProfilePage(l, views.Profile{NameForm: f.name, EmailForm: f.email, Password: person.User.HasPassword()}))
}

// changeEmail gives the person another address, who shows that it is them.
func (s profilePages) changeEmail(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "email", "email_password")
	if err != nil {
		return err
	}
	if err := s.Accounts.Addresses.Change(c.UserContext(), person.User.ID, account.Evidence{Password: typed["email_password"], Session: person.Session}, typed["email"], s.Client(c)); err != nil {
		return typed.Again(c, renamed(err, "password", "email_password"), func(status int, f ui.Form) error {
			forms := newProfileForms(person)
			forms.email = f
			return s.showProfile(c, person, status, forms)
		})
	}
	if s.Letters.On() {
		return page.Done(c, "/account", "confirm")
	}
	return page.Done(c, "/account", "confirm-log")
}

// sendAgain sends the person another link that confirms their address.
func (s profilePages) sendAgain(c *fiber.Ctx, person tenant.Person) error {
	told := page.Message{Text: "We've sent a link to " + person.User.Email + "."}
	if !s.Letters.On() {
		told.Text = "The link is in the log of this server. Ask its operator for it."
	}
	err := s.Accounts.Addresses.SendAgain(c.UserContext(), person.User, s.Client(c))
	if fault.Is(err, fault.RateLimited) {
		told, err = page.Message{Text: fault.As(err).Message, Failed: true}, nil
	}
	if err != nil {
		return err
	}
	return s.Flash(c, page.CameFrom(c), told)
}

func (s profilePages) confirmEmailPage(c *fiber.Ctx) error {
	return page.Render(c, fiber.StatusOK, views.ConfirmEmailPage(s.PlainLayout(c, "Confirm your e-mail address"), ui.Form{}))
}

// confirmEmail confirms the address to which the link was mailed, for the account
// that has it or wants it, whoever is signed in.
func (s profilePages) confirmEmail(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "code")
	if err != nil {
		return err
	}
	here, err := s.Sessions.Person(c)
	if err != nil && !fault.Is(err, fault.Unauthenticated) {
		return err
	}
	user, changed, err := s.Accounts.Addresses.ConfirmEmail(c.UserContext(), typed["code"], s.Client(c))
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return page.Render(c, status, views.ConfirmEmailPage(s.PlainLayout(c, "Confirm your e-mail address"), f))
		})
	}
	if !changed { // no session has ended
		return s.Flash(c, "/", page.Message{Text: "Your e-mail address is confirmed."})
	}
	if here.User.ID == user.ID {
		return s.Start(c, user.ID, here.Session.Proof, "/account?done=email")
	}
	return page.Done(c, "/sign-in", "email")
}

// changePassword gives the person another password, and ends their sessions in
// other browsers.
func (s profilePages) changePassword(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "old_password", "new_password")
	if err != nil {
		return err
	}
	shown := account.Evidence{Password: typed["old_password"], Session: person.Session}
	if err := s.Accounts.Passwords.Change(c.UserContext(), person.User.ID, shown, typed["new_password"], s.Client(c)); err != nil {
		return typed.Again(c, renamed(err, "password", "old_password"), func(status int, f ui.Form) error {
			forms := newSecurityForms()
			forms.password = f
			return s.showSecurity(c, person, status, forms)
		})
	}
	return s.Start(c, person.User.ID, person.Session.Proof, "/account/security?done=password")
}

// renamed is a failure of one input, by the name that this form has for it.
func renamed(err error, from, to string) error {
	failure := *fault.As(err)
	if failure.Field != from {
		return err
	}
	failure.Field = to
	return &failure
}

func (s profilePages) securityPage(c *fiber.Ctx, person tenant.Person) error {
	return s.showSecurity(c, person, fiber.StatusOK, newSecurityForms())
}

func (s profilePages) showSecurity(c *fiber.Ctx, person tenant.Person, status int, f securityForms) error {
	shown, err := factorsOf(s.Base, c, person, f)
	if err != nil {
		return err
	}
	return page.Render(c, status, views.SecurityPage(s.PersonLayout(c, person, "Your account"), f.password, person.User.HasPassword(), shown))
}

// changeName changes what the person is called.
func (s profilePages) changeName(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "name")
	if err != nil {
		return err
	}
	profile := person.User.Profile
	profile.Name = typed["name"]
	if err := s.Accounts.Profiles.Change(c.UserContext(), person.User.ID, profile); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			forms := newProfileForms(person)
			forms.name = f
			return s.showProfile(c, person, status, forms)
		})
	}
	return page.Done(c, "/account", "saved")
}
