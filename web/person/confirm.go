package person

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/account/factor"
	"parley/core/tenant"
	views "parley/views/person"
	"parley/views/ui"
	"parley/web/page"
)

// confirmPages are the handlers of the page on which people show again who they are.
// A form that was sent meanwhile is in it, and goes on with it.
type confirmPages struct{ *page.Base }

// given are the inputs of this page. All other inputs belong to a form that was sent.
var given = []string{"confirm_password", "confirm_code", "confirm_recovery_code", "confirm_answer", "next"}

// page asks whoever came by a link. One who has to show a second factor and has none is
// led to set one up.
func (s confirmPages) page(c *fiber.Ctx, person tenant.Person) error {
	next := page.LocalPath(c.Query("next"))
	if c.Query("factor") == "" {
		return s.show(c, person, fiber.StatusOK, page.Form{"next": next}.View(), waiting{})
	}
	if person.Session.SecondFactor {
		return page.SeeOther(c, next)
	}
	set, err := s.Factors.Of(c.UserContext(), person.User.ID)
	if err != nil {
		return err
	}
	if !set.Any() {
		return s.Flash(c, securityPath, page.Message{Text: factorDemand(person) + " Set one up to continue.", Failed: true})
	}
	return s.show(c, person, fiber.StatusOK, page.Form{"next": next}.View(), waiting{})
}

// factorDemand says who asks for a second factor.
func factorDemand(person tenant.Person) string {
	if person.FactorOfAll {
		return "This server asks everybody for a second factor."
	}
	return "This workspace asks its members for a second factor."
}

func (s confirmPages) show(c *fiber.Ctx, person tenant.Person, status int, f ui.Form, form waiting) error {
	set, err := s.Factors.Of(c.UserContext(), person.User.ID)
	if err != nil {
		return err
	}
	_, possible := s.Party(c)
	m := views.Confirm{
		Proof:    views.Proof{Form: f, App: set.App, Passkeys: possible && len(set.Passkeys) > 0, Recovery: set.Any()},
		Password: person.User.HasPassword(), Kept: form.kept(f.Value("next")), Resend: form.mustResend(),
	}
	if !form.mustResend() {
		m.To, m.Carried = form.to, form.inputs
	}
	if c.Query("factor") != "" {
		m.Factor, m.Password = factorDemand(person), false
	} else {
		m.Back = page.LocalPath(f.Value("next"))
		if m.Places, err = s.places(c, person); err != nil {
			return err
		}
	}
	return page.Render(c, status, views.ConfirmPage(s.PersonLayout(c, person, "Confirm that it's you"), m))
}

// places are the identity providers that can say who a person is.
func (s confirmPages) places(c *fiber.Ctx, person tenant.Person) (shown []views.Place, err error) {
	places, err := s.SSO.SignIns.ProofPlaces(c.UserContext(), person.User)
	for _, p := range places {
		shown = append(shown, views.Place{WorkspaceID: p.WorkspaceID, Name: p.Name})
	}
	return shown, err
}

// to is where a form was sent that waits, empty for none.
func to(c *fiber.Ctx) string {
	path := page.LocalPath(c.Query("to"))
	if path == "/" {
		return ""
	}
	return path
}

// confirm takes what was shown, and sends the waiting form on: the browser repeats what
// it posted.
func (s confirmPages) confirm(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, given...)
	if err != nil {
		return err
	}
	form := waitingForm(c)
	if !shown(typed) {
		return s.show(c, person, fiber.StatusOK, page.Form{"next": page.LocalPath(page.CameFrom(c))}.View(), form)
	}
	if err := s.prove(c, person, typed); err != nil {
		return typed.Again(c, confirming(err), func(status int, f ui.Form) error {
			f.Values["confirm_code"], f.Values["confirm_recovery_code"], f.Values["confirm_answer"] = "", "", ""
			return s.show(c, person, status, f, form)
		})
	}
	s.challenge().Drop(c)
	if form.to != "" && !form.mustResend() {
		return c.Redirect(form.to, fiber.StatusTemporaryRedirect)
	}
	return s.Flash(c, page.LocalPath(typed["next"]), page.Message{Text: views.ProvedNotice})
}

// shown reports whether anything was given, other than by a form that has just arrived.
func shown(typed page.Form) bool {
	return slices.ContainsFunc(given, func(name string) bool { return name != "next" && typed[name] != "" })
}

func (s confirmPages) prove(c *fiber.Ctx, person tenant.Person, typed page.Form) error {
	ctx, client := c.UserContext(), s.Client(c)
	switch {
	case typed["confirm_answer"] != "":
		party, _ := s.Party(c)
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

func (s confirmPages) challenge() page.StepCookie {
	return s.Sessions.KeepStep(passkeyStep)
}

// askPasskey answers with what a script asks the browser for a passkey with.
func (s confirmPages) askPasskey(c *fiber.Ctx, person tenant.Person) error {
	party, here := s.Party(c)
	if !here {
		return page.Refuse(c, noParty())
	}
	options, secret, err := s.Factors.Proofs.AskToProve(c.UserContext(), party, person.User)
	if err != nil {
		return page.Refuse(c, err)
	}
	s.challenge().Keep(c, secret, factor.PasskeyWait)
	return answerOptions(c, options)
}

// waiting is a form that was sent to a sensitive route and waits for the proof.
type waiting struct {
	// to is where it was sent, empty for none.
	to     string
	inputs []views.Carried
	// secret says that it has one, file that the answer is a file, and long that it is too
	// long to be carried by a page.
	secret, file, long bool
}

// waitingForm is the form that was sent here. A page holds no secret, so none is among
// its inputs.
func waitingForm(c *fiber.Ctx) waiting {
	form := waiting{to: to(c), file: c.Query("file") != "", long: len(c.Request().Body()) > page.MaxEcho}
	if form.long {
		return form
	}
	for name, value := range c.Request().PostArgs().All() {
		input := views.Carried{Name: string(name), Value: string(value)}
		secret := strings.HasSuffix(input.Name, "password") || strings.HasSuffix(input.Name, "key") || strings.HasSuffix(input.Name, "secret")
		switch {
		case slices.Contains(given, input.Name):
		case secret:
			form.secret = form.secret || input.Value != ""
		default:
			form.inputs = append(form.inputs, input)
		}
	}
	return form
}

// mustResend reports whether the person must send the form again, because it has a secret,
// downloads a file, or is too long.
func (w waiting) mustResend() bool { return w.secret || w.file || w.long }

// kept returns the entries that a script keeps for the form's page, in JSON.
func (w waiting) kept(path string) string {
	if w.to == "" || len(w.inputs) == 0 {
		return ""
	}
	values := make([][2]string, len(w.inputs))
	for i, input := range w.inputs {
		values[i] = [2]string{input.Name, input.Value}
	}
	text, err := json.Marshal(map[string]any{"page": path, "action": w.to, "values": values})
	if err != nil { // it is text
		return ""
	}
	return string(text)
}
