// Package shell owns what surrounds every page: the document, the navigation,
// messages about what was done, and the page that says what went wrong. It has the
// addresses of all pages.
//
// It does not own a page's content (packages bot, workspace and person) nor the
// parts of it (package ui).
package shell

import (
	"cmp"
	"time"

	"github.com/a-h/templ"
)

// Layout is what all pages share.
type Layout struct {
	// Title is the document's title, without the product's name.
	Title string
	// Heading is the page's, its Title unless it is given, and About a sentence
	// below it.
	Heading, About string
	// Crumbs lead to the pages above this one.
	Crumbs []Crumb
	// Actions are the page's buttons, beside its heading.
	Actions templ.Component
	// Broad gives the page the whole width.
	Broad bool
	// After is what stands below the card of a page without a sidebar.
	After templ.Component

	// Notice confirms the last action. It may be empty.
	Notice string
	// Undo is where a form posts that undoes it, or empty.
	Undo string
	// Failed says that the notice is about something that did not work.
	Failed bool

	// Theme is "light", "dark", or empty for the system's, and Zone the time zone
	// that the person chose, empty for the browser's.
	Theme, Zone string
	// Expired says that the session has ended.
	Expired bool

	// Email is the address of the signed-in person, or empty.
	Email string
	// Unconfirmed says that the person has not confirmed their address, and Mails that
	// the link for it comes by mail.
	Unconfirmed, Mails bool
	// Workspaces are the person's workspaces.
	Workspaces []Workspace
	// Workspace is the present one, zero when there is none.
	Workspace Workspace
	// Chatbots are the workspace's chatbots.
	Chatbots []Chatbot
	// Chatbot is the present one, zero when there is none.
	Chatbot Chatbot
	// Section is the present entry of the navigation.
	Section Section
	// Suspended says that something of the workspace is over a limit of its plan.
	Suspended bool
	// Messages are how many the workspace has used this month.
	Messages Messages
	// LooksOnly says that the person is over a limit themselves.
	LooksOnly bool
	// Audits says that the person may read the audit log.
	Audits bool
	// scripts are names of files in package static.
	scripts []string
}

// Messages are a month's messages of a workspace, such as "1,200" of "2,000". Near
// says that most are used.
type Messages struct {
	Used, Included string
	Near, AllUsed  bool
}

// Crumb is a page above the one that is shown.
type Crumb struct{ Text, URL string }

// With returns the layout of a page that runs scripts of its own: modules, by
// their names in static/js and in the Makefile.
func (l Layout) With(scripts ...string) Layout {
	l.scripts = append(l.scripts[:len(l.scripts):len(l.scripts)], scripts...)
	return l
}

// At returns the layout of a page below others.
func (l Layout) At(crumbs ...Crumb) Layout {
	l.Crumbs = crumbs
	return l
}

// Below returns the layout of a page without a sidebar, with something below its
// card.
func (l Layout) Below(after templ.Component) Layout {
	l.After = after
	return l
}

func (l Layout) heading() string { return cmp.Or(l.Heading, l.Title) }

// Section is an entry of the navigation.
type Section string

// The sections of a chatbot, of a workspace and of a person.
const (
	OverviewSection      Section = "overview"
	PlaygroundSection    Section = "playground"
	KnowledgeSection     Section = "knowledge"
	ConversationsSection Section = "conversations"
	ImproveSection       Section = "improve"
	AnalyticsSection     Section = "analytics"
	DeploySection        Section = "deploy"
	SettingsSection      Section = "settings"
	// EvaluateSection and TokensSection are pages below those.
	EvaluateSection = ImproveSection
	TokensSection   = DeploySection

	ChatbotsSection  Section = "chatbots"
	MembersSection   Section = "members"
	ModelsSection    Section = "models"
	BillingSection   Section = "billing"
	WebhooksSection  Section = "webhooks"
	AuditSection     Section = "audit"
	WorkspaceSection Section = "workspace"

	AccountSection Section = "account"
)

// Workspace is a workspace by name.
type Workspace struct {
	ID, Name string
	// Ending says that it is being deleted.
	Ending bool
}

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
	// Layout is the layout of the page where it went wrong, as far as that is known.
	Layout Layout
	// Back is where the person was, for a way on after signing in.
	Back string
	// Again is the address of the page that failed, where the same may work later.
	Again string
}
