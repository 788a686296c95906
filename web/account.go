package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/fault"
	"parley/views"
)

// signInPages are the handlers of signing in and out.
type signInPages struct{ *site }

func (s signInPages) home(c *fiber.Ctx) error {
	person, err := s.Sessions.Person(c)
	if fault.Is(err, fault.Unauthenticated) {
		return s.welcome(c)
	}
	if err != nil {
		return err
	}
	if len(person.Memberships) == 0 {
		return render(c, fiber.StatusOK, views.NoWorkspacePage(views.Layout{Title: "Welcome", Notice: notice(c), Email: person.User.Email}))
	}
	return seeOther(c, views.WorkspaceURL(person.Memberships[0].Workspace.ID))
}

func (s signInPages) welcome(c *fiber.Ctx) error {
	empty, err := s.Accounts.SignUps.Empty(c.UserContext())
	if err != nil {
		return err
	}
	if empty {
		return seeOther(c, "/sign-up")
	}
	return seeOther(c, "/sign-in")
}

// signedIn reports whether the browser has a session.
func (s *site) signedIn(c *fiber.Ctx) (bool, error) {
	_, err := s.Sessions.Person(c)
	if fault.Is(err, fault.Unauthenticated) {
		return false, nil
	}
	return err == nil, err
}

// signUpPages are the handlers of new accounts.
type signUpPages struct{ *site }

func (s signUpPages) signUpPage(c *fiber.Ctx) error {
	in, err := s.signedIn(c)
	if err != nil {
		return err
	}
	if in {
		return seeOther(c, "/")
	}
	if err := s.admitSignUp(c); err != nil {
		return err
	}
	return s.showSignUp(c, fiber.StatusOK, views.Form{})
}

// showSignUp asks for an address alone where it is checked by a mail.
func (s signUpPages) showSignUp(c *fiber.Ctx, status int, f views.Form) error {
	checks, err := s.Accounts.SignUps.ChecksSignUps(c.UserContext())
	if err != nil {
		return err
	}
	return render(c, status, views.SignUpPage(f, checks))
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
	typed, err := readForm(c, "email", "password", "workspace")
	if err != nil {
		return err
	}
	checks, err := s.Accounts.SignUps.ChecksSignUps(c.UserContext())
	if err != nil {
		return err
	}
	again := func(status int, f views.Form) error { return render(c, status, views.SignUpPage(f, checks)) }
	if checks {
		if err := s.Accounts.SignUps.RequestSignUp(c.UserContext(), typed["email"], s.client(c)); err != nil {
			return typed.again(c, err, again)
		}
		return render(c, fiber.StatusOK, views.CheckMailPage())
	}
	user, err := s.createAccount(c, typed)
	if err != nil {
		return typed.again(c, err, again)
	}
	return s.start(c, user.ID, "/")
}

func (s signUpPages) finishSignUpPage(c *fiber.Ctx) error {
	return render(c, fiber.StatusOK, views.FinishSignUpPage(views.Form{}))
}

// finishSignUp creates the account of who has followed the link in a mail.
func (s signUpPages) finishSignUp(c *fiber.Ctx) error {
	if err := s.admitSignUp(c); err != nil {
		return err
	}
	typed, err := readForm(c, "code", "password", "workspace")
	if err != nil {
		return err
	}
	user, err := s.Accounts.SignUps.FinishSignUp(c.UserContext(), typed["code"], account.Account{
		Password: typed["password"], Workspace: typed["workspace"], Client: s.client(c),
	})
	if err != nil {
		return typed.again(c, err, func(status int, f views.Form) error {
			return render(c, status, views.FinishSignUpPage(f))
		})
	}
	return s.start(c, user.ID, "/")
}

func (s signUpPages) createAccount(c *fiber.Ctx, typed form) (account.User, error) {
	user, _, err := s.Accounts.SignUps.SignUp(c.UserContext(), account.Account{
		Email: typed["email"], Password: typed["password"], Workspace: typed["workspace"],
		Client: s.client(c), OnlyFirst: !s.SignUp,
	})
	return user, err
}

// client is whoever sent a request that has to prove itself.
func (s *site) client(c *fiber.Ctx) account.Client {
	return account.Client{Address: s.Proxies.Of(c), Device: s.Sessions.device(c)}
}

// start signs a person in who has just proved who they are.
func (s *site) start(c *fiber.Ctx, userID, path string) error {
	keys, err := s.Accounts.Sessions.StartSession(c.UserContext(), userID, s.client(c))
	if err != nil {
		return err
	}
	if err := s.Sessions.begin(c, keys); err != nil {
		return err
	}
	return seeOther(c, path)
}

func (s signInPages) signInPage(c *fiber.Ctx) error {
	in, err := s.signedIn(c)
	if err != nil {
		return err
	}
	next := localPath(c.Query("next"))
	if in {
		return seeOther(c, next)
	}
	return s.showSignIn(c, fiber.StatusOK, form{"next": next}.view())
}

func (s signInPages) showSignIn(c *fiber.Ctx, status int, f views.Form) error {
	return render(c, status, views.SignInPage(views.SignIn{Form: f, Notice: notice(c), SignUp: s.SignUp}))
}

func (s signInPages) signIn(c *fiber.Ctx) error {
	typed, err := readForm(c, "email", "password", "next")
	if err != nil {
		return err
	}
	keys, err := s.Accounts.Sessions.SignIn(c.UserContext(), typed["email"], typed["password"], s.client(c))
	if err != nil {
		return typed.again(c, err, func(status int, f views.Form) error { return s.showSignIn(c, status, f) })
	}
	if err := s.Sessions.begin(c, keys); err != nil {
		return err
	}
	return seeOther(c, localPath(typed["next"]))
}

func (s signInPages) signOut(c *fiber.Ctx) error {
	if err := s.Sessions.end(c); err != nil {
		return err
	}
	return seeOther(c, "/sign-in")
}

func (s signInPages) joinPage(c *fiber.Ctx) error {
	return render(c, fiber.StatusOK, views.JoinPage(views.Form{}))
}

func (s signInPages) join(c *fiber.Ctx) error {
	typed, err := readForm(c, "code", "password")
	if err != nil {
		return err
	}
	userID, err := s.Team.Invitations.Join(c.UserContext(), typed["code"], typed["password"], s.client(c))
	if err != nil {
		return typed.again(c, err, func(status int, f views.Form) error {
			return render(c, status, views.JoinPage(f))
		})
	}
	return s.start(c, userID, "/")
}
