package tenant

import "parley/core/fault"

// Role says what a member may do.
type Role string

// The roles, each including the next.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"

	noRole Role = ""
)

var roleRank = map[Role]int{RoleMember: 1, RoleAdmin: 2, RoleOwner: 3}

// ParseRole returns the role of that name.
func ParseRole(name string) (Role, error) {
	if _, ok := roleRank[Role(name)]; !ok {
		return noRole, fault.InField("role", "role must be owner, admin or member.")
	}
	return Role(name), nil
}

// Action is something a member may do in a workspace.
type Action int

// The actions.
const (
	// Read views the workspace's chatbots, documents and records of tokens.
	Read Action = iota
	// Try asks a chatbot in the playground.
	Try
	// EditKnowledge adds and removes documents.
	EditKnowledge
	// ManageChatbots creates, changes and deletes chatbots.
	ManageChatbots
	// ManageTokens changes and revokes API tokens, and CreateTokens creates them.
	ManageTokens
	CreateTokens
	// ManageMembers removes members and changes their roles, and Invite adds some.
	ManageMembers
	Invite
	// ChangePlan moves the workspace to another plan.
	ChangePlan
	// ManageSSO connects the workspace with its own identity provider.
	ManageSSO
	// Pay changes how to pay for a plan, and TakePlan takes another. A suspended owner can
	// do both, too, so that a workspace never depends on one person.
	Pay
	TakePlan
)

// leastRole is the only place that says who may do what.
var leastRole = map[Action]Role{
	Read:           RoleMember,
	Try:            RoleMember,
	EditKnowledge:  RoleMember,
	ManageChatbots: RoleAdmin,
	ManageTokens:   RoleAdmin,
	CreateTokens:   RoleAdmin,
	ManageMembers:  RoleAdmin,
	Invite:         RoleAdmin,
	ChangePlan:     RoleOwner,
	ManageSSO:      RoleOwner,
	Pay:            RoleOwner,
	TakePlan:       RoleOwner,
}

// reachOthers are the actions that touch people outside of the workspace, or money.
// They need an address that is confirmed, so that nobody acts in the name of another.
var reachOthers = map[Action]bool{CreateTokens: true, Invite: true, TakePlan: true}

// May refuses, as Forbidden, an action that the role does not include.
func (r Role) May(action Action) error {
	least, known := leastRole[action]
	if !known || roleRank[r] < roleRank[least] {
		return fault.New(fault.Forbidden, "Your role in this workspace does not allow this. Ask an %s.", orOwner(least))
	}
	return nil
}

func orOwner(least Role) string {
	if least == RoleAdmin {
		return "admin or an owner"
	}
	return "owner"
}
