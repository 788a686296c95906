package tenant

import (
	"strings"
	"testing"

	"parley/core/fault"
)

func TestRoles(t *testing.T) {
	allowed := map[Action]map[Role]bool{
		Read:           {RoleMember: true, RoleAdmin: true, RoleOwner: true},
		Try:            {RoleMember: true, RoleAdmin: true, RoleOwner: true},
		EditKnowledge:  {RoleMember: true, RoleAdmin: true, RoleOwner: true},
		ManageChatbots: {RoleAdmin: true, RoleOwner: true},
		ManageTokens:   {RoleAdmin: true, RoleOwner: true},
		ManageMembers:  {RoleAdmin: true, RoleOwner: true},
		ChangePlan:     {RoleOwner: true},
		ManageSSO:      {RoleOwner: true},
		Pay:            {RoleOwner: true},
		CreateTokens:   {RoleAdmin: true, RoleOwner: true},
		Invite:         {RoleAdmin: true, RoleOwner: true},
		TakePlan:       {RoleOwner: true},
	}
	if len(allowed) != len(leastRole) {
		t.Fatalf("the table is about %d actions of %d", len(allowed), len(leastRole))
	}
	for action, roles := range allowed {
		for _, role := range []Role{noRole, "guest", RoleMember, RoleAdmin, RoleOwner} {
			person := Person{Memberships: []Membership{{Workspace: Workspace{ID: "ws_a"}, Role: role}}}
			_, err := person.May(action, "ws_a")
			switch {
			case roles[role] && err != nil:
				t.Errorf("a %q is refused action %d: %v", role, action, err)
			case !roles[role] && !fault.Is(err, fault.Forbidden):
				t.Errorf("a %q gets %v for action %d", role, err, action)
			}
			if _, err := person.May(action, "ws_b"); !fault.Is(err, fault.NotFound) {
				t.Errorf("a %q of another workspace gets %v for action %d", role, err, action)
			}
		}
	}

	t.Run("an unknown action is refused to everyone", func(t *testing.T) {
		if err := RoleOwner.May(Action(99)); !fault.Is(err, fault.Forbidden) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("a refusal says whom to ask", func(t *testing.T) {
		for action, whom := range map[Action]string{ManageTokens: "Ask an admin or an owner.", ChangePlan: "Ask an owner."} {
			if message := fault.As(RoleMember.May(action)).Message; !strings.HasSuffix(message, whom) {
				t.Errorf("it says %q", message)
			}
		}
	})
}

func TestOverLimit(t *testing.T) {
	for action := range leastRole {
		person := Person{Memberships: []Membership{{Workspace: Workspace{ID: "ws_a"}, Role: RoleAdmin, OverLimit: true}}}
		_, err := person.May(action, "ws_a")
		switch {
		case action == Read && err != nil:
			t.Errorf("a suspended member cannot view: %v", err)
		case action == ChangePlan && !strings.HasSuffix(fault.As(err).Message, "Ask an owner."):
			t.Errorf("for what the role does not allow it says %v", err)
		case action != Read && !fault.Is(err, fault.Forbidden):
			t.Errorf("a suspended member gets %v for action %d", err, action)
		case action == ManageTokens && !strings.Contains(fault.As(err).Message, "Ask an owner to choose who stays active, or to upgrade the plan."):
			t.Errorf("it does not say what to do: %v", err)
		}
	}
}

func TestParseRole(t *testing.T) {
	for name, ok := range map[string]bool{"owner": true, "admin": true, "member": true, "": false, "Owner": false, "root": false} {
		if role, err := ParseRole(name); (err == nil) != ok || ok && role != Role(name) {
			t.Errorf("%q gives %q, %v", name, role, err)
		}
	}
}

// mayChange applies the rules for a change of role.
func mayChange(members []Member, by, userID string, to Role) error {
	member, err := memberOf(members, userID)
	if err != nil {
		return err
	}
	if err := needsOwner(members, member, to); err != nil {
		return err
	}
	return mayManage(members, by, member, to)
}

func TestMayChange(t *testing.T) {
	one := []Member{{UserID: "owner", Role: RoleOwner}, {UserID: "admin", Role: RoleAdmin}, {UserID: "member", Role: RoleMember}}
	two := append([]Member{{UserID: "owner2", Role: RoleOwner}}, one...)
	const admitted fault.Kind = -1
	for sentence, c := range map[string]struct {
		members []Member
		by      string
		user    string
		to      Role
		want    fault.Kind
	}{
		"an owner makes a member an admin":                  {one, "owner", "member", RoleAdmin, admitted},
		"an owner makes a member an owner":                  {one, "owner", "member", RoleOwner, admitted},
		"an owner removes an admin":                         {one, "owner", "admin", noRole, admitted},
		"an admin makes a member an admin":                  {one, "admin", "member", RoleAdmin, admitted},
		"an admin removes an admin":                         {one, "admin", "admin", noRole, admitted},
		"an admin cannot make anybody an owner":             {one, "admin", "member", RoleOwner, fault.Forbidden},
		"an admin cannot change an owner":                   {two, "admin", "owner", RoleMember, fault.Forbidden},
		"an admin cannot remove an owner":                   {two, "admin", "owner", noRole, fault.Forbidden},
		"the last owner stays, whoever requests the change": {one, "owner", "owner", RoleAdmin, fault.Conflict},
		"the last owner cannot leave":                       {one, "owner", "owner", noRole, fault.Conflict},
		"the last owner may be made an owner again":         {one, "owner", "owner", RoleOwner, admitted},
		"one of two owners may step down":                   {two, "owner", "owner", RoleMember, admitted},
		"one of two owners may leave":                       {two, "owner", "owner2", noRole, admitted},
		"a stranger cannot be changed":                      {one, "owner", "stranger", RoleAdmin, fault.NotFound},
		"admins do not find a stranger":                     {one, "admin", "stranger", RoleOwner, fault.NotFound},
	} {
		t.Run(sentence, func(t *testing.T) {
			err := mayChange(c.members, c.by, c.user, c.to)
			if c.want == admitted && err != nil || c.want != admitted && !fault.Is(err, c.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
