package person

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/fault"
	views "parley/views/person"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// signInPages are the handlers of signing in and out.
type signInPages struct{ *page.Base }

func (s signInPages) home(c *fiber.Ctx) error {
	person, err := s.Sessions.Person(c)
	if fault.Is(err, fault.Unauthenticated) {
		return s.welcome(c)
	}
	if err != nil {
		return err
	}
	if len(person.Memberships) == 0 && len(person.Ending) > 0 {
		return page.SeeOther(c, shell.DeletionURL(person.Ending[0].Workspace.ID))
	}
	if len(person.Memberships) == 0 {
		return page.Render(c, fiber.StatusOK, views.NoWorkspacePage(s.PersonLayout(c, person, "Welcome")))
	}
	return page.SeeOther(c, shell.WorkspaceURL(person.Memberships[0].Workspace.ID))
}

func (s signInPages) welcome(c *fiber.Ctx) error {
	empty, err := s.Accounts.SignUps.Empty(c.UserContext())
	if err != nil {
		return err
	}
	if empty {
		return page.SeeOther(c, "/sign-up")
	}
	return page.SeeOther(c, "/sign-in")
}

// signUpPages are the handlers of new accounts.
type signUpPages struct{ *page.Base }

func (s signUpPages) signUpPage(c *fiber.Ctx) error {
	in, err := s.SignedIn(c)
	if err != nil {
		return err
	}
	if in {
		return page.SeeOther(c, "/")
	}
	if err := s.admitSignUp(c); err != nil {
		return err
	}
	return s.showSignUp(c, fiber.StatusOK, ui.Form{})
}

// showSignUp asks for an address alone where it is checked by a mail.
func (s signUpPages) showSignUp(c *fiber.Ctx, status int, f ui.Form) error {
	checks, err := s.Accounts.SignUps.NeedsMail(c.UserContext())
	if err != nil {
		return err
	}
	return page.Render(c, status, views.SignUpPage(s.PlainLayout(c, "Create an account"), f, checks))
}

// admitSignUp refuses a new account where they are not open to all, save the
// first one.
func (s signUpPages) admitSignUp(c *fiber.Ctx) error {
	if s.SignUp {
		return nil
	}
	return s.Accounts.SignUps.AdmitFirst(c.UserContext())
}

func (s signUpPages) signUp(c *fiber.Ctx) error {
	if err := s.admitSignUp(c); err != nil {
		return err
	}
	typed, err := page.ReadForm(c, "email", "password", "workspace")
	if err != nil {
		return err
	}
	checks, err := s.Accounts.SignUps.NeedsMail(c.UserContext())
	if err != nil {
		return err
	}
	again := func(status int, f ui.Form) error {
		return page.Render(c, status, views.SignUpPage(s.PlainLayout(c, "Create an account"), f, checks))
	}
	if checks {
		if err := s.Accounts.SignUps.Request(c.UserContext(), typed["email"], s.Client(c)); err != nil {
			return typed.Again(c, err, again)
		}
		return page.Render(c, fiber.StatusOK, views.CheckMailPage(s.PlainLayout(c, "Check your e-mail")))
	}
	user, err := s.createAccount(c, typed)
	if err != nil {
		return typed.Again(c, err, again)
	}
	return s.Start(c, user.ID, signin.Proof{Method: signin.ByPassword}, "/")
}

func (s signUpPages) finishSignUpPage(c *fiber.Ctx) error {
	return page.Render(c, fiber.StatusOK, views.FinishSignUpPage(s.PlainLayout(c, "Create your account"), ui.Form{}))
}

// finishSignUp creates the account of a person who has followed the link in a mail.
func (s signUpPages) finishSignUp(c *fiber.Ctx) error {
	if err := s.admitSignUp(c); err != nil {
		return err
	}
	typed, err := page.ReadForm(c, "code", "password", "workspace")
	if err != nil {
		return err
	}
	user, err := s.Accounts.SignUps.Finish(c.UserContext(), typed["code"], account.Account{
		Password: typed["password"], Workspace: typed["workspace"], Client: s.Client(c),
	})
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return page.Render(c, status, views.FinishSignUpPage(s.PlainLayout(c, "Create your account"), f))
		})
	}
	return s.Start(c, user.ID, signin.Proof{Method: signin.ByPassword}, "/")
}

func (s signUpPages) createAccount(c *fiber.Ctx, typed page.Form) (account.User, error) {
	user, _, err := s.Accounts.SignUps.Create(c.UserContext(), account.Account{
		Email: typed["email"], Password: typed["password"], Workspace: typed["workspace"],
		Client: s.Client(c), OnlyFirst: !s.SignUp,
	})
	return user, err
}

func (s signInPages) signInPage(c *fiber.Ctx) error {
	in, err := s.SignedIn(c)
	if err != nil {
		return err
	}
	next := page.LocalPath(c.Query("next"))
	if in {
		return page.SeeOther(c, next)
	}
	return s.showSignIn(c, fiber.StatusOK, page.Form{"next": next}.View())
}

func (s signInPages) showSignIn(c *fiber.Ctx, status int, f ui.Form) error {
	_, passkeys := s.Party(c)
	return page.Render(c, status, views.SignInPage(s.PlainLayout(c, "Sign in"), views.SignIn{Form: f, SignUp: s.SignUp, Provider: s.SSO.SignIns.Installation(), Passkeys: passkeys}))
}

func (s signInPages) signIn(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "email", "password", "next")
	if err != nil {
		return err
	}
	keys, err := s.Accounts.Sessions.SignIn(c.UserContext(), typed["email"], typed["password"], s.Client(c))
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showSignIn(c, status, f) })
	}
	return s.Enter(c, keys, page.LocalPath(typed["next"]))
}

func (s signInPages) signOut(c *fiber.Ctx) error {
	if err := s.Sessions.End(c); err != nil {
		return err
	}
	return page.SeeOther(c, "/sign-in")
}

func (s signInPages) joinPage(c *fiber.Ctx) error {
	return page.Render(c, fiber.StatusOK, views.JoinPage(s.PlainLayout(c, "Join a workspace"), ui.Form{}))
}

func (s signInPages) join(c *fiber.Ctx) error {
	typed, err := page.ReadForm(c, "code", "password")
	if err != nil {
		return err
	}
	userID, err := s.Team.Invitations.Join(c.UserContext(), typed["code"], typed["password"], s.Client(c))
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return page.Render(c, status, views.JoinPage(s.PlainLayout(c, "Join a workspace"), f))
		})
	}
	return s.Start(c, userID, signin.Proof{Method: signin.ByPassword}, "/")
}
