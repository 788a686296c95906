package person

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/account/factor"
	"parley/core/tenant"
	views "parley/views/person"
	"parley/views/ui"
	"parley/web/site"
)

// confirmPages are the handlers of the page on which people show again who they are.
// A form that was sent meanwhile is in it, and goes on with it.
type confirmPages struct{ *site.Site }

// given are the inputs of this page. All others are those of a form that was sent.
var given = []string{"confirm_password", "confirm_code", "confirm_recovery_code", "confirm_answer", "next"}

// page asks whoever came by a link. One who has to show a second factor and has none is
// led to set one up.
func (s confirmPages) page(c *fiber.Ctx, person tenant.Person) error {
	next := site.LocalPath(c.Query("next"))
	if c.Query("factor") == "" {
		return s.show(c, person, fiber.StatusOK, site.Form{"next": next}.View(), nil)
	}
	if person.Session.SecondFactor {
		return site.SeeOther(c, next)
	}
	set, err := s.Factors.Of(c.UserContext(), person.User.ID)
	if err != nil {
		return err
	}
	if !set.Any() {
		return s.Flash(c, securityPath, site.Message{Text: "This workspace asks its members for a second factor. Set one up to continue.", Failed: true})
	}
	return s.show(c, person, fiber.StatusOK, site.Form{"next": next}.View(), nil)
}

func (s confirmPages) show(c *fiber.Ctx, person tenant.Person, status int, f ui.Form, carried []views.Carried) error {
	return s.showPage(c, person, status, f, carried, to(c))
}

// formPage is the page of the form that was sent here.
func formPage(c *fiber.Ctx) string {
	from, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil {
		return "/"
	}
	return site.LocalPath(from.RequestURI())
}

func (s confirmPages) showPage(c *fiber.Ctx, person tenant.Person, status int, f ui.Form, carried []views.Carried, to string) error {
	set, err := s.Factors.Of(c.UserContext(), person.User.ID)
	if err != nil {
		return err
	}
	_, possible := site.Party(s.Site, c)
	return site.Render(c, status, views.ConfirmPage(s.PersonLayout(c, person, "Confirm that it's you"), views.Confirm{
		Proof: views.Proof{Form: f, App: set.App, Passkeys: possible && len(set.Passkeys) > 0, Recovery: set.Any()},
		To:    to, Carried: carried, Factor: c.Query("factor") != "",
	}))
}

// to is where a form was sent that waits, empty for none.
func to(c *fiber.Ctx) string {
	path := site.LocalPath(c.Query("to"))
	if path == "/" {
		return ""
	}
	return path
}

// confirm takes what was shown, and sends the waiting form on: the browser repeats what
// it posted.
func (s confirmPages) confirm(c *fiber.Ctx, person tenant.Person) error {
	typed, err := site.ReadForm(c, given...)
	if err != nil {
		return err
	}
	waits, whole := carried(c)
	if !shown(typed) {
		if !whole { // it cannot go on as it was, so the person sends it again
			return s.showPage(c, person, fiber.StatusOK, site.Form{"next": formPage(c)}.View(), nil, "")
		}
		return s.show(c, person, fiber.StatusOK, site.Form{"next": "/"}.View(), waits)
	}
	if err := s.prove(c, person, typed); err != nil {
		return typed.Again(c, confirming(err), func(status int, f ui.Form) error {
			f.Values["confirm_code"], f.Values["confirm_recovery_code"], f.Values["confirm_answer"] = "", "", ""
			return s.show(c, person, status, f, waits)
		})
	}
	s.challenge().Drop(c)
	if path := to(c); path != "" {
		return c.Redirect(path, fiber.StatusTemporaryRedirect)
	}
	return s.Flash(c, site.LocalPath(typed["next"]), site.Message{Text: "Thank you. You can go on."})
}

// shown reports whether anything was given, other than by a form that has just arrived.
func shown(typed site.Form) bool {
	return slices.ContainsFunc(given, func(name string) bool { return name != "next" && typed[name] != "" })
}

func (s confirmPages) prove(c *fiber.Ctx, person tenant.Person, typed site.Form) error {
	ctx, client := c.UserContext(), s.Client(c)
	switch {
	case typed["confirm_answer"] != "":
		party, _ := site.Party(s.Site, c)
		return s.Factors.Proofs.ProveByPasskey(ctx, party, person.User, person.Session, s.challenge().Secret(c), typed["confirm_answer"])
	case typed["confirm_recovery_code"] != "":
		return s.Factors.Proofs.ProveByCode(ctx, person.User, person.Session, factor.Code{Text: typed["confirm_recovery_code"], Recovery: true}, client)
	case typed["confirm_code"] != "":
		return s.Factors.Proofs.ProveByCode(ctx, person.User, person.Session, factor.Code{Text: typed["confirm_code"]}, client)
	}
	return s.Accounts.Sessions.ProveByPassword(ctx, person.User, person.Session, typed["confirm_password"], client)
}

// confirming is a failure by the names of this page's inputs.
func confirming(err error) error {
	for _, name := range []string{"password", "code", "recovery_code"} {
		err = renamed(err, name, "confirm_"+name)
	}
	return err
}

func (s confirmPages) challenge() site.StepCookie {
	return site.KeepStep(s.Sessions, passkeyStep)
}

// askPasskey answers with what a script asks the browser for a passkey with.
func (s confirmPages) askPasskey(c *fiber.Ctx, person tenant.Person) error {
	party, here := site.Party(s.Site, c)
	if !here {
		return said(c, noParty())
	}
	options, secret, err := s.Factors.Proofs.AskToProve(c.UserContext(), party, person.User)
	if err != nil {
		return said(c, err)
	}
	s.challenge().Keep(c, secret, factor.PasskeyWait)
	return answerOptions(c, options)
}

// carried are the inputs of the form that waits. A page holds no secret: the form is not
// whole if it has one.
func carried(c *fiber.Ctx) (all []views.Carried, whole bool) {
	whole = true
	for name, value := range c.Request().PostArgs().All() {
		input := views.Carried{Name: string(name), Value: string(value)}
		secret := strings.HasSuffix(input.Name, "password") || strings.HasSuffix(input.Name, "key") || strings.HasSuffix(input.Name, "secret")
		switch {
		case slices.Contains(given, input.Name):
		case secret:
			whole = whole && input.Value == ""
		default:
			all = append(all, input)
		}
	}
	return all, whole
}
