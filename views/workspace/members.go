package workspace

import (
	"time"

	"parley/views/ui"
)

// Members is the page of a workspace's members.
type Members struct {
	Members     []Member
	Invitations []Invitation
	// MayManage shows what invites, changes and removes.
	MayManage bool
	// Roles are those that the person can give.
	Roles []string
	Form  ui.Form
	// Link is the link of the invitation just made. It is shown once.
	Link string
	// MailedTo is to whom the invitation just made was mailed, empty where
	// there are no mails.
	MailedTo string
	// Full says why the plan allows no further members. It is empty if it does.
	Full string
	// Leave is where the person leaves the workspace.
	Leave Leave
}

// Leave is the form with which a person leaves a workspace.
type Leave struct {
	Form ui.Form
	// OnlyOwner says that the workspace would have no owner then.
	OnlyOwner bool
}

// Member is a row of the members.
type Member struct {
	ID, Email, Role string
	// You says that it is the person who looks.
	You bool
	// MayChange says whether the person may change this member.
	MayChange bool
	// OverLimit says that the plan includes fewer members, and that this one
	// can only look.
	OverLimit bool
	JoinedAt  time.Time
}

// Invitation is a row of the open invitations.
type Invitation struct {
	ID, Email, Role string
	// InvitedBy is an e-mail address, empty where it was not recorded.
	InvitedBy string
	ExpiresAt time.Time
}

// roleHints say what each role may do.
const roleHint = "Members look after the knowledge. Admins also manage chatbots, tokens, models and members. Owners also pay and delete."

var roleNames = map[string]string{"owner": "Owner", "admin": "Admin", "member": "Member"}
