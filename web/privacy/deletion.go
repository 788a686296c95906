package privacy

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/tenant"
	"parley/views/shell"
	views "parley/views/workspace"
	"parley/web/page"
)

// deletionPages are the handlers of a workspace that is being deleted.
type deletionPages struct{ *page.Base }

// deletionPage says when the workspace ends, and that an owner can restore it.
func (s deletionPages) deletionPage(c *fiber.Ctx, v page.Visit) error {
	w := v.Member.Workspace
	l := s.PersonLayout(c, v.Person, "“"+w.Name+"” is being deleted")
	l.Section = ""
	return page.Render(c, fiber.StatusOK, views.DeletionPage(l, w.ID, *w.DeleteAt, v.May(tenant.ChangePlan), s.Billing != nil))
}

func (s deletionPages) restore(c *fiber.Ctx, v page.Visit) error {
	if err := s.Privacy.Workspaces.Restore(c.UserContext(), v.WorkspaceID(), v.Person.User.ID); err != nil {
		return err
	}
	return s.Flash(c, shell.WorkspaceURL(v.WorkspaceID()), page.Message{Text: "“" + v.Member.Workspace.Name + "” restored."})
}
