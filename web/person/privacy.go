package person

import (
	"context"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/account"
	"parley/core/privacy"
	"parley/core/tenant"
	views "parley/views/person"
	"parley/views/ui"
	"parley/web/page"
)

// privacyPages are the handlers of a copy of an account, and of its end.
type privacyPages struct{ *page.Base }

func (s privacyPages) privacyPage(c *fiber.Ctx, person tenant.Person) error {
	return s.show(c, person, fiber.StatusOK, page.Form{"password": ""}.View())
}

func (s privacyPages) show(c *fiber.Ctx, person tenant.Person, status int, f ui.Form) error {
	leaving, err := s.Privacy.Persons.Leaving(c.UserContext(), person.User.ID)
	if err != nil {
		return err
	}
	m := views.Privacy{Delete: f, Password: person.User.HasPassword(), Alone: namesOf(leaving.Alone), Needed: namesOf(leaving.Needed)}
	return page.Render(c, status, views.PrivacyPage(s.PersonLayout(c, person, "Your account"), m))
}

func namesOf(workspaces []tenant.Workspace) (names []string) {
	for _, w := range workspaces {
		names = append(names, w.Name)
	}
	return names
}

// export sends everything that is stored of the person.
func (s privacyPages) export(c *fiber.Ctx, person tenant.Person) error {
	err := s.Privacy.Exports.Record(c.UserContext(), "", privacy.AccountObject(person.User), "Everything that is stored of the account.")
	if err != nil {
		return err
	}
	again := s.Sessions.Again(c)
	valid := func(ctx context.Context) error {
		_, err := again(ctx)
		return err
	}
	return bodies.ZIP(c, s.Log, "account-"+s.Now().UTC().Format(time.DateOnly), valid, func(ctx context.Context, into io.Writer) error {
		return s.Privacy.Exports.Account(ctx, person.User, into)
	})
}

// deleteAccount erases the account of whoever shows that it is theirs.
func (s privacyPages) deleteAccount(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "password")
	if err != nil {
		return err
	}
	if err := s.Privacy.Persons.Needed(c.UserContext(), person.User.ID); err != nil { // before the password is looked at
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.show(c, person, status, f) })
	}
	if _, err := s.Privacy.Persons.Delete(c.UserContext(), person.User.ID, account.Evidence{Password: typed["password"], Session: person.Session}, s.Client(c)); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.show(c, person, status, f) })
	}
	if s.Letters.On() {
		return page.Done(c, "/sign-in", "erased")
	}
	return page.Done(c, "/sign-in", "erased-silently")
}
