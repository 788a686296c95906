package person

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/tenant"
	views "parley/views/person"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// workspacePages are the handlers of the workspaces that a person adds.
type workspacePages struct{ *page.Base }

func (s workspacePages) newWorkspacePage(c *fiber.Ctx, person tenant.Person) error {
	return s.showNew(c, person, fiber.StatusOK, page.Form{"name": ""}.View())
}

func (s workspacePages) showNew(c *fiber.Ctx, person tenant.Person, status int, f ui.Form) error {
	return page.Render(c, status, views.NewWorkspacePage(s.PersonLayout(c, person, "New workspace"), f))
}

func (s workspacePages) createWorkspace(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "name")
	if err != nil {
		return err
	}
	made, err := s.Tenants.Workspaces.CreateAnother(c.UserContext(), person.User, typed["name"])
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showNew(c, person, status, f) })
	}
	return s.Flash(c, shell.WorkspaceURL(made.ID), page.Message{Text: "“" + made.Name + "” created."})
}
