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
	// ManageTokens creates and revokes API tokens.
	ManageTokens
	// ManageMembers invites and removes members and changes their roles.
	ManageMembers
	// ChangePlan moves the workspace to another plan.
	ChangePlan
	// ManageSSO connects the workspace with its own identity provider.
	ManageSSO
	// Pay buys a plan, or changes how to pay for it. A suspended owner can do it, too,
	// so that a workspace never depends on one person.
	Pay
)

// leastRole is the only place that says who may do what.
var leastRole = map[Action]Role{
	Read:           RoleMember,
	Try:            RoleMember,
	EditKnowledge:  RoleMember,
	ManageChatbots: RoleAdmin,
	ManageTokens:   RoleAdmin,
	ManageMembers:  RoleAdmin,
	ChangePlan:     RoleOwner,
	ManageSSO:      RoleOwner,
	Pay:            RoleOwner,
}

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
