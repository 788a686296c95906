package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/tenant"
	"parley/views"
)

// workspacePages are the handlers of a workspace as a whole.
type workspacePages struct{ *site }

func (s workspacePages) workspacePage(c *fiber.Ctx, v visit) error {
	return s.showWorkspace(c, v, fiber.StatusOK, form{"confirm_name": ""}.view())
}

func (s workspacePages) showWorkspace(c *fiber.Ctx, v visit, status int, f views.Form) error {
	members, err := s.Team.Members.List(c.UserContext(), v.workspaceID())
	if err != nil {
		return err
	}
	return render(c, status, views.WorkspacePage(v.layout(c, views.WorkspaceSection, "Workspace"), views.WorkspaceSettings{
		Leave:  views.Leave{OnlyOwner: onlyOwner(members, v.person.User.ID)},
		Delete: f, MayDelete: v.may(tenant.ChangePlan), Paid: s.Billing != nil,
	}))
}

// deleteWorkspace ends the subscription before anything else: what is deleted
// must not be paid for any more.
func (s workspacePages) deleteWorkspace(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, "confirm_name")
	if err != nil {
		return err
	}
	if err := s.deleteAll(c, v, typed["confirm_name"]); err != nil {
		logFailure(c, s.Log, fault.As(err))
		return typed.again(c, err, func(status int, f views.Form) error { return s.showWorkspace(c, v, status, f) })
	}
	return done(c, elsewhere(v), "gone")
}

func (s workspacePages) deleteAll(c *fiber.Ctx, v visit, name string) error {
	if strings.TrimSpace(name) != v.member.Workspace.Name {
		return fault.InField("confirm_name", "That is not the name of the workspace. Type the name exactly as it is shown.")
	}
	if s.Billing != nil {
		if err := s.Billing.Cancel(c.UserContext(), v.workspaceID()); err != nil {
			return fault.Wrap(fault.Unavailable, err, "Stripe could not cancel the subscription, so nothing was deleted. Try again in a minute.")
		}
	}
	if err := s.deleteContent(c, v); err != nil {
		return fault.Wrap(fault.Unavailable, err, "Some of the workspace is still there. Delete it again in a minute. The subscription has ended, so nothing more will be charged.")
	}
	return nil
}

// deleteContent lets the index forget each chatbot before the rows go.
func (s workspacePages) deleteContent(c *fiber.Ctx, v visit) error {
	bots, err := s.Chatbots.List(c.UserContext(), v.workspaceID())
	if err != nil {
		return err
	}
	for _, bot := range bots {
		err := s.Chatbots.Delete(c.UserContext(), v.workspaceID(), bot.ID)
		if err != nil && !fault.Is(err, fault.NotFound) { // somebody else was faster
			return err
		}
	}
	return s.Subscriptions.Deletions.DeleteWorkspace(c.UserContext(), v.workspaceID())
}

// elsewhere is where a person goes on when a workspace is gone.
func elsewhere(v visit) string {
	for _, m := range v.person.Memberships {
		if m.Workspace.ID != v.workspaceID() {
			return views.WorkspaceURL(m.Workspace.ID)
		}
	}
	return "/"
}
