package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/core/account"
	"parley/core/answer"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/insight"
	"parley/core/insight/stats"
	"parley/core/insight/testrun"
	"parley/core/knowledge"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/core/retrieval"
	"parley/core/subscription"
	"parley/core/system/grant"
	"parley/core/tenant"
	"parley/ent/scope"
)

// tenancy is one workspace with a row in every table that belongs to one.
// Every text in it that a stranger must not see holds secret.
type tenancy struct {
	id, user, invitation, chatbot, token, source, document, provider, question, run, endpoint string

	secret       string
	conversation int64
	answered     int64 // complete, in the conversation rated
	rated        int64
	answer       int64
	passage      int64
	mail         int64
	delivery     int64
}

// fill makes a workspace whose identifiers end with name.
func (b *bundle) fill(name string) tenancy {
	b.Helper()
	ctx := b.Context()
	w := tenancy{
		id: "ws_" + name, user: "usr_" + name, invitation: "inv_" + name, chatbot: "cb_" + name,
		token: "tok_" + name, source: "src_" + name, document: "doc_" + name, provider: "mp_" + name, question: "tq_" + name, run: "tr_" + name, endpoint: "we_" + name,
		secret: "secret-of-" + name,
	}
	b.must(b.CreateUser(ctx, account.User{ID: w.user, Email: w.secret + "@example.com", PasswordHash: "hash", CreatedAt: epoch}))
	b.must(b.CreateWorkspace(ctx, tenant.Workspace{ID: w.id, Name: w.secret, Plan: plan.Standard, CreatedAt: epoch}))
	b.must(b.AddMember(ctx, w.id, tenant.Member{UserID: w.user, Role: tenant.RoleOwner, CreatedAt: epoch}))
	b.must(b.CreateInvitation(ctx, w.id, tenant.Invitation{
		ID: w.invitation, Email: "guest@" + w.secret + ".example", Role: tenant.RoleMember, CreatedAt: epoch, ExpiresAt: epoch,
	}, "code of "+name))
	b.must(b.CreateChatbot(ctx, w.id, chatbot.Chatbot{ID: w.chatbot, Name: w.secret, CreatedAt: epoch}))
	b.must(b.CreateToken(ctx, w.id, chatbot.Token{
		ID: w.token, ChatbotID: w.chatbot, Name: w.secret, Hint: w.secret, Scopes: chatbot.AllScopes(), CreatedAt: epoch,
	}, "hash of "+name))
	b.must(b.CreateProvider(ctx, w.id, w.newProvider(w.provider)))
	w.fillKnowledge(b)
	w.fillChat(b)
	w.fillBilling(b)
	w.fillInsight(b)
	w.fillWebhooks(b)
	b.must(b.CreateConnection(ctx, w.id, w.newConnection("sso_"+name)))
	b.must(b.AddErasure(ctx, w.id, privacy.Erasure{ID: "er_" + name, Kind: privacy.EndUser, SubjectHash: "hash", RequestedBy: w.secret, CreatedAt: epoch}))
	return w
}

func (w *tenancy) newProvider(id string) chatbot.SealedProvider {
	return chatbot.SealedProvider{
		Provider:  chatbot.Provider{ID: id, Name: w.secret, Kind: chatbot.OpenAI, BaseURL: w.secret, KeyHint: w.secret, UpdatedAt: epoch, CreatedAt: epoch},
		SealedKey: []byte(w.secret),
	}
}

func (w *tenancy) fillKnowledge(b *bundle) {
	b.Helper()
	ctx := b.Context()
	b.must(b.CreateSource(ctx, w.id, w.newSource(w.source)))
	d := w.newDocument(w.document)
	b.must(b.CreateDocument(ctx, w.id, d))
	w.passage = b.goLive(d, w.newPassages(3))[0].ID
	if b.IsSQLite() { // on PostgreSQL a trigger has written one
		b.must(b.InTx(ctx, func(ctx context.Context) error {
			return b.Exec(scope.Workspace(ctx, w.id), b.Into("index_changes").Set("workspace_id", w.id).Set("chatbot_id", w.chatbot).
				Set("document_id", w.document).Set("held", 1).Set("xid", 1).Set("created_at", epoch))
		}))
	}
	b.must(b.KeepOriginal(ctx, w.id, w.document, w.secret, knowledge.Upload{Name: w.secret, ContentType: "text/plain", Body: []byte(w.secret)}))
	b.must(b.CreateUpload(ctx, w.id, w.document, knowledge.Upload{Name: w.secret, ContentType: "text/plain", Body: []byte(w.secret)}))
	b.must(b.CreateRemoval(ctx, w.id, w.newRemoval("doc_gone_"+w.id)))
	b.must(b.SaveEmbeddings(ctx, w.id, "model", map[string][]float32{w.secret: {0.6, 0.8}}, epoch))
}

func (w *tenancy) newSource(id string) knowledge.Source {
	return knowledge.Source{
		ID: id, WorkspaceID: w.id, ChatbotID: w.chatbot, Kind: knowledge.Site, URL: "https://" + w.secret + ".example/",
		Rules:    knowledge.Rules{Include: []string{"/a/", "/b/"}, MaxDepth: 2, MaxPages: 10},
		Schedule: knowledge.Daily, State: knowledge.SourceReady, DueAt: &epoch, CreatedAt: epoch,
	}
}

// NewDocumentRow is a page of the source, before it is read.
func (w *tenancy) newDocument(id string) knowledge.Document {
	return knowledge.Document{
		ID: id, WorkspaceID: w.id, ChatbotID: w.chatbot, SourceID: w.source, URL: "https://" + w.secret + ".example/" + id, Depth: 1,
		Title: w.secret, Kind: knowledge.Markdown, State: knowledge.Pending, Content: w.secret, InputHash: "input of " + id, ExternalID: "name of " + id,
		ContentHash: "content of " + id, Chars: 17, UpdatedAt: epoch, CreatedAt: epoch,
	}
}

func (w *tenancy) newRemoval(documentID string) knowledge.Removal {
	return knowledge.Removal{
		ID: "rm_" + documentID, ChatbotID: w.chatbot, DocumentID: documentID, Title: w.secret, URL: "https://" + w.secret + ".example/gone",
		ContentHash: "content of " + documentID, Passages: 3, RequestedAt: epoch,
	}
}

// goLive gives a document its next version, as indexing does: d is how it is
// stored. It returns the passages.
func (b *bundle) goLive(d knowledge.Document, passages []retrieval.Passage) []retrieval.Passage {
	b.Helper()
	ctx := b.Context()
	from := d.State
	d.State, d.Version, d.Passages = knowledge.Indexing, d.Version+1, len(passages)
	b.must(b.UpdateDocument(ctx, d.WorkspaceID, from, d, true))
	b.must(b.DeletePassages(ctx, d.WorkspaceID, d.ID, d.Live))
	b.must(b.AddPassages(ctx, d.WorkspaceID, d, passages))
	d.State, d.Live, d.Indexed = knowledge.Ready, d.Version, d.Passages
	b.must(b.UpdateDocument(ctx, d.WorkspaceID, knowledge.Indexing, d, false))
	b.must(b.DeletePassages(ctx, d.WorkspaceID, d.ID, d.Live))
	stored, err := b.Passages(ctx, d.WorkspaceID, d.ID, d.Version)
	b.must(err)
	return stored
}

func (w *tenancy) newPassages(n int) []retrieval.Passage {
	passages := make([]retrieval.Passage, n)
	for i := range passages {
		passages[i] = retrieval.Passage{Ordinal: i, Start: 10 * i, End: 10*i + 10, Title: w.secret, HeadingPath: []string{w.secret}, Text: fmt.Sprint(w.secret, " ", i)}
	}
	return passages
}

func (w *tenancy) fillChat(b *bundle) {
	b.Helper()
	ctx := b.Context()
	conversation, err := b.CreateConversation(ctx, w.id, chat.Conversation{ChatbotID: w.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch})
	b.must(err)
	w.conversation = conversation.ID
	begun, answered, err := b.BeginConversation(ctx, w.id, conversation, w.newTurn())
	b.must(err)
	w.answered, w.rated = answered, begun.ID
	b.must(b.FinishTurn(ctx, w.id, w.newAnswer(answered)))
	b.must(b.CacheAnswer(ctx, w.id, w.chatbot, "question", answer.CachedAnswer{Text: w.secret, Citations: w.newAnswer(0).Citations, At: epoch}))
	b.must(b.Claim(ctx, w.id, w.newKey(), chat.Claim{ConversationID: w.conversation, AnswerID: answered, At: epoch}, time.Time{}))
	w.answer, _, err = b.BeginTurn(ctx, w.id, w.newTurn())
	b.must(err)
}

func (w *tenancy) newTurn() turn.Opening {
	return turn.Opening{ConversationID: w.conversation, Question: w.secret, At: epoch, LeaseUntil: epoch, Month: thisMonth}
}

// newAnswer is the end of a first attempt.
func (w *tenancy) newAnswer(id int64) turn.Answer {
	return turn.Answer{
		MessageID: id, Attempt: 1, Status: chat.Complete,
		Answer: answer.Answer{
			Text:      w.secret,
			Query:     w.secret,
			Citations: []answer.Citation{{Number: 1, DocumentID: w.document, Title: w.secret}},
			Record:    answer.UsageRecord{ChatbotID: w.chatbot, Model: w.secret, Usage: answer.Usage{PromptTokens: 70, CompletionTokens: 7}, At: epoch},
		},
	}
}

func (w *tenancy) newKey() chat.Key {
	return chat.Key{TokenID: w.token, Route: "POST /chat", Value: w.secret, BodyHash: w.secret}
}

func (w *tenancy) fillInsight(b *bundle) {
	b.Helper()
	ctx := b.Context()
	b.must(b.CreateTestQuestion(ctx, w.id, w.newQuestion(w.question)))
	b.must(b.CreateTestRun(ctx, w.id, w.newRun(w.run)))
	b.must(b.UpdateTestRun(ctx, w.id, w.newRun(w.run)))
	b.must(b.AddTestResult(ctx, w.id, w.newRun(w.run), w.newResult()))
	b.must(b.SaveFeedback(ctx, w.id, w.newFeedback()))
	b.must(b.Store.InTx(ctx, func(ctx context.Context) error {
		return errors.Join(b.AddGap(ctx, w.id, w.newGap()),
			b.AddToDay(ctx, w.id, w.chatbot, stats.Day{Date: "2026-03-01", Questions: 1}), b.AddToTally(ctx, w.id, w.chatbot, w.newTally(), 10))
	}))
}

func (w *tenancy) newQuestion(id string) testrun.Question {
	return testrun.Question{ID: id, ChatbotID: w.chatbot, Wanted: testrun.Wanted{Question: w.secret, Expects: testrun.AnAnswer}, CreatedBy: w.secret, CreatedAt: epoch}
}

func (w *tenancy) newRun(id string) testrun.Run {
	return testrun.Run{ID: id, WorkspaceID: w.id, ChatbotID: w.chatbot, Cause: testrun.ByPerson, State: testrun.Waiting, Reason: w.secret, CreatedAt: epoch}
}

func (w *tenancy) newResult() testrun.Result {
	return testrun.Result{RunID: w.run, QuestionID: w.question, Outcome: chat.Answered, Answer: w.secret, At: epoch}
}

func (w *tenancy) newFeedback() insight.Feedback {
	return insight.Feedback{
		ChatbotID: w.chatbot, ConversationID: w.rated, MessageID: w.answered, Rating: insight.ThumbDown, Comment: w.secret,
		UpdatedAt: epoch, CreatedAt: epoch,
	}
}

func (w *tenancy) newGap() insight.Gap {
	return insight.Gap{
		ChatbotID: w.chatbot, ConversationID: w.rated, MessageID: w.answered, Question: w.secret, Reason: insight.Disliked,
		State: insight.Open, CreatedAt: epoch,
	}
}

func (w *tenancy) newTally() stats.Tally {
	return stats.Tally{Period: "2026-03-01", Kind: stats.Topics, Answers: map[string]int{w.secret: 2}}
}

// thisMonth is the one of epoch.
const thisMonth = "2026-03"

func (w *tenancy) fillBilling(b *bundle) {
	b.Helper()
	ctx := b.Context()
	b.must(b.SaveSubscription(ctx, w.id, w.newSubscription()))
	b.must(b.AddAudit(ctx, w.id, audit.Entry{Actor: audit.Stripe, Action: audit.PlanChanged, Detail: w.secret, At: epoch}))
	b.must(b.SaveReversal(ctx, w.id, subscription.Reversal{StripeID: "re_" + w.secret, Kind: subscription.Refund, Status: w.secret, Currency: "usd", At: epoch}))
	b.must(b.AddMail(ctx, w.id, outbox.Mail{
		Key: "ends:" + w.id, To: w.secret + "@example.com", Subject: w.secret, Body: w.secret, DueAt: &epoch, CreatedAt: epoch,
	}))
	claimed, err := b.ClaimMail(ctx, everywhere, epoch, epoch.Add(time.Hour))
	b.must(err)
	w.mail = claimed.ID
}

// newSubscription is one without a time: it was never asked for at Stripe.
func (w *tenancy) newSubscription() subscription.Subscription {
	return subscription.Subscription{
		WorkspaceID: w.id, CustomerID: "cus_" + w.secret, Billed: subscription.Billed{ID: "sub_" + w.secret, Status: plan.Active, Plan: plan.Standard},
		Access: plan.Access{Plan: plan.Standard}, Revision: 1,
	}
}

// tables are the tables whose rows belong to a workspace, with the column that
// says to which.
var tables = map[string]string{
	"workspaces": "id", "members": "workspace_id", "invitations": "workspace_id", "chatbots": "workspace_id",
	"tokens": "workspace_id", "sources": "workspace_id", "documents": "workspace_id", "passages": "workspace_id",
	"uploads": "workspace_id", "originals": "workspace_id", "removals": "workspace_id", "embeddings": "workspace_id",
	"conversations": "workspace_id", "messages": "workspace_id", "subscriptions": "workspace_id",
	"audit_entries": "workspace_id", "mails": "workspace_id", "reversals": "workspace_id", "usages": "workspace_id",
	"test_questions": "workspace_id", "test_runs": "workspace_id", "test_results": "workspace_id", "feedbacks": "workspace_id", "gaps": "workspace_id", "daily_stats": "workspace_id", "daily_counts": "workspace_id",
	"quota_notices": "workspace_id", "token_months": "workspace_id",
	"sso_connections": "workspace_id", "erasures": "workspace_id", "webhook_endpoints": "workspace_id", "webhook_messages": "workspace_id", "webhook_deliveries": "workspace_id",
	"message_holds": "workspace_id", "request_minutes": "workspace_id", "index_changes": "workspace_id",
	"idempotency_keys": "workspace_id", "usage_records": "workspace_id", "usage_sums": "workspace_id", "cached_answers": "workspace_id", "providers": "workspace_id",
}

// rows are all rows of a workspace, as text.
func (b *bundle) rows(workspaceID string) string {
	b.Helper()
	var out strings.Builder
	for table, column := range tables {
		fmt.Fprintf(&out, "%s: %s\n", table, b.dump(table, column, workspaceID))
	}
	return sortedLines(out.String())
}

func (b *bundle) dump(table, column, workspaceID string) string {
	b.Helper()
	found, err := b.beside().QueryContext(b.Context(),
		fmt.Sprintf("SELECT * FROM %s WHERE %s = '%s' ORDER BY id", table, column, workspaceID))
	b.must(err)
	defer found.Close()
	columns, err := found.Columns()
	b.must(err)
	var rows []string
	for found.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		b.must(found.Scan(into...))
		rows = append(rows, fmt.Sprint(values))
	}
	b.must(found.Err())
	return strings.Join(rows, "; ")
}

func sortedLines(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// everywhere lets a test see the rows of all workspaces.
var everywhere = grant.Because("a test")
