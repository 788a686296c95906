package signon

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/sso"
	"parley/core/tenant"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// connectionPages are the handlers of a workspace's single sign-on.
type connectionPages struct{ *page.Base }

func (s connectionPages) page(c *fiber.Ctx, v page.Visit) error {
	typed := page.Form{"issuer": "", "client_id": "", "client_secret": "", "domain": "", "role": "", "required": ""}
	connection, err := s.SSO.Connections.Get(c.UserContext(), v.WorkspaceID())
	switch {
	case err == nil:
		typed["issuer"], typed["client_id"], typed["domain"], typed["role"] = connection.Issuer, connection.ClientID, connection.Domain, string(connection.Role)
		if connection.Required {
			typed["required"] = "on"
		}
	case !fault.Is(err, fault.NotFound):
		return err
	}
	return s.show(c, v, fiber.StatusOK, typed.View(), "")
}

func (s connectionPages) show(c *fiber.Ctx, v page.Visit, status int, f ui.Form, result string) error {
	m := views.SSO{Form: f, Result: result, ReturnURL: returnURL(s.Base)(v.WorkspaceID())}
	connection, err := s.SSO.Connections.Get(c.UserContext(), v.WorkspaceID())
	switch {
	case err == nil:
		m.Saved, m.Confirmed, m.Domain = true, connection.IsConfirmed(), connection.Domain
		m.RecordName, m.RecordText = connection.RecordName(), connection.RecordText()
	case !fault.Is(err, fault.NotFound):
		return err
	}
	switch err := s.SSO.Connections.Admit(c.UserContext(), v.WorkspaceID()); {
	case fault.Is(err, fault.Forbidden):
		m.Upgrade = fault.As(err).Message
	case err != nil:
		return err
	}
	return page.Render(c, status, views.SSOPage(v.Layout(c, shell.WorkspaceSection, "Single sign-on"), m))
}

func readConnection(c *fiber.Ctx) (page.Form, sso.Settings, error) {
	typed, err := page.ReadForm(c, "issuer", "client_id", "client_secret", "domain", "role", "required")
	return typed, sso.Settings{
		Issuer: typed["issuer"], ClientID: typed["client_id"], Secret: sso.Secret(typed["client_secret"]), Domain: typed["domain"],
		Role: tenant.Role(typed["role"]), Required: typed["required"] != "",
	}, err
}

func (s connectionPages) save(c *fiber.Ctx, v page.Visit) error {
	typed, settings, err := readConnection(c)
	if err != nil {
		return err
	}
	saved, err := s.SSO.Connections.Save(c.UserContext(), v.WorkspaceID(), settings)
	if err != nil {
		page.LogFailure(c, s.Log, fault.As(err))
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.show(c, v, status, f, "") })
	}
	said := "Saved. People at " + saved.Domain + " can sign in by your provider."
	if !saved.IsConfirmed() {
		said = "Saved. Now confirm the domain."
	}
	return s.Flash(c, shell.SSOURL(v.WorkspaceID()), page.Message{Text: said})
}

const ssoWorks = "It works: the provider answers, and knows this client ID and secret."

// try asks the provider that was typed, and saves nothing. A script gets the result
// alone, so that the secret stays in its input.
func (s connectionPages) try(c *fiber.Ctx, v page.Visit) error {
	typed, settings, err := readConnection(c)
	if err != nil {
		return err
	}
	err = s.SSO.Connections.Try(c.UserContext(), v.WorkspaceID(), settings, returnURL(s.Base)(v.WorkspaceID()))
	scripted := strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMEApplicationJSON)
	switch failure := fault.As(err); {
	case err == nil && scripted:
		return c.JSON(page.Trial{Works: true, Message: ssoWorks})
	case err == nil:
		return s.show(c, v, fiber.StatusOK, typed.View(), ssoWorks)
	case scripted && failure.Kind == fault.Invalid:
		return c.JSON(page.Trial{Field: failure.Field, Message: failure.Message})
	}
	return typed.Again(c, err, func(status int, f ui.Form) error { return s.show(c, v, status, f, "") })
}

func (s connectionPages) checkDomain(c *fiber.Ctx, v page.Visit) error {
	err := s.SSO.Domains.Check(c.UserContext(), v.WorkspaceID())
	message := page.Message{Text: "The domain is confirmed. Your people can sign in by your provider now."}
	if failure := fault.As(err); err != nil {
		if failure.Kind != fault.Invalid && failure.Kind != fault.Conflict {
			return err
		}
		message = page.Message{Text: failure.Message, Failed: true}
	}
	return s.Flash(c, shell.SSOURL(v.WorkspaceID()), message)
}

func (s connectionPages) remove(c *fiber.Ctx, v page.Visit) error {
	if err := s.SSO.Connections.Delete(c.UserContext(), v.WorkspaceID()); err != nil {
		return err
	}
	return s.Flash(c, shell.SSOURL(v.WorkspaceID()), page.Message{Text: "Single sign-on has been removed."})
}
