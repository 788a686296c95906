package workspace

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// memberPages are the handlers of the members of a workspace.
type memberPages struct{ *page.Base }

func (s memberPages) membersPage(c *fiber.Ctx, v page.Visit) error {
	return s.showMembers(c, v, fiber.StatusOK, views.Members{})
}

// showMembers adds to m what the workspace has.
func (s memberPages) showMembers(c *fiber.Ctx, v page.Visit, status int, m views.Members) error {
	members, err := s.Team.Members.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	m.MayManage = v.May(tenant.ManageMembers)
	m.Leave.OnlyOwner = onlyOwner(members, v.Person.User.ID)
	for _, member := range members {
		m.Members = append(m.Members, views.Member{
			ID: member.UserID, Email: member.Email, Role: string(member.Role), OverLimit: member.OverLimit, JoinedAt: member.CreatedAt,
			You:       member.UserID == v.Person.User.ID,
			MayChange: v.Member.Role == tenant.RoleOwner || member.Role != tenant.RoleOwner,
		})
	}
	if m.MayManage {
		m.Roles = grantable(v.Member.Role)
		if m.Invitations, err = s.openInvitations(c, v, members); err != nil {
			return err
		}
		p, err := s.Tenants.Plans.Existing(c.UserContext(), v.Member.Workspace.Plan)
		if err != nil {
			return err
		}
		if full := p.Admit(plan.Members, len(m.Members)+len(m.Invitations)+1); full != nil {
			m.Full = fault.As(full).Message
		}
	}
	return page.Render(c, status, views.MembersPage(v.Layout(c, shell.MembersSection, "Members"), m))
}

// grantable are the roles that a role is offered to give, the least first.
func grantable(by tenant.Role) []string {
	roles := []string{string(tenant.RoleMember), string(tenant.RoleAdmin)}
	if by == tenant.RoleOwner {
		roles = append(roles, string(tenant.RoleOwner))
	}
	return roles
}

func (s memberPages) openInvitations(c *fiber.Ctx, v page.Visit, members []tenant.Member) ([]views.Invitation, error) {
	invitations, err := s.Team.Invitations.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return nil, err
	}
	emails := map[string]string{}
	for _, m := range members {
		emails[m.UserID] = m.Email
	}
	open := make([]views.Invitation, 0, len(invitations))
	for _, i := range invitations {
		open = append(open, views.Invitation{
			ID: i.ID, Email: i.Email, Role: string(i.Role), InvitedBy: emails[i.InvitedBy], ExpiresAt: i.ExpiresAt,
		})
	}
	return open, nil
}

// invite answers with the page itself: the link is seen once, and no address
// could hold it.
func (s memberPages) invite(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "email", "role")
	if err != nil {
		return err
	}
	code, err := s.makeInvitation(c, v, typed)
	if err != nil {
		return s.membersAgain(c, v, typed, err)
	}
	if s.Letters.On() { // whoever invites must not learn by the link whether there is an account
		return s.showMembers(c, v, fiber.StatusOK, views.Members{MailedTo: typed["email"]})
	}
	return s.showMembers(c, v, fiber.StatusOK, views.Members{Link: s.Address("/join#" + code)})
}

func (s memberPages) makeInvitation(c *fiber.Ctx, v page.Visit, typed page.Form) (string, error) {
	role, err := tenant.ParseRole(typed["role"])
	if err != nil {
		return "", err
	}
	return s.Team.Invitations.Invite(c.UserContext(), v.WorkspaceID(), v.Person.User.ID, typed["email"], role)
}

func (s memberPages) cancelInvitation(c *fiber.Ctx, v page.Visit) error {
	if err := s.Team.Invitations.Cancel(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("invitation"))); err != nil {
		return err
	}
	return page.Done(c, shell.MembersURL(v.WorkspaceID()), "canceled")
}

func (s memberPages) changeRole(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "role")
	if err != nil {
		return err
	}
	role, err := tenant.ParseRole(typed["role"])
	if err != nil {
		return err
	}
	if err := s.Team.Members.ChangeRole(c.UserContext(), v.WorkspaceID(), v.Person.User.ID, id.Parse(c.Params("user")), role); err != nil {
		return s.membersAgain(c, v, page.Form{}, err)
	}
	return page.Done(c, shell.MembersURL(v.WorkspaceID()), "saved")
}

func (s memberPages) removeMember(c *fiber.Ctx, v page.Visit) error {
	user := id.Parse(c.Params("user"))
	if err := s.Team.Members.Remove(c.UserContext(), v.WorkspaceID(), v.Person.User.ID, user); err != nil {
		return s.membersAgain(c, v, page.Form{}, err)
	}
	if user == v.Person.User.ID {
		return page.SeeOther(c, "/")
	}
	return page.Done(c, shell.MembersURL(v.WorkspaceID()), "removed")
}

func (s memberPages) membersAgain(c *fiber.Ctx, v page.Visit, typed page.Form, err error) error {
	return typed.Again(c, err, func(status int, f ui.Form) error {
		return s.showMembers(c, v, status, views.Members{Form: f})
	})
}

// leave removes the person from the workspace, once they have confirmed it.
func (s memberPages) leave(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "leave")
	if err != nil {
		return err
	}
	if err := s.leaveConfirmed(c, v, typed["leave"]); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return s.showMembers(c, v, status, views.Members{Leave: views.Leave{Form: f}})
		})
	}
	return page.Done(c, elsewhere(v), "left")
}

func (s memberPages) leaveConfirmed(c *fiber.Ctx, v page.Visit, confirmed string) error {
	if confirmed == "" {
		return fault.InField("leave", "Check the box to leave the workspace.")
	}
	return s.Team.Members.Leave(c.UserContext(), v.WorkspaceID(), v.Person.User.ID)
}

// onlyOwner reports whether a workspace would have no owner without a user.
func onlyOwner(members []tenant.Member, userID string) bool {
	only := false
	for _, m := range members {
		if m.Role == tenant.RoleOwner {
			if m.UserID != userID {
				return false
			}
			only = true
		}
	}
	return only
}
