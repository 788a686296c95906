package isolation

import (
	"context"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/insight"
	"parley/core/insight/testrun"
	ent "parley/ent/generated"
	"parley/internal/id"
	chatstore "parley/store/chat"
	"parley/store/citation"
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
	return p.add(ctx, p.into("idempotency_keys").Set("token_id", p.Tokens[0].ID).Set("route", "POST /api/v1/chat").Set("key", p.Word("idempotency_keys.key")).
		Set("body_hash", p.Word("idempotency_keys.body_hash")).Set("conversation_id", kept.ID).Set("message_id", p.is.Message).Set("created_at", p.At))
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
	return citation.ToColumn([]answer.Citation{{Number: 1, Cited: true, DocumentID: p.is.Documents[0], Title: p.Text("messages.sources"), Version: 1}})
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
	return p.add(ctx,
		p.into("daily_stats").Set("chatbot_id", bot).Set("day", day).Set("first_text", "[]").Set("hours", "[]"),
		p.into("daily_counts").Set("chatbot_id", bot).Set("day", day).Set("kind", "topic").Set("name", p.Text("daily_counts.name")).Set("answers", 1),
		p.into("cached_answers").Set("chatbot_id", bot).Set("key", id.Hash(p.ws)).Set("text", p.Text("cached_answers.text")).Set("sources", p.cites()).Set("created_at", p.At))
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
	return p.add(ctx, p.into("test_results").Set("run_id", run).Set("question_id", question).Set("passed", false).Set("outcome", string(chat.Answered)).
		Set("answer", p.Text("test_results.answer")).Set("failure", p.Text("test_results.failure")).Set("sources", p.cites()).Set("created_at", p.At))
}

// usage is what the workspace has used of its plan.
func (p *planter) usage(ctx context.Context) error {
	return p.add(ctx,
		p.into("usage_records").Set("chatbot_id", p.is.IDs["chatbot"]).Set("message_id", p.is.Message).Set("attempt", 1).Set("status", string(chat.Complete)).
			Set("model", p.Word("usage_records.model")).Set("conversation_id", p.is.Conversation).Set("outcome", string(chat.Answered)).Set("counted", true).Set("created_at", p.At),
		p.into("usage_sums").Set("month", p.month()).
			Set("chatbot_id", p.is.IDs["chatbot"]).Set("model", p.Word("usage_sums.model")).Set("status", string(chat.Complete)).Set("answers", 1),
		p.into("usages").Set("month", p.month()).Set("shard", 0).Set("messages", 1),
		p.into("quota_notices").Set("month", "2000-01").Set("percent", 100).Set("created_at", p.At))
}
