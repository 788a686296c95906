package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect/sql/schema"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/ent/generated/migrate"
	"parley/ent/plain"
	"parley/ent/scope"
	"parley/store"
	"parley/store/ports"
)

// Every statement that a question sends is held to an index that finds only what the
// question asks for, so that an answer costs the same in a chatbot that has much. Nobody
// has to list a statement: the test asks questions in every way and hears what is sent.

// TestStatementsOfAQuestionReadOnlyWhatItAsksFor has as many rows as PostgreSQL's planner
// needs to prefer an index. SQLite's has its statistics from [store.Open].
func TestStatementsOfAQuestionReadOnlyWhatItAsksFor(t *testing.T) {
	onBothDatabases(t, func(b *bundle) { b.checkQuestions(4_000) })
}

// TestStatementsOfAQuestionAmongAMillionMessages is the same with 100,000 documents and a
// million messages.
func TestStatementsOfAQuestionAmongAMillionMessages(t *testing.T) {
	onBothDatabases(t, func(b *bundle) { b.checkQuestions(100_000) })
}

// checkQuestions asks questions of a chatbot with so many documents and conversations.
func (b *bundle) checkQuestions(times int) {
	b.Helper()
	a := b.fill("a")
	b.multiplyAll(a, times)
	b.checkPlans(b.statementsOfQuestions(a))
}

// shared are statements that PostgreSQL gets for several questions at once, and so for one.
var shared = []string{"beginConversations", "appendTurns", "liveDocumentsPostgres"}

// growing are the tables that grow with what a chatbot has, or is asked.
var growing = []string{
	"documents", "passages", "messages", "conversations", "usage_records", "idempotency_keys", "removals", "cached_answers",
	"feedbacks", "gaps", "uploads", "index_changes",
}

// exempt are statements that may read more, and why.
var exempt = map[string]string{}

// statementsOfQuestions asks questions of a workspace's chatbot in every way, and returns
// the statements that were sent, each once, with its last arguments.
func (b *bundle) statementsOfQuestions(w tenancy) map[string][]any {
	b.Helper()
	search := b.findsPassages(w)
	var mu sync.Mutex
	sent := map[string][]any{}
	store.HearStatements(b.Store, func(statement string, args []any) {
		mu.Lock()
		defer mu.Unlock()
		if statement != "" {
			sent[statement] = slices.Clone(args)
		}
	})
	b.askInEveryWay(w, search)
	mu.Lock()
	defer mu.Unlock()
	if !b.IsSQLite() {
		byHand := statementsByHand(b.T)
		for _, name := range shared {
			if _, isSent := sent[byHand(name)]; !isSent {
				b.Errorf("%s was not sent", name)
			}
		}
	}
	return maps.Clone(sent)
}

// findsPassages finds passages of many documents and their neighbors, as a search does.
type findsPassages struct {
	b   *bundle
	ids []int64
}

// findsPassages returns a search that finds passages of twenty documents.
func (b *bundle) findsPassages(w tenancy) findsPassages {
	b.Helper()
	search := findsPassages{b, []int64{w.passage}}
	for i := range 20 {
		d := w.newDocument(fmt.Sprint("doc_found_", i))
		b.must(b.CreateDocument(b.Context(), w.id, d))
		search.ids = append(search.ids, b.goLive(d, w.newPassages(2))[0].ID)
	}
	return search
}

func (s findsPassages) Search(ctx context.Context, scope retrieval.Scope, _ retrieval.Query) ([]retrieval.Result, error) {
	found, err := s.b.LivePassages(ctx, scope.WorkspaceID, scope.ChatbotID, s.ids)
	if err != nil {
		return nil, err
	}
	var next []retrieval.Position
	for _, p := range found {
		next = append(next, retrieval.Position{DocumentID: p.DocumentID, Version: p.Version, Ordinal: p.Ordinal + 1})
	}
	_, err = s.b.LivePassagesAt(ctx, scope.WorkspaceID, scope.ChatbotID, next)
	var results []retrieval.Result
	for _, p := range found {
		results = append(results, retrieval.Result{Passage: p, Score: 1})
	}
	return results, err
}

// failsWhenTold is a model that fails while fails is set.
type failsWhenTold struct {
	answer.Model
	fails *bool
}

func (m failsWhenTold) Generate(ctx context.Context, asked prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	if *m.fails {
		return answer.Generated{}, errors.New("the model is away")
	}
	return m.Model.Generate(ctx, asked, emit)
}

// askInEveryWay takes a question through every way that it can go.
func (b *bundle) askInEveryWay(w tenancy, search answer.Searcher) {
	b.Helper()
	ctx, now, log, fails := b.Context(), func() time.Time { return epoch.Add(time.Minute) }, slog.New(slog.DiscardHandler), false
	principal, err := b.PrincipalByTokenHash(ctx, everywhere, "hash of "+strings.TrimPrefix(w.id, "ws_"))
	b.must(err)
	principal.Plan.Limits = plan.Limits{MessageChars: 1_000, MessagesPerMonth: 1_000, PlaygroundPerMonth: 1_000}
	keys := chat.NewKeys(b.ofKeys, now)
	open := func() *turn.Service {
		return turn.New(turn.Config{
			Turns: b.ofTurns, Leases: b.ofLeases, System: everywhere, Chats: chat.New(ports.ForChat(b.Store, everywhere), keys, now, log), Keys: keys, Quota: quota.New(b.ofMonths, now),
			Answers: answer.New(search, answer.Always(failsWhenTold{extractive.New(), &fails}), b.ofCachedAnswers, now, log), Now: now, Log: log,
		})
	}
	turns := open()
	ask := func(by *chatbot.Principal, question turn.Ask) (conversation int64) {
		b.Helper()
		question.Message = "When are you open?"
		begun, err := turns.Begin(ctx, by, question)
		b.must(err)
		answered, err := begun.Run(ctx, func(turn.Event) error { return nil })
		if (err != nil) != fails {
			b.Fatal(err)
		}
		_, err = b.LastMessages(ctx, w.id, begun.Conversation.ID, answered.MessageID, 20)
		b.must(err)
		return begun.Conversation.ID
	}
	key := func(value string) *chat.Key {
		return &chat.Key{TokenID: w.token, Route: "POST /chat", Value: value, BodyHash: "body"}
	}
	first := ask(principal, turn.Ask{})
	ask(principal, turn.Ask{Ref: chat.Ref{ConversationID: first}}) // which is remembered
	turns = open()
	ask(principal, turn.Ask{Ref: chat.Ref{ConversationID: first}})
	ask(principal, turn.Ask{Ref: chat.Ref{ConversationID: first, ExternalUserID: "ada"}}) // and so tied to her
	ask(principal, turn.Ask{Ref: chat.Ref{ExternalUserID: "ada"}, Metadata: map[string]string{"page": "help"}})
	ask(principal, turn.Ask{Key: key("one"), Delivery: turn.Delivery{IDs: true}})
	ask(principal, turn.Ask{Key: key("one"), Delivery: turn.Delivery{IDs: true}}) // again
	ask(principal, turn.Ask{Ref: chat.Ref{ConversationID: first, ExternalUserID: "ada"}, Key: key("two")})
	ask(principal, turn.Ask{CallerContext: &turn.CallerContext{History: []prompt.Message{{Role: prompt.UserRole, Text: "Hello?"}}}})
	last, err := b.Turn(ctx, w.id, first, 0)
	b.must(err)
	ask(principal, turn.Ask{Ref: chat.Ref{ConversationID: first, ExternalUserID: "ada"}, CallerContext: &turn.CallerContext{Follows: last.Answer.MessageID}})
	fails = true
	ask(principal, turn.Ask{Key: key("three")})
	fails = false
	ask(principal, turn.Ask{Key: key("three")}) // another attempt
	for _, change := range []func(*chatbot.Principal){
		func(p *chatbot.Principal) { p.MemberID = w.user },
		func(p *chatbot.Principal) { p.Chatbot.CacheAnswers = true },
		func(p *chatbot.Principal) { p.Chatbot.CacheAnswers = true }, // from the cache
		func(p *chatbot.Principal) { p.Chatbot.DiscardMessages = true },
	} {
		changed := *principal
		change(&changed)
		ask(&changed, turn.Ask{})
	}
	_, err = turns.Resume(ctx, principal, chat.Ref{ConversationID: first, ExternalUserID: "ada"}, nil)
	b.must(err)
	_, err = turns.Stop(ctx, principal, chat.Ref{ConversationID: first, ExternalUserID: "ada"}, key("stop"))
	b.must(err)
	b.must(turns.StopAsked(ctx))
	b.wantKind(b.AskToStop(ctx, w.id, last.Answer.MessageID), fault.NotFound)
	_, err = b.ConversationOf(ctx, w.id, last.Answer.MessageID)
	b.must(err)
	b.must(b.RenewLeases(ctx, everywhere, []int64{w.answer}, epoch.Add(time.Hour)))
	_, err = b.CountMessage(ctx, w.id, w.token, thisMonth, 10)
	b.must(err)
	b.must(b.UncountMessage(ctx, w.id, w.token, thisMonth))
	b.must(b.CountQuestion(ctx, w.id, thisMonth, false))
	_, _, _, err = b.RequestMinute(ctx, w.id)
	b.must(err)
	_, err = b.Provider(ctx, w.id, w.provider)
	b.must(err)
	_, err = b.Chatbot(ctx, w.id, w.chatbot)
	b.must(err)
}

// checkPlans fails for each statement whose plan reads more than the question asks for.
func (b *bundle) checkPlans(statements map[string][]any) {
	b.Helper()
	if len(statements) < 20 {
		b.Fatalf("only %d statements were heard", len(statements))
	}
	excused := map[string]bool{}
	for name := range exempt {
		excused[statementsByHand(b.T)(name)] = true
	}
	for statement, args := range statements {
		if excused[statement] || !regexp.MustCompile(`(?i)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b`).MatchString(statement) {
			continue
		}
		var steps []string
		if b.IsSQLite() {
			steps = b.plan(statement, args...)
		} else {
			steps = b.planOnPostgres(statement, args)
		}
		for _, step := range steps {
			if why := tooMuch(step); why != "" {
				b.Errorf("%s: %s\nof %s\nin\n%s", why, step, statement, strings.Join(steps, "\n"))
			}
		}
	}
}

var (
	scansSQLite    = regexp.MustCompile(`^SCAN (\w+)`)
	searchesSQLite = regexp.MustCompile(`^SEARCH .*\((.*)\)`)
	scansPostgres  = regexp.MustCompile(`^(Seq|Index|Index Only|Bitmap Heap) Scan.* on "?(\w+)"?`)
	ofTheWhole     = regexp.MustCompile(`^(workspace_id|chatbot_id)=\?$|[<>]\?$`)
)

// tooMuch says why a step of a plan reads more than a question asks for. On PostgreSQL a
// step is a scan with its conditions; the answers that are being generated may be read, of
// which a conversation has one.
func tooMuch(step string) string {
	if found := scansSQLite.FindStringSubmatch(step); found != nil && found[1] != "CONSTANT" && !strings.HasSuffix(step, " VALUES CLAUSE") && !strings.Contains(step, "VIRTUAL") {
		if found[1] != "always" { // a row that is there without the other
			return "it reads a whole table"
		}
	}
	if found := searchesSQLite.FindStringSubmatch(step); found != nil && !strings.Contains(step, "INDEX requestminute_workspace_id") {
		terms := strings.Split(found[1], " AND ")
		if !slices.ContainsFunc(terms, func(term string) bool { return !ofTheWhole.MatchString(term) }) {
			return "it reads all of a chatbot or a workspace"
		}
	}
	if found := scansPostgres.FindStringSubmatch(step); found != nil && slices.Contains(growing, found[2]) && !strings.Contains(step, "message_one_generating") {
		_, condition, isIndexed := strings.Cut(step, " where ")
		if !isIndexed {
			return "it reads a whole table"
		}
		columns := regexp.MustCompile(`\(?"?(?:\w+\.)?"?(\w+)"?\)?(?:::\w+)? (=|<|>|<=|>=) `).FindAllStringSubmatch(condition, -1)
		for _, column := range columns {
			if column[2] == "=" && column[1] != "workspace_id" && column[1] != "chatbot_id" {
				return ""
			}
		}
		return "it reads all of a chatbot or a workspace"
	}
	return ""
}

// planOnPostgres is how PostgreSQL carries a statement out: a line for each scan, with what
// it looks for in the index.
func (b *bundle) planOnPostgres(statement string, args []any) (steps []string) {
	b.Helper()
	b.must(b.InTx(scope.Workspace(b.Context(), "ws_a"), func(ctx context.Context) error {
		rows, err := b.Raw(ctx).QueryContext(ctx, "EXPLAIN (COSTS OFF) "+statement, args...)
		if err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			line = strings.TrimLeft(line, " ->")
			condition, isCondition := strings.CutPrefix(line, "Index Cond: ")
			switch {
			case isCondition && len(steps) > 0:
				last := &steps[len(steps)-1]
				*last += " where " + condition
			case scansPostgres.MatchString(line):
				steps = append(steps, line)
			}
		}
		return rows.Err()
	}))
	return steps
}

// multiplyAll gives a chatbot so many documents and conversations, and ten times as many
// messages, as copies of those that it has.
func (b *bundle) multiplyAll(w tenancy, times int) {
	b.Helper()
	b.multiply("documents", fmt.Sprintf("id = '%s'", w.document), times, map[string]string{"id": "'doc_' || i", "external_id": "''"})
	b.multiply("passages", fmt.Sprint("id = ", w.passage), 3*times, map[string]string{
		"id": "1000000 + i", "document_id": "'doc_' || ((i - 1) / 3 + 1)", "ordinal": "i % 3",
	})
	b.multiply("conversations", fmt.Sprint("id = ", w.rated), times, map[string]string{"id": "1000000 + i"})
	b.multiply("messages", fmt.Sprint("id = ", w.answered), 10*times, map[string]string{
		"id": "1000000 + i", "conversation_id": "1000001 + (i - 1) / 10", "role": "CASE i % 2 WHEN 1 THEN 'user' ELSE 'assistant' END",
	})
	b.multiply("usage_records", fmt.Sprint("message_id = ", w.answered), 5*times, map[string]string{
		"id": "1000000 + i", "message_id": "1000000 + 2 * i", "conversation_id": "1000001 + (i - 1) / 5",
	})
	b.multiply("cached_answers", "chatbot_id = '"+w.chatbot+"'", times, map[string]string{"id": "1000000 + i", "key": "'key_' || i"})
	b.multiply("idempotency_keys", "token_id = '"+w.token+"'", times, map[string]string{"id": "1000000 + i", "key": "'key_' || i"})
	if !b.IsSQLite() {
		_, err := b.beside().ExecContext(b.Context(), "ANALYZE")
		b.must(err)
	}
}

// multiply copies the row of a table that a condition finds, but for some columns, which
// are made of the number i of the copy.
func (b *bundle) multiply(name, condition string, times int, but map[string]string) {
	b.Helper()
	all := slices.Concat(migrate.Tables, plain.Tables)
	table := all[slices.IndexFunc(all, func(t *schema.Table) bool { return t.Name == name })]
	var columns, values []string
	for _, column := range table.Columns {
		columns = append(columns, `"`+column.Name+`"`)
		values = append(values, cmp.Or(but[column.Name], `row."`+column.Name+`"`))
	}
	numbers := "SELECT generate_series(1, %d)"
	if b.IsSQLite() {
		numbers = "SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d"
	}
	statement := fmt.Sprintf("INSERT INTO %s (%s) WITH RECURSIVE n (i) AS ("+numbers+") SELECT %s FROM n, %s AS row WHERE row.%s",
		table.Name, strings.Join(columns, ", "), times, strings.Join(values, ", "), table.Name, condition)
	if b.IsSQLite() {
		b.must(b.InTx(b.Context(), func(ctx context.Context) error {
			_, err := b.Raw(ctx).ExecContext(scope.System(ctx, everywhere), statement)
			return err
		}))
		return
	}
	_, err := b.beside().ExecContext(b.Context(), statement)
	b.must(err)
}
