package isolation

import (
	"context"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/insight"
	"parley/core/insight/testrun"
	ent "parley/ent/generated"
	"parley/internal/id"
	"parley/store"
	chatstore "parley/store/chat"
)

// conversations are one of the API, whose answer is rated, and one of the owner in the
// playground.
func (p *planter) conversations(ctx context.Context) error {
	begin := func(origin chat.Origin, by, endUser string) (*ent.Conversation, error) {
		metadata, err := chatstore.MetadataToColumn(map[string]string{"order": p.Text("conversations.metadata")})
		if err != nil {
			return nil, err
		}
		return p.db.Conversation.Create().SetWorkspaceID(p.ws).SetChatbotID(p.is.IDs["chatbot"]).SetExternalUserID(endUser).SetStatus(string(chat.Active)).
			SetTitle(p.Text("conversations.title")).SetOrigin(string(origin)).SetBegunBy(by).SetMetadata(metadata).SetCreatedAt(p.At).Save(ctx)
	}
	kept, err := begin(chat.API, p.Tokens[0].ID, p.named("eu", "external_user_id"))
	if err != nil {
		return err
	}
	tried, err := begin(chat.Playground, p.Owners[0].ID, "")
	if err != nil {
		return err
	}
	p.is.Conversation, p.is.Tried = kept.ID, tried.ID
	for _, of := range []*ent.Conversation{tried, kept} {
		if p.is.Message, err = p.exchange(ctx, of.ID); err != nil {
			return err
		}
	}
	return p.db.IdempotencyKey.Create().SetWorkspaceID(p.ws).SetTokenID(p.Tokens[0].ID).SetRoute("POST /api/v1/chat").SetKey(p.Word("idempotency_keys.key")).
		SetBodyHash(p.Word("idempotency_keys.body_hash")).SetConversationID(kept.ID).SetMessageID(p.is.Message).SetCreatedAt(p.At).Exec(ctx)
}

// exchange adds a question with its answer, and returns the answer.
func (p *planter) exchange(ctx context.Context, conversationID int64) (int64, error) {
	err := p.db.Message.Create().SetWorkspaceID(p.ws).SetConversationID(conversationID).SetRole("user").SetContent(p.Text("messages.content of a question")).
		SetStatus(string(chat.Complete)).SetQuery(p.Text("messages.query")).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return 0, err
	}
	answer, err := p.db.Message.Create().SetWorkspaceID(p.ws).SetConversationID(conversationID).SetRole("assistant").SetContent(p.Text("messages.content of an answer")).
		SetStatus(string(chat.Complete)).SetOutcome(string(chat.Answered)).SetFinishReason("stop").SetSources(p.cites()).
		SetDocumentIds(" " + p.is.Documents[0] + " ").SetCreatedAt(p.At).Save(ctx)
	if err != nil {
		return 0, err
	}
	return answer.ID, nil
}

// cites are the sources of an answer.
func (p *planter) cites() string {
	return store.CitationsToColumn([]answer.Citation{{Number: 1, Cited: true, DocumentID: p.is.Documents[0], Title: p.Text("messages.sources"), Version: 1}})
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
	err = p.store.Exec(ctx, p.store.Into("usage_sums").Set("workspace_id", p.ws).Set("month", p.month()).
		Set("chatbot_id", p.is.IDs["chatbot"]).Set("model", p.Word("usage_sums.model")).Set("status", string(chat.Complete)).Set("answers", 1))
	if err != nil {
		return err
	}
	err = p.store.Exec(ctx, p.store.Into("usages").Set("workspace_id", p.ws).Set("month", p.month()).Set("shard", 0).Set("messages", 1))
	if err != nil {
		return err
	}
	return p.db.QuotaNotice.Create().SetWorkspaceID(p.ws).SetMonth("2000-01").SetPercent(100).SetCreatedAt(p.At).Exec(ctx)
}
