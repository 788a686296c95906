package tenant_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	auditstore "parley/store/audit"
	"parley/store/bots"
	"parley/store/people"
)

// invitedBy creates an invitation by a member, and returns its code.
func (c *clock) invitedBy(user, email string, role tenant.Role) string {
	c.Helper()
	code, err := c.Invitations.Invite(c.Context(), c.space.ID, user, email, role)
	c.must(err)
	return code
}

// joins checks whether somebody can join with a code.
func (c *clock) joins(code string, want bool) {
	c.Helper()
	_, err := c.Invitations.Join(c.Context(), code, "a long enough password", stranger)
	if want {
		c.must(err)
		return
	}
	if !fault.Is(err, fault.Invalid) || fault.As(err).Field != "code" {
		c.Errorf("joining gives %v", err)
	}
}

func TestInvitationsEndWithTheRight(t *testing.T) {
	t.Parallel()
	for sentence, lose := range map[string]func(c *clock, admin string) error{
		"an admin who is removed cannot return by their own invitation": func(c *clock, admin string) error {
			return c.Members.Remove(c.Context(), c.space.ID, c.user.ID, admin)
		},
		"an admin who leaves cannot return by their own invitation": func(c *clock, admin string) error {
			return c.Members.Leave(c.Context(), c.space.ID, admin)
		},
		"a member who was an admin has no open invitation": func(c *clock, admin string) error {
			return c.Members.ChangeRole(c.Context(), c.space.ID, c.user.ID, admin, tenant.RoleMember)
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			c := newClock(t)
			admin, other := c.addMember("admin", tenant.RoleAdmin), c.addMember("other", tenant.RoleAdmin)
			code := c.invitedBy(admin, "back@example.com", tenant.RoleAdmin)
			kept := c.invitedBy(other, "guest@example.com", tenant.RoleMember)
			c.must(lose(c, admin))
			c.joins(code, false)
			if open, err := c.Invitations.List(t.Context(), c.space.ID); err != nil || len(open) != 1 || open[0].InvitedBy != other {
				t.Errorf("there are open %+v, %v", open, err)
			}
			c.joins(kept, true)
		})
	}
	t.Run("an owner who becomes an admin has no open invitation of an owner", func(t *testing.T) {
		c := newClock(t)
		second := c.addMember("second", tenant.RoleOwner)
		owner := c.invitedBy(second, "boss@example.com", tenant.RoleOwner)
		member := c.invitedBy(second, "guest@example.com", tenant.RoleMember)
		c.must(c.Members.ChangeRole(t.Context(), c.space.ID, c.user.ID, second, tenant.RoleAdmin))
		c.joins(owner, false)
		c.joins(member, true)
	})
	t.Run("a request that started before the role was lost invites nobody", func(t *testing.T) {
		c := newClock(t)
		admin := c.addMember("admin", tenant.RoleAdmin)
		c.must(c.Members.Remove(t.Context(), c.space.ID, c.user.ID, admin))
		_, err := c.Invitations.Invite(t.Context(), c.space.ID, admin, "back@example.com", tenant.RoleAdmin)
		c.isA(err, fault.NotFound)
		demoted := c.addMember("demoted", tenant.RoleMember)
		_, err = c.Invitations.Invite(t.Context(), c.space.ID, demoted, "back@example.com", tenant.RoleMember)
		c.isA(err, fault.Forbidden)
		c.isA(c.Members.ChangeRole(t.Context(), c.space.ID, demoted, demoted, tenant.RoleAdmin), fault.Forbidden)
		c.isA(c.Members.Remove(t.Context(), c.space.ID, demoted, c.user.ID), fault.Conflict) // the last owner
	})
	t.Run("an invitation waits while its inviter is over the plan's limit", func(t *testing.T) {
		c := newClock(t)
		c.addMember("first", tenant.RoleMember)
		c.addMember("second", tenant.RoleMember)
		admin := c.addMember("admin", tenant.RoleAdmin)
		code := c.invitedBy(admin, "guest@example.com", tenant.RoleMember)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
		c.suspended(plan.Members, admin)
		c.joins(code, false)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Standard))
		c.joins(code, true)
	})
	t.Run("an old invitation without a recorded inviter is valid until it expires", func(t *testing.T) {
		c := newClock(t)
		c.must(people.NewInvitations(c.store).CreateInvitation(t.Context(), c.space.ID, tenant.Invitation{
			ID: "inv_old", WorkspaceID: c.space.ID, Email: "old@example.com", Role: tenant.RoleMember,
			CreatedAt: c.now, ExpiresAt: c.now.Add(day),
		}, hashed("old code")))
		admin := c.addMember("admin", tenant.RoleAdmin)
		c.must(c.Members.Remove(t.Context(), c.space.ID, c.user.ID, admin))
		c.joins("old code", true)
	})
}

func TestLeave(t *testing.T) {
	t.Parallel()
	t.Run("a member who leaves no longer sees the workspace, but keeps their session and account", func(t *testing.T) {
		c := newClock(t)
		member := c.addMember("member", tenant.RoleMember)
		keys, err := c.Sessions.Start(t.Context(), member, signin.Proof{Method: signin.ByPassword}, stranger)
		c.must(err)
		c.must(c.Members.Leave(audit.AsPerson(t.Context(), member, "member@example.com"), c.space.ID, member))
		left, err := auditstore.NewAuditLog(c.store).Audit(t.Context(), c.space.ID, audit.Filter{Actions: []audit.Action{audit.MemberLeft}, Limit: 10})
		if err != nil || len(left) != 1 || left[0].Actor.UserID != member {
			t.Errorf("the log says %+v, %v", left, err)
		}
		person, err := c.People.Person(t.Context(), keys.Session)
		if err != nil || len(person.Memberships) != 0 {
			t.Errorf("they are %+v, %v", person, err)
		}
	})
	t.Run("API tokens of a member who leaves stay with the workspace", func(t *testing.T) {
		c := newClock(t)
		admin := c.addMember("admin", tenant.RoleAdmin)
		c.addChatbots(1)
		c.must(bots.NewTokens(c.store).CreateToken(t.Context(), c.space.ID, chatbot.Token{
			ID: "tok_1", WorkspaceID: c.space.ID, ChatbotID: "cb_1", Name: "theirs", Scopes: chatbot.AllScopes(),
			CreatedBy: "admin@example.com", CreatedAt: c.now,
		}, "hash of tok_1"))
		c.must(c.Members.Leave(t.Context(), c.space.ID, admin))
		tokens, err := bots.NewTokens(c.store).Tokens(t.Context(), c.space.ID, "cb_1")
		if err != nil || len(tokens) != 1 || tokens[0].RevokedAt != nil {
			t.Errorf("the tokens are %+v, %v", tokens, err)
		}
	})
	t.Run("the last owner cannot leave", func(t *testing.T) {
		c := newClock(t)
		c.addMember("admin", tenant.RoleAdmin)
		c.isA(c.Members.Leave(t.Context(), c.space.ID, c.user.ID), fault.Conflict)
		second := c.addMember("second", tenant.RoleOwner)
		c.must(c.Members.Leave(t.Context(), c.space.ID, c.user.ID))
		c.isA(c.Members.Leave(t.Context(), c.space.ID, second), fault.Conflict)
	})
	t.Run("nobody leaves a workspace that they do not belong to", func(t *testing.T) {
		c := newClock(t)
		c.isA(c.Members.Leave(t.Context(), c.space.ID, "usr_stranger"), fault.NotFound)
	})
}

func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
