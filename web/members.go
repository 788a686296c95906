package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views"
)

// memberPages are the handlers of the members of a workspace.
type memberPages struct{ *site }

func (s memberPages) membersPage(c *fiber.Ctx, v visit) error {
	return s.showMembers(c, v, fiber.StatusOK, views.Members{})
}

// showMembers adds to m what the workspace has.
func (s memberPages) showMembers(c *fiber.Ctx, v visit, status int, m views.Members) error {
	members, err := s.Team.Members.List(c.UserContext(), v.workspaceID())
	if err != nil {
		return err
	}
	m.MayManage = v.may(tenant.ManageMembers)
	m.Leave.OnlyOwner = onlyOwner(members, v.person.User.ID)
	for _, member := range members {
		m.Members = append(m.Members, views.Member{
			ID: member.UserID, Email: member.Email, Role: string(member.Role), OverLimit: member.OverLimit, JoinedAt: member.CreatedAt,
			MayChange: v.member.Role == tenant.RoleOwner || member.Role != tenant.RoleOwner,
		})
	}
	if m.MayManage {
		m.Roles = grantable(v.member.Role)
		if m.Invitations, err = s.openInvitations(c, v, members); err != nil {
			return err
		}
	}
	return render(c, status, views.MembersPage(v.layout(c, views.MembersSection, "Members"), m))
}

// grantable are the roles that a role is offered to give, the least first.
func grantable(by tenant.Role) []string {
	roles := []string{string(tenant.RoleMember), string(tenant.RoleAdmin)}
	if by == tenant.RoleOwner {
		roles = append(roles, string(tenant.RoleOwner))
	}
	return roles
}

func (s memberPages) openInvitations(c *fiber.Ctx, v visit, members []tenant.Member) ([]views.Invitation, error) {
	invitations, err := s.Team.Invitations.List(c.UserContext(), v.workspaceID())
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
func (s memberPages) invite(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, "email", "role")
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
	return s.showMembers(c, v, fiber.StatusOK, views.Members{Link: s.address("/join#" + code)})
}

func (s memberPages) makeInvitation(c *fiber.Ctx, v visit, typed form) (string, error) {
	role, err := tenant.ParseRole(typed["role"])
	if err != nil {
		return "", err
	}
	return s.Team.Invitations.Invite(c.UserContext(), v.workspaceID(), v.person.User.ID, typed["email"], role)
}

func (s memberPages) cancelInvitation(c *fiber.Ctx, v visit) error {
	if err := s.Team.Invitations.CancelInvitation(c.UserContext(), v.workspaceID(), id.Given(c.Params("invitation"))); err != nil {
		return err
	}
	return done(c, views.MembersURL(v.workspaceID()), "canceled")
}

func (s memberPages) changeRole(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, "role")
	if err != nil {
		return err
	}
	role, err := tenant.ParseRole(typed["role"])
	if err != nil {
		return err
	}
	if err := s.Team.Members.ChangeRole(c.UserContext(), v.workspaceID(), v.person.User.ID, id.Given(c.Params("user")), role); err != nil {
		return s.membersAgain(c, v, form{}, err)
	}
	return done(c, views.MembersURL(v.workspaceID()), "saved")
}

func (s memberPages) removeMember(c *fiber.Ctx, v visit) error {
	user := id.Given(c.Params("user"))
	if err := s.Team.Members.RemoveMember(c.UserContext(), v.workspaceID(), v.person.User.ID, user); err != nil {
		return s.membersAgain(c, v, form{}, err)
	}
	if user == v.person.User.ID {
		return seeOther(c, "/")
	}
	return done(c, views.MembersURL(v.workspaceID()), "removed")
}

func (s memberPages) membersAgain(c *fiber.Ctx, v visit, typed form, err error) error {
	return typed.again(c, err, func(status int, f views.Form) error {
		return s.showMembers(c, v, status, views.Members{Form: f})
	})
}

// leave takes the person out of the workspace, who has confirmed it.
func (s memberPages) leave(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, "leave")
	if err != nil {
		return err
	}
	if err := s.leaveConfirmed(c, v, typed["leave"]); err != nil {
		return typed.again(c, err, func(status int, f views.Form) error {
			return s.showMembers(c, v, status, views.Members{Leave: views.Leave{Form: f}})
		})
	}
	return done(c, elsewhere(v), "left")
}

func (s memberPages) leaveConfirmed(c *fiber.Ctx, v visit, confirmed string) error {
	if confirmed == "" {
		return fault.InField("leave", "Check the box to leave the workspace.")
	}
	return s.Team.Members.Leave(c.UserContext(), v.workspaceID(), v.person.User.ID)
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
