package insight

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight/testrun"
	"parley/core/system"
	"parley/core/tenant"
	ent "parley/ent/generated"
	entchatbot "parley/ent/generated/chatbot"
	"parley/ent/generated/document"
	"parley/ent/generated/predicate"
	"parley/ent/generated/testquestion"
	enttestrun "parley/ent/generated/testrun"
	"parley/ent/scope"
	"parley/store"
	"parley/store/bots"
	chatstore "parley/store/chat"
	"parley/store/citation"
)

// TestRuns keeps test questions, their runs and results.
type TestRuns struct{ store *store.Store }

// NewTestRuns returns the test runs of a database.
func NewTestRuns(db *store.Store) *TestRuns { return &TestRuns{db} }

var (
	_ testrun.Transactions  = (*TestRuns)(nil)
	_ testrun.QuestionStore = (*TestRuns)(nil)
	_ testrun.RunStore      = (*TestRuns)(nil)
	_ testrun.Due           = (*TestRuns)(nil)
)

// InTx runs fn in one transaction; calls inside it join.
func (s *TestRuns) InTx(ctx context.Context, fn func(context.Context) error) error {
	return s.store.InTx(ctx, fn)
}

// LockWorkspace locks a workspace until the transaction ends.
func (s *TestRuns) LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error) {
	return s.store.LockWorkspace(ctx, workspaceID)
}

// TestQuestions returns a chatbot's test questions, oldest first.
func (s *TestRuns) TestQuestions(ctx context.Context, workspaceID, chatbotID string) ([]testrun.Question, error) {
	rows, err := s.store.Client(ctx).TestQuestion.Query().Where(testquestion.ChatbotID(chatbotID), testquestion.RemovedAtIsNil()).
		Order(testquestion.ByCreatedAt(), testquestion.ByID()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, questionFromRow)
}

func questionFromRow(row *ent.TestQuestion) testrun.Question {
	return testrun.Question{
		ID: row.ID, ChatbotID: row.ChatbotID, CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: store.UTC(row.UpdatedAt), RemovedAt: store.UTC(row.RemovedAt),
		Wanted: testrun.Wanted{
			Question: row.Question, Expects: testrun.Expectation(row.Expects), Expected: row.Expected, Reference: row.Reference, Document: row.Document,
		},
	}
}

// CreateTestQuestion adds a test question.
func (s *TestRuns) CreateTestQuestion(ctx context.Context, workspaceID string, q testrun.Question) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.TestQuestion.Create().SetID(q.ID).SetWorkspaceID(workspaceID).SetChatbotID(q.ChatbotID).SetQuestion(q.Question).
			SetExpects(string(q.Expects)).SetExpected(q.Expected).SetReference(q.Reference).SetDocument(q.Document).SetCreatedBy(q.CreatedBy).SetCreatedAt(q.CreatedAt).Exec(ctx)
	})
}

// UpdateTestQuestion writes what a test question is and expects.
func (s *TestRuns) UpdateTestQuestion(ctx context.Context, workspaceID string, q testrun.Question) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.TestQuestion.Update().Where(testquestion.ID(q.ID), testquestion.ChatbotID(q.ChatbotID)).SetQuestion(q.Question).
			SetExpects(string(q.Expects)).SetExpected(q.Expected).SetReference(q.Reference).SetDocument(q.Document).SetNillableUpdatedAt(q.UpdatedAt).Save(ctx))
	})
}

// DeleteTestQuestion removes a test question with its results.
func (s *TestRuns) DeleteTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.TestQuestion.Delete().Where(testquestion.ID(questionID), testquestion.ChatbotID(chatbotID)).Exec(ctx))
	})
}

// TestRuns returns a chatbot's runs, newest first.
func (s *TestRuns) TestRuns(ctx context.Context, workspaceID, chatbotID string, limit int) ([]testrun.Run, error) {
	rows, err := s.store.Client(ctx).TestRun.Query().Where(enttestrun.ChatbotID(chatbotID)).
		Order(ent.Desc(enttestrun.FieldCreatedAt, enttestrun.FieldID)).Limit(limit).All(scope.Workspace(ctx, workspaceID))
	if err != nil {
		return nil, store.MapError(err)
	}
	runs := make([]testrun.Run, len(rows))
	for i, row := range rows {
		if runs[i], err = runFromRow(row); err != nil {
			return nil, store.MapError(err)
		}
	}
	return runs, nil
}

func runFromRow(row *ent.TestRun) (testrun.Run, error) {
	run := testrun.Run{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, Cause: testrun.Cause(row.Cause), By: row.StartedBy,
		State: testrun.State(row.State), Reason: row.Reason, Total: row.Total, Knowledge: row.Knowledge, KnownDocuments: row.Documents,
		Program: row.Program, Begun: row.Begun, DueAt: store.UTC(row.DueAt), EndedAt: store.UTC(row.EndedAt), CreatedAt: row.CreatedAt.UTC(),
	}
	run.Passed = row.Passed // of a run from before there were figures
	if row.Figures != "" {
		if err := json.Unmarshal([]byte(row.Figures), &run.Figures); err != nil {
			return run, err
		}
	}
	if row.Settings != "" {
		return run, json.Unmarshal([]byte(row.Settings), &run.Settings)
	}
	return run, nil
}

// CreateTestRun adds a run.
func (s *TestRuns) CreateTestRun(ctx context.Context, workspaceID string, run testrun.Run) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.TestRun.Create().SetID(run.ID).SetWorkspaceID(workspaceID).SetChatbotID(run.ChatbotID).SetCause(string(run.Cause)).SetStartedBy(run.By).
			SetState(string(run.State)).SetTotal(run.Total).SetNillableDueAt(run.DueAt).SetCreatedAt(run.CreatedAt).Exec(ctx)
	})
}

// underWay selects the runs that have not ended.
var underWay = enttestrun.StateIn(string(testrun.Waiting), string(testrun.Running))

// UpdateTestRun writes the state of a run that has not ended, and how it went so far.
func (s *TestRuns) UpdateTestRun(ctx context.Context, workspaceID string, run testrun.Run) error {
	figures, err := json.Marshal(run.Figures)
	if err != nil {
		return err
	}
	settings, err := json.Marshal(run.Settings)
	if err != nil {
		return err
	}
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.TestRun.Update().Where(enttestrun.ID(run.ID), underWay).SetCause(string(run.Cause)).SetStartedBy(run.By).SetState(string(run.State)).SetReason(run.Reason).
			SetPassed(run.Passed).SetTotal(run.Total).SetBegun(run.Begun).SetNillableEndedAt(run.EndedAt).
			SetFigures(string(figures)).SetKnowledge(run.Knowledge).SetDocuments(run.KnownDocuments).SetSettings(string(settings)).SetProgram(run.Program)
		if run.DueAt != nil {
			update.SetDueAt(*run.DueAt)
		} else {
			update.ClearDueAt()
		}
		return store.Affected(update.Save(ctx))
	})
}

// CancelTestRun ends a run of a chatbot.
func (s *TestRuns) CancelTestRun(ctx context.Context, workspaceID, chatbotID, runID string, at time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.TestRun.Update().Where(enttestrun.ID(runID), enttestrun.ChatbotID(chatbotID), underWay).
			SetState(string(testrun.Canceled)).ClearDueAt().SetEndedAt(at).Save(ctx))
	})
}

// AnsweredFrom returns a text that changes with the knowledge of a chatbot, and how many
// documents it answers from.
func (s *TestRuns) AnsweredFrom(ctx context.Context, workspaceID, chatbotID string) (version string, documents int, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	if version, err = chatstore.NewCachedAnswers(s.store).KnowledgeVersion(ctx, workspaceID, chatbotID); err != nil {
		return "", 0, err
	}
	documents, err = s.store.Client(ctx).Document.Query().Where(document.ChatbotID(chatbotID), document.LiveGT(0)).Count(ctx)
	return version, documents, store.MapError(err)
}

const (
	// testResults read the sources, which may be long, if they are asked to.
	testResults = `SELECT run_id, question_id, passed, outcome, answer, failure, model, CASE WHEN $3 THEN sources ELSE '' END, f1, cites,
	prompt_tokens, completion_tokens, estimated, total_ms, created_at FROM test_results WHERE workspace_id = $1 AND run_id = $2 ORDER BY id`
	addTestResult = `INSERT INTO test_results (workspace_id, run_id, question_id, passed, outcome, answer, failure, model, sources, f1, cites,
	prompt_tokens, completion_tokens, estimated, total_ms, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`
)

// TestResults returns the results of a run, with or without their citations.
func (s *TestRuns) TestResults(ctx context.Context, workspaceID, runID string, cited bool) ([]testrun.Result, error) {
	return store.Rows(scope.Workspace(ctx, workspaceID), s.store, func(r *testrun.Result) []any {
		return []any{
			&r.RunID, &r.QuestionID, &r.Passed, &r.Outcome, &r.Answer, &r.Failure, &r.Model, citation.In(&r.Citations), &r.F1, &r.Cites,
			&r.Usage.PromptTokens, &r.Usage.CompletionTokens, &r.Usage.Estimated, chatstore.InMilliseconds(&r.Took), store.InUTC(&r.At),
		}
	}, testResults, workspaceID, runID, cited)
}

// AddTestResult adds a result, and writes how its run went so far.
// It is a Conflict if the question is gone or withdrawn, and NotFound if the run has ended.
func (s *TestRuns) AddTestResult(ctx context.Context, workspaceID string, run testrun.Run, r testrun.Result) error {
	ctx = scope.Workspace(ctx, workspaceID)
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.KeepChatbots(ctx, run.ChatbotID); err != nil {
			return err
		}
		if err := s.UpdateTestRun(ctx, workspaceID, run); err != nil {
			return err
		}
		there, err := s.store.Client(ctx).TestQuestion.Query().Where(testquestion.ID(r.QuestionID), testquestion.RemovedAtIsNil()).Exist(ctx)
		if err != nil {
			return store.MapError(err)
		}
		if !there {
			return fault.New(fault.Conflict, "The test question was removed.")
		}
		return s.store.Run(ctx, addTestResult, workspaceID, r.RunID, r.QuestionID, r.Passed, string(r.Outcome), r.Answer, r.Failure, r.Model, citation.ToColumn(r.Citations),
			r.F1, r.Cites, r.Usage.PromptTokens, r.Usage.CompletionTokens, r.Usage.Estimated, r.Took.Milliseconds(), r.At)
	})
}

// DeleteTestRun deletes a run with its results, if it is there.
func (s *TestRuns) DeleteTestRun(ctx context.Context, workspaceID, runID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.TestRun.Delete().Where(enttestrun.ID(runID)).Exec(ctx)
		return err
	})
}

// TrimTestRuns deletes all but a chatbot's newest runs.
func (s *TestRuns) TrimTestRuns(ctx context.Context, workspaceID, chatbotID string, keep int) error {
	ctx = scope.Workspace(ctx, workspaceID)
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.KeepChatbots(ctx, chatbotID); err != nil {
			return err
		}
		old, err := s.store.Client(ctx).TestRun.Query().Where(enttestrun.ChatbotID(chatbotID)).
			Order(ent.Desc(enttestrun.FieldCreatedAt, enttestrun.FieldID)).Offset(keep).Limit(store.BatchRows).IDs(ctx)
		if err != nil || len(old) == 0 {
			return store.MapError(err)
		}
		_, err = s.store.Client(ctx).TestRun.Delete().Where(enttestrun.IDIn(old...)).Exec(ctx)
		return store.MapError(err)
	})
}

// ClaimTestRun returns a run of any workspace that is due, and keeps it from
// others until a time. A chatbot has one run under way. Those of a workspace that is being
// deleted wait.
func (s *TestRuns) ClaimTestRun(ctx context.Context, access system.Access, now, until time.Time) (run testrun.Run, err error) {
	ctx = scope.System(ctx, access)
	due := []predicate.TestRun{enttestrun.DueAtNotNil(), enttestrun.DueAtLTE(now), store.Staying}
	if waiting, err := s.store.Client(ctx).TestRun.Query().Where(due...).Exist(ctx); err != nil || !waiting {
		if err == nil {
			err = fault.New(fault.NotFound, "Not found.")
		}
		return run, store.MapError(err) // without the one writer of SQLite
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		query := s.store.Client(ctx).TestRun.Query().Where(due...).Order(enttestrun.ByDueAt(), enttestrun.ByID())
		if !s.store.IsSQLite() {
			query = query.ForUpdate(entsql.WithLockAction(entsql.SkipLocked))
		}
		row, err := query.First(ctx)
		if err != nil {
			return store.MapError(err)
		}
		if run, err = runFromRow(row); err != nil {
			return store.MapError(err)
		}
		run.State, run.DueAt = testrun.Running, &until
		run.Begun++
		return s.UpdateTestRun(ctx, run.WorkspaceID, run)
	})
	return run, err
}

// tested has what each chatbot with test questions answers from: see
// knowledgeVersion.
const tested = `SELECT id, workspace_id, knowledge_version FROM chatbots WHERE id IN (SELECT chatbot_id FROM test_questions WHERE removed_at IS NULL) AND` + store.Stays

// Tested returns the chatbots of any workspace that have test questions, but not of one
// that is being deleted.
func (s *TestRuns) Tested(ctx context.Context, access system.Access) ([]testrun.Tested, error) {
	rows, err := s.store.Raw(ctx).QueryContext(scope.System(ctx, access), tested)
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	var found []testrun.Tested
	var ids []string
	for rows.Next() {
		var t testrun.Tested
		var version int64
		if err := rows.Scan(&t.ChatbotID, &t.WorkspaceID, &version); err != nil {
			return nil, store.MapError(err)
		}
		t.Knowledge = fmt.Sprint("v", version)
		found, ids = append(found, t), append(ids, t.ChatbotID)
	}
	if err := rows.Err(); err != nil || len(found) == 0 {
		return nil, store.MapError(err)
	}
	bots, err := s.store.Client(ctx).Chatbot.Query().Where(entchatbot.IDIn(ids...)).All(scope.System(ctx, access))
	if err != nil {
		return nil, store.MapError(err)
	}
	for _, bot := range bots {
		for i := range found {
			if found[i].ChatbotID == bot.ID {
				if found[i].Settings, err = settingsText(bot); err != nil {
					return nil, store.MapError(err)
				}
			}
		}
	}
	return found, nil
}

// settingsText changes whenever how a chatbot answers does.
func settingsText(row *ent.Chatbot) (string, error) {
	bot := bots.ChatbotFromRow(row)
	bot.Name, bot.OverLimit, bot.CreatedAt = "", false, time.Time{}
	bot.Greeting, bot.Retention, bot.SeparateEndUsers = chatbot.Greeting{}, chatbot.Retention{}, false // of which answers know nothing
	text, err := json.Marshal(bot)
	return string(text), err
}
