// Package views owns the dashboard's pages as components, and the models that
// they show.
//
// It does not own what the models hold (package web) nor scripts and styles
// (package static). Nothing is fetched or decided here.
//
// It has more than 40 exported names: each page has a model of its own, and
// all pages share one set of parts.
package views

import "time"

// Layout is what all pages share.
type Layout struct {
	// Title is the page's own, without the product's name.
	Title string
	// Notice says what has just been done. It may be empty.
	Notice string
	// Email is that of the person, empty when nobody is signed in.
	Email string
	// Workspaces are those of the person.
	Workspaces []Workspace
	// Workspace is the present one, zero when there is none.
	Workspace Workspace
	// Chatbot is the present one, zero when there is none.
	Chatbot Chatbot
	// Section is the present entry of the navigation.
	Section Section
	// Suspended says that something of the workspace is over a limit of its plan.
	Suspended bool
	// LooksOnly says that the person is over a limit themselves.
	LooksOnly bool
	// scripts are names of files in package static.
	scripts []string
}

// with returns the layout of a page that runs scripts.
func (l Layout) with(scripts ...string) Layout {
	l.scripts = scripts
	return l
}

// Section is an entry of the navigation.
type Section string

// The sections: six of a workspace, four of a chatbot.
const (
	ChatbotsSection  Section = "chatbots"
	ModelsSection    Section = "models"
	UsageSection     Section = "usage"
	MembersSection   Section = "members"
	PlanSection      Section = "plan"
	WorkspaceSection Section = "workspace"
	SettingsSection  Section = "settings"
	KnowledgeSection Section = "knowledge"
	EvaluateSection  Section = "evaluate"
	TokensSection    Section = "tokens"
)

// Workspace is a workspace by name.
type Workspace struct{ ID, Name string }

// Chatbot is a chatbot by name.
type Chatbot struct {
	ID, Name string
	// OverLimit says that the plan includes fewer chatbots, and that this one
	// can only be looked at and deleted.
	OverLimit bool
	CreatedAt time.Time
}

// Form is what was typed into a form, by the name of the input, and what is
// wrong with it. Values has an entry for every input that can be wrong.
type Form struct {
	Values map[string]string
	// Field names the input that is wrong.
	Field string
	// Message says what is wrong, empty when nothing is.
	Message string
}

// Value returns what was typed into an input.
func (f Form) Value(name string) string { return f.Values[name] }

// Error returns what is wrong with an input.
func (f Form) Error(name string) string {
	if f.Field != name {
		return ""
	}
	return f.Message
}

// Banner returns what is wrong with none of the inputs in particular.
func (f Form) Banner() string {
	if _, ofAnInput := f.Values[f.Field]; ofAnInput {
		return ""
	}
	return f.Message
}

// SignIn is the page to sign in.
type SignIn struct {
	Form Form
	// Notice says what has just been done.
	Notice string
	// SignUp says whether accounts can be created without an invitation.
	SignUp bool
}

// Chatbots is the page of a workspace.
type Chatbots struct {
	Chatbots []Chatbot
	// MayCreate shows the form.
	MayCreate bool
	Form      Form
}

// Settings is the page of a chatbot.
type Settings struct {
	Form Form
	// Delete is the form that deletes the chatbot.
	Delete Form
	// MayChange and MayDelete say what the person may do.
	MayChange, MayDelete bool
	Answering            Answering
}

// Members is the page of a workspace's members.
type Members struct {
	Members     []Member
	Invitations []Invitation
	// MayManage shows what invites, changes and removes.
	MayManage bool
	// Roles are those that the person can give.
	Roles []string
	Form  Form
	// Link is that of the invitation just made. It is shown once.
	Link string
	// MailedTo is to whom the invitation just made was mailed, empty where
	// there are no mails.
	MailedTo string
	// Leave is where the person leaves the workspace.
	Leave Leave
}

// Leave is the form with which a person leaves a workspace.
type Leave struct {
	Form Form
	// OnlyOwner says that the workspace would have no owner then.
	OnlyOwner bool
}

// Member is a row of the members.
type Member struct {
	ID, Email, Role string
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

// Failure is the page that says what went wrong.
type Failure struct {
	Title   string
	Message string
	// RequestID is what the log knows the request by.
	RequestID string
	// SignIn offers to sign in.
	SignIn bool
}
