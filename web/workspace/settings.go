package workspace

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/tenant"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// workspacePages are the handlers of a workspace as a whole.
type workspacePages struct{ *page.Base }

func (s workspacePages) workspacePage(c *fiber.Ctx, v page.Visit) error {
	return s.showWorkspace(c, v, fiber.StatusOK, workspaceForms(v.Member.Workspace))
}

// workspaceFormSet are the forms of the page.
type workspaceFormSet struct{ name, factor, remove ui.Form }

// workspaceForms are the forms before anything is typed.
func workspaceForms(w tenant.Workspace) workspaceFormSet {
	required := ""
	if w.SecondFactorRequired {
		required = "yes"
	}
	return workspaceFormSet{
		name:   page.Form{"name": w.Name, "seen": w.Name}.View(),
		factor: page.Form{"required": required}.View(),
		remove: page.Form{"confirm_name": ""}.View(),
	}
}

func (s workspacePages) showWorkspace(c *fiber.Ctx, v page.Visit, status int, f workspaceFormSet) error {
	members, err := s.Team.Members.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	return page.Render(c, status, views.SettingsPage(v.Layout(c, shell.WorkspaceSection, "Workspace settings"), views.Settings{
		Leave: views.Leave{OnlyOwner: onlyOwner(members, v.Person.User.ID)},
		Name:  f.name, MayRename: v.May(tenant.ManageMembers),
		Factor: f.factor, MaySecure: v.May(tenant.ChangePlan),
		Delete: f.remove, MayDelete: v.May(tenant.ChangePlan), MayManageSSO: v.May(tenant.ManageSSO), Paid: s.Billing != nil,
	}))
}

// deleteWorkspace has the workspace end in some days.
func (s workspacePages) deleteWorkspace(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "confirm_name")
	if err != nil {
		return err
	}
	if err := s.deleteNamed(c, v, typed["confirm_name"]); err != nil {
		page.LogFailure(c, s.Log, fault.As(err))
		return typed.Again(c, err, func(status int, f ui.Form) error {
			forms := workspaceForms(v.Member.Workspace)
			forms.remove = f
			return s.showWorkspace(c, v, status, forms)
		})
	}
	return page.SeeOther(c, shell.DeletionURL(v.WorkspaceID()))
}

// rename gives the workspace another name. Somebody whose page shows an older one
// is told.
func (s workspacePages) rename(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "name", "seen")
	if err != nil {
		return err
	}
	err = s.Tenants.Workspaces.Rename(c.UserContext(), v.WorkspaceID(), typed["seen"], typed["name"])
	if fault.Is(err, fault.Conflict) {
		typed["seen"] = v.Member.Workspace.Name
	}
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			forms := workspaceForms(v.Member.Workspace)
			forms.name = f
			return s.showWorkspace(c, v, status, forms)
		})
	}
	return s.Flash(c, shell.SettingsURL(v.WorkspaceID()), page.Message{Text: "The workspace is now called “" + strings.TrimSpace(typed["name"]) + "”."})
}

// requireSecondFactor demands a second factor of all members, or no longer.
func (s workspacePages) requireSecondFactor(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "required")
	if err != nil {
		return err
	}
	required := typed["required"] != ""
	if err := s.Tenants.Workspaces.RequireSecondFactor(c.UserContext(), v.WorkspaceID(), v.Person, required); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			forms := workspaceForms(v.Member.Workspace)
			forms.factor = f
			return s.showWorkspace(c, v, status, forms)
		})
	}
	said := "Members no longer need a second factor."
	if required {
		said = "Members need a second factor from now on."
	}
	return s.Flash(c, shell.SettingsURL(v.WorkspaceID()), page.Message{Text: said})
}

func (s workspacePages) deleteNamed(c *fiber.Ctx, v page.Visit, name string) error {
	if strings.TrimSpace(name) != v.Member.Workspace.Name {
		return fault.InField("confirm_name", "That is not the name of the workspace. Type the name exactly as it is shown.")
	}
	_, err := s.Privacy.Workspaces.Delete(c.UserContext(), v.WorkspaceID())
	return err
}

// elsewhere is where a person goes on when a workspace is gone.
func elsewhere(v page.Visit) string {
	for _, m := range v.Person.Memberships {
		if m.Workspace.ID != v.WorkspaceID() {
			return shell.WorkspaceURL(m.Workspace.ID)
		}
	}
	return "/"
}
