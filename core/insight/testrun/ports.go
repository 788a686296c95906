package testrun

import (
	"context"
	"time"

	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/insight"
	"parley/core/system"
	"parley/core/tenant"
)

// Transactions is the port to transactions.
type Transactions interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error
	LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
}

// QuestionStore is the port to test questions. A missing row is a NotFound fault.
type QuestionStore interface {
	// TestQuestions returns a chatbot's test questions, oldest first.
	TestQuestions(ctx context.Context, workspaceID, chatbotID string) ([]Question, error)
	CreateTestQuestion(ctx context.Context, workspaceID string, question Question) error
	UpdateTestQuestion(ctx context.Context, workspaceID string, question Question) error
	DeleteTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string) error
}

// RunStore is the port to runs. A missing row is a NotFound fault.
type RunStore interface {
	// TestRuns returns a chatbot's runs, newest first.
	TestRuns(ctx context.Context, workspaceID, chatbotID string, limit int) ([]Run, error)
	CreateTestRun(ctx context.Context, workspaceID string, run Run) error
	// UpdateTestRun writes the state of a run that has not ended, and how it went so
	// far. It is NotFound for one that has.
	UpdateTestRun(ctx context.Context, workspaceID string, run Run) error
	// CancelTestRun ends a run of a chatbot. It is NotFound for one that has ended.
	CancelTestRun(ctx context.Context, workspaceID, chatbotID, runID string, at time.Time) error
	// TestResults returns the results of a run, with or without their citations, which
	// are most of what is stored.
	TestResults(ctx context.Context, workspaceID, runID string, cited bool) ([]Result, error)
	// DeleteTestRun deletes a run with its results, if it is there.
	DeleteTestRun(ctx context.Context, workspaceID, runID string) error
	// AddTestResult adds a result, and writes the run as UpdateTestRun does. It is a
	// Conflict if the question is gone or withdrawn.
	AddTestResult(ctx context.Context, workspaceID string, run Run, result Result) error
	// TrimTestRuns deletes all but a chatbot's newest runs.
	TrimTestRuns(ctx context.Context, workspaceID, chatbotID string, keep int) error
	// AnsweredFrom returns a text that changes with the knowledge of a chatbot, and how
	// many documents it answers from.
	AnsweredFrom(ctx context.Context, workspaceID, chatbotID string) (version string, documents int, err error)
}

// Due is the port to what is due in any workspace.
type Due interface {
	// ClaimTestRun returns a run of any workspace that is due, which nobody else
	// claims until a time. It is NotFound if there is none.
	// It counts the slice that begins: see [Run.Begun].
	ClaimTestRun(ctx context.Context, access system.Access, now, until time.Time) (Run, error)
	// Tested returns the chatbots of any workspace that have test questions, each
	// with what it answers from and by.
	Tested(ctx context.Context, access system.Access) ([]Tested, error)
}

// Tested is a chatbot that has test questions.
type Tested struct {
	WorkspaceID, ChatbotID string
	// Knowledge and Settings change whenever what the chatbot answers from, and how
	// it answers, changes.
	Knowledge, Settings string
}

// Chatbots is the port to chatbots.
type Chatbots interface {
	Get(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error)
}

// Asker is the port to answers that nobody keeps.
type Asker interface {
	// Ask counts the question of a ticket, and answers it.
	Ask(ctx context.Context, bot chatbot.Chatbot, ticket *quota.Ticket) (insight.Reply, error)
}

// Ports are what [New] needs.
type Ports struct {
	Transactions Transactions
	Questions    QuestionStore
	Removals     Removal
	Runs         RunStore
	Due          Due
	System       system.Access
	Chatbots     Chatbots
	Asker        Asker
	Budget       Budget
	// Program is the version of this program, or empty.
	Program string
}
