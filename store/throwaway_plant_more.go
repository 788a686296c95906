package store

import (
	"context"
	"encoding/json"
	"strings"

	"parley/core/chat"
	"parley/core/insight"
	"parley/core/insight/testrun"
	"parley/core/isolation"
	"parley/core/knowledge"
	"parley/core/privacy"
	"parley/core/webhook"
	"parley/internal/id"
)

// NotPlanted are the tables of workspaces in which a throw-away workspace has no row, and why.
var NotPlanted = map[string]string{
	"subscriptions":   "a server would ask Stripe about it",
	"reversals":       "a refund belongs to a customer at Stripe",
	"audit_entries":   "entries of the audit log cannot be taken away",
	"message_holds":   "it says what a server has reserved, for minutes",
	"request_minutes": "it counts the requests of a minute",
	"index_changes":   "PostgreSQL writes it when documents change",
}

func (p *planter) sources(ctx context.Context) error {
	return p.db.Source.Create().SetID(p.named("src", "source", "source_id")).SetWorkspaceID(p.ws).SetChatbotID(p.is.IDs["chatbot"]).SetKind(string(knowledge.Page)).
		SetURL("https://" + p.Word("sources.url") + ".invalid/").SetInclude([]string{}).SetExclude([]string{}).SetSchedule(string(knowledge.Never)).
		SetState(string(knowledge.SourceReady)).SetSyncedAt(p.At).SetCreatedAt(p.At).Exec(ctx)
}

// documentsEach is how many documents a throw-away workspace has.
const documentsEach = 20

// documents are ready, with a passage each. The caller puts them into the index.
func (p *planter) documents(ctx context.Context) error {
	for i := range documentsEach {
		d := knowledge.Document{
			ID: p.NewID("doc"), ChatbotID: p.is.IDs["chatbot"], Title: p.Text("documents.title"), Kind: knowledge.Markdown, State: knowledge.Ready,
			Content:   "# " + p.Text("passages.heading_path") + "\n\nThe watchword is " + p.Text("documents.content") + ".\n",
			UpdatedAt: p.At, CreatedAt: p.At, Version: 1, Live: 1,
		}
		d.InputHash, d.ContentHash, d.Chars = id.Hash(d.ID+d.Content), id.Hash(d.Content), len(d.Content)
		if i == 0 {
			p.is.IDs["document"], p.is.IDs["document_id"] = d.ID, d.ID
			d.ExternalID = p.named("ext", "external_id")
		}
		if i == 1 {
			d.SourceID, d.URL = p.is.IDs["source"], "https://"+p.Word("documents.url")+".invalid/"
		}
		if err := newDocument(p.db, p.ws, d).SetPassageCount(1).SetIndexed(1).SetVersion(1).SetLive(1).SetFetchedAt(p.At).Exec(ctx); err != nil {
			return err
		}
		heading, text, _ := strings.Cut(strings.TrimPrefix(d.Content, "# "), "\n\n")
		err := p.db.Passage.Create().SetWorkspaceID(p.ws).SetChatbotID(d.ChatbotID).SetDocumentID(d.ID).SetVersion(1).SetOrdinal(0).SetTitle(d.Title).
			SetHeadingPath([]string{heading}).SetStart(0).SetEnd(len(d.Content)).SetContentHash(d.ContentHash).SetText(text).Exec(ctx)
		if err != nil {
			return err
		}
		p.is.Documents = append(p.is.Documents, d.ID)
	}
	if err := p.db.Upload.Create().SetWorkspaceID(p.ws).SetDocumentID(p.is.Documents[2]).SetName(p.Text("uploads.name")).SetContentType("text/plain").SetBody([]byte(p.Text("uploads.body"))).Exec(ctx); err != nil {
		return err
	}
	if err := p.db.Embedding.Create().SetWorkspaceID(p.ws).SetModel(p.Word("embeddings.model")).SetTextHash(id.Hash(p.ws)).SetVector([]byte{0, 0, 0, 0}).SetUsedAt(p.At).Exec(ctx); err != nil {
		return err
	}
	return p.db.Removal.Create().SetID(p.named("rm", "removal_id")).SetWorkspaceID(p.ws).SetChatbotID(p.is.IDs["chatbot"]).SetDocumentID(p.NewID("doc")).
		SetTitle(p.Text("removals.title")).SetURL("https://" + p.Word("removals.url") + ".invalid/").SetContentHash(id.Hash(p.ws)).SetPassages(1).
		SetRequestedAt(p.At).SetConfirmedAt(p.At).SetCountedAt(p.At).SetMessageIds([]int64{}).Exec(ctx)
}

func (p *planter) insight(ctx context.Context) error {
	bot := p.is.IDs["chatbot"]
	err := p.db.Feedback.Create().SetWorkspaceID(p.ws).SetChatbotID(bot).SetConversationID(p.is.Conversation).SetMessageID(p.is.Message).SetRating(-1).SetCounted(-1).
		SetComment(p.Text("feedbacks.comment")).SetGivenBy(p.Owners[0].ID).SetUpdatedAt(p.At).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	err = p.db.Gap.Create().SetWorkspaceID(p.ws).SetChatbotID(bot).SetConversationID(p.is.Conversation).SetMessageID(p.is.Message).SetQuestion(p.Text("gaps.question")).
		SetReason(string(insight.Disliked)).SetState(string(insight.Open)).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	day := p.At.UTC().Format("2006-01-02")
	err = p.db.DailyStat.Create().SetWorkspaceID(p.ws).SetChatbotID(bot).SetDay(day).SetFirstText([]int{}).SetHours([]int{}).Exec(ctx)
	if err != nil {
		return err
	}
	err = p.db.DailyCount.Create().SetWorkspaceID(p.ws).SetChatbotID(bot).SetDay(day).SetKind("topic").SetName(p.Text("daily_counts.name")).SetAnswers(1).Exec(ctx)
	if err != nil {
		return err
	}
	return p.db.CachedAnswer.Create().SetWorkspaceID(p.ws).SetChatbotID(bot).SetKey(id.Hash(p.ws)).SetText(p.Text("cached_answers.text")).SetSources(p.cites()).SetCreatedAt(p.At).Exec(ctx)
}

func (p *planter) tests(ctx context.Context) error {
	bot, question, run := p.is.IDs["chatbot"], p.named("tq", "question"), p.named("tr", "run")
	err := p.db.TestQuestion.Create().SetID(question).SetWorkspaceID(p.ws).SetChatbotID(bot).SetQuestion(p.Text("test_questions.question")).SetExpects(string(testrun.AText)).
		SetExpected(p.Text("test_questions.expected")).SetReference(p.Text("test_questions.reference")).SetDocument(p.Text("test_questions.document")).SetCreatedBy(p.Owners[0].Email).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	err = p.db.TestRun.Create().SetID(run).SetWorkspaceID(p.ws).SetChatbotID(bot).SetCause(string(testrun.ByPerson)).SetState(string(testrun.Done)).SetReason(p.Text("test_runs.reason")).
		SetTotal(1).SetStartedBy(p.Owners[0].Email).SetEndedAt(p.At).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	return p.db.TestResult.Create().SetWorkspaceID(p.ws).SetRunID(run).SetQuestionID(question).SetPassed(false).SetOutcome(string(chat.Answered)).
		SetAnswer(p.Text("test_results.answer")).SetFailure(p.Text("test_results.failure")).SetSources(p.cites()).SetCreatedAt(p.At).Exec(ctx)
}

// usage is what the workspace has used of its plan.
func (p *planter) usage(ctx context.Context) error {
	err := p.db.UsageRecord.Create().SetWorkspaceID(p.ws).SetChatbotID(p.is.IDs["chatbot"]).SetMessageID(p.is.Message).SetAttempt(1).SetStatus(string(chat.Complete)).
		SetModel(p.Word("usage_records.model")).SetConversationID(p.is.Conversation).SetOutcome(string(chat.Answered)).SetCounted(true).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	err = p.store.exec(ctx, p.store.into("usage_sums").Set("workspace_id", p.ws).Set("month", p.month()).
		Set("chatbot_id", p.is.IDs["chatbot"]).Set("model", p.Word("usage_sums.model")).Set("status", string(chat.Complete)).Set("answers", 1))
	if err != nil {
		return err
	}
	err = p.store.exec(ctx, p.store.into("usages").Set("workspace_id", p.ws).Set("month", p.month()).Set("shard", 0).Set("messages", 1))
	if err != nil {
		return err
	}
	return p.db.QuotaNotice.Create().SetWorkspaceID(p.ws).SetMonth("2000-01").SetPercent(100).SetCreatedAt(p.At).Exec(ctx)
}

// webhooks are one that is paused, with a delivery that was canceled: nothing is sent.
func (p *planter) webhooks(ctx context.Context) error {
	endpoint, message := p.named("we", "webhook"), p.NewID("msg")
	err := p.db.WebhookEndpoint.Create().SetID(endpoint).SetWorkspaceID(p.ws).SetURL("https://" + p.Word("webhook_endpoints.url") + ".invalid/").SetEvents([]string{string(webhook.QuotaNear)}).
		SetDescription(p.Text("webhook_endpoints.description")).SetSealedSecret([]byte(p.Word("webhook_endpoints.sealed_secret"))).SetState(string(webhook.Paused)).
		SetCreatedBy(p.Owners[0].Email).SetUpdatedAt(p.At).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	payload, err := json.Marshal(map[string]string{"type": string(webhook.Test), "about": p.Text("webhook_messages.payload")})
	if err != nil {
		return err
	}
	if err := p.db.WebhookMessage.Create().SetID(message).SetWorkspaceID(p.ws).SetKind(string(webhook.Test)).SetPayload(string(payload)).SetCreatedAt(p.At).Exec(ctx); err != nil {
		return err
	}
	delivery, err := p.db.WebhookDelivery.Create().SetWorkspaceID(p.ws).SetEndpointID(endpoint).SetMessageID(message).SetState(string(webhook.Canceled)).SetEndedAt(p.At).SetCreatedAt(p.At).Save(ctx)
	if err == nil {
		p.is.Delivery = delivery.ID
	}
	return err
}

// mails are one that was sent, and the receipt of an erasure.
func (p *planter) mails(ctx context.Context) error {
	err := p.db.Mail.Create().SetWorkspaceID(p.ws).SetKey(p.Word("mails.key")).SetRecipient(p.Owners[0].Email).SetSubject(p.Text("mails.subject")).SetBody(p.Text("mails.body")).
		SetSentAt(p.At).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	return p.db.Erasure.Create().SetID(p.NewID("er")).SetWorkspaceID(p.ws).SetKind(string(privacy.EndUser)).SetSubjectHash(id.Hash(p.ws)).SetRequestedBy(p.Word("erasures.requested_by")).
		SetErased(privacy.Counts{}).SetRemaining(privacy.Counts{}).SetDoneAt(p.At).SetCreatedAt(p.At).Exec(ctx)
}

var _ isolation.Store = (*ThrowAways)(nil)
