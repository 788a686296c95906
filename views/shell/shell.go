// Package shell owns what surrounds every page: the document, the navigation,
// messages about what was done, and the page that says what went wrong. It has the
// addresses of all pages.
//
// It does not own a page's content (packages bot, workspace and person) nor the
// parts of it (package ui).
package shell

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

// With returns the layout of a page that runs scripts.
func (l Layout) With(scripts ...string) Layout {
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

// Failure is the page that says what went wrong.
type Failure struct {
	Title   string
	Message string
	// RequestID is what the log knows the request by.
	RequestID string
	// SignIn offers to sign in.
	SignIn bool
}
