// Package bots keeps chatbots, their tokens, and the providers of their models.
package bots

import (
	"context"
	"iter"
	"strings"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/core/system"
	ent "parley/ent/generated"
	entchatbot "parley/ent/generated/chatbot"
	"parley/ent/scope"
	"parley/store"
)

// Chatbots keeps chatbots.
type Chatbots struct{ store *store.Store }

// NewChatbots returns the chatbots of a database.
func NewChatbots(db *store.Store) *Chatbots { return &Chatbots{db} }

// CreateChatbot adds a chatbot.
func (s *Chatbots) CreateChatbot(ctx context.Context, workspaceID string, bot chatbot.Chatbot) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Chatbot.Create().SetID(bot.ID).SetWorkspaceID(workspaceID).SetName(bot.Name).
			SetInstructions(bot.Instructions).SetNoAnswer(bot.NoAnswer).SetImageHosts(store.List(bot.ImageHosts)).
			SetPassageAim(bot.PassageAim).SetPassageLimit(bot.PassageLimit).
			SetAnswerWithoutKnowledge(bot.AnswerWithoutKnowledge).SetSeparateEndUsers(bot.SeparateEndUsers).SetKeepFiles(!bot.DiscardFiles).SetCreatedAt(bot.CreatedAt).
			SetProviderID(bot.Model.ProviderID).SetModel(bot.Model.Name).
			SetFallbackProviderID(bot.Fallback.ProviderID).SetFallbackModel(bot.Fallback.Name).
			SetNillableTemperature(bot.Temperature).SetMaxAnswerTokens(bot.MaxAnswerTokens).
			SetGrounding(string(bot.Grounding)).SetCacheAnswers(bot.CacheAnswers).SetRerank(string(bot.Rerank)).
			SetWelcome(bot.Welcome).SetSuggestedQuestions(suggestionsToColumn(bot.Greeting)).
			SetRetentionDays(fromRetention(bot.RetentionDays)).SetStoreMessages(!bot.DiscardMessages).Exec(ctx)
	})
}

// Chatbot returns one chatbot.
func (s *Chatbots) Chatbot(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error) {
	row, err := s.store.Client(ctx).Chatbot.Query().Where(entchatbot.ID(chatbotID)).Only(scope.Workspace(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return chatbot.Chatbot{}, errNoChatbot
	}
	return store.One(row, err, ChatbotFromRow)
}

var errNoChatbot = fault.New(fault.NotFound, "Chatbot not found.")

// Chatbots returns the chatbots of a workspace, oldest first.
func (s *Chatbots) Chatbots(ctx context.Context, workspaceID string) ([]chatbot.Chatbot, error) {
	rows, err := s.store.Client(ctx).Chatbot.Query().Where(entchatbot.WorkspaceID(workspaceID)).
		Order(entchatbot.ByCreatedAt(), entchatbot.ByID()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, ChatbotFromRow)
}

// AllChatbots reads the scopes of the chatbots of every workspace by ID.
func (s *Chatbots) AllChatbots(ctx context.Context, access system.Access) iter.Seq2[retrieval.Scope, error] {
	rows := store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]*ent.Chatbot, error) {
		return s.store.Client(ctx).Chatbot.Query().Where(entchatbot.IDGT(after)).Order(entchatbot.ByID()).Limit(store.PortionRows).
			Select(entchatbot.FieldID, entchatbot.FieldWorkspaceID).All(ctx)
	}, func(row *ent.Chatbot) string { return row.ID })
	return store.Converted(rows, func(row *ent.Chatbot) retrieval.Scope {
		return retrieval.Scope{WorkspaceID: row.WorkspaceID, ChatbotID: row.ID}
	})
}

// UpdateChatbot changes a chatbot's settings.
func (s *Chatbots) UpdateChatbot(ctx context.Context, workspaceID, chatbotID string, settings chatbot.Settings) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Chatbot.Update().Where(entchatbot.ID(chatbotID)).SetName(settings.Name).
			SetInstructions(settings.Instructions).SetNoAnswer(settings.NoAnswer).
			SetImageHosts(store.List(settings.ImageHosts)).
			SetWelcome(settings.Welcome).SetSuggestedQuestions(suggestionsToColumn(settings.Greeting)).
			SetPassageAim(settings.PassageAim).SetPassageLimit(settings.PassageLimit).
			SetAnswerWithoutKnowledge(settings.AnswerWithoutKnowledge).SetSeparateEndUsers(settings.SeparateEndUsers).SetKeepFiles(!settings.DiscardFiles).
			SetRetentionDays(fromRetention(settings.RetentionDays)).SetStoreMessages(!settings.DiscardMessages)
		n, err := setAnswering(update, settings.Answering).Save(ctx)
		if err == nil && n == 0 {
			return errNoChatbot
		}
		return err
	})
}

// asThePlan is how the row has that conversations are kept as long as the plan says.
const asThePlan = -1

func fromRetention(days int) int {
	if days == 0 {
		return asThePlan
	}
	return days
}

func retentionFromRow(row *ent.Chatbot) chatbot.Retention {
	return chatbot.Retention{RetentionDays: max(row.RetentionDays, 0), DiscardMessages: !row.StoreMessages}
}

func setAnswering(update *ent.ChatbotUpdate, a chatbot.Answering) *ent.ChatbotUpdate {
	if a.Temperature == nil {
		update.ClearTemperature()
	}
	return update.SetNillableTemperature(a.Temperature).
		SetProviderID(a.Model.ProviderID).SetModel(a.Model.Name).
		SetFallbackProviderID(a.Fallback.ProviderID).SetFallbackModel(a.Fallback.Name).
		SetMaxAnswerTokens(a.MaxAnswerTokens).SetGrounding(string(a.Grounding)).SetCacheAnswers(a.CacheAnswers).
		SetRerank(string(a.Rerank))
}

// DeleteChatbot removes a chatbot and all that belongs to it.
func (s *Chatbots) DeleteChatbot(ctx context.Context, workspaceID, chatbotID string) error {
	return s.store.Write(store.Background(scope.Workspace(ctx, workspaceID)), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Chatbot.Delete().Where(entchatbot.ID(chatbotID)).Exec(ctx))
	})
}

// WorkspaceOf finds a chatbot in any workspace.
func (s *Chatbots) WorkspaceOf(ctx context.Context, access system.Access, chatbotID string) (string, error) {
	row, err := s.store.Client(ctx).Chatbot.Query().Where(entchatbot.ID(chatbotID)).Only(scope.System(ctx, access))
	if ent.IsNotFound(err) {
		return "", errNoChatbot
	}
	return store.One(row, err, func(row *ent.Chatbot) string { return row.WorkspaceID })
}

func ChatbotFromRow(row *ent.Chatbot) chatbot.Chatbot {
	return chatbot.Chatbot{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Name: row.Name, Instructions: row.Instructions,
		NoAnswer: row.NoAnswer, ImageHosts: row.ImageHosts, PassageAim: row.PassageAim, PassageLimit: row.PassageLimit,
		AnswerWithoutKnowledge: row.AnswerWithoutKnowledge, SeparateEndUsers: row.SeparateEndUsers, DiscardFiles: !row.KeepFiles, Greeting: greetingFromRow(row), Retention: retentionFromRow(row), Answering: answeringFromRow(row),
		OverLimit: row.OverLimit, CreatedAt: row.CreatedAt.UTC(),
	}
}

func greetingFromRow(row *ent.Chatbot) chatbot.Greeting {
	greeting := chatbot.Greeting{Welcome: row.Welcome}
	if row.SuggestedQuestions == "" {
		return greeting
	}
	greeting.SuggestedQuestions = strings.Split(row.SuggestedQuestions, "\n")
	if greeting.SuggestedQuestions[0] == suggestNothing {
		greeting.SuggestNothing, greeting.SuggestedQuestions = true, greeting.SuggestedQuestions[1:]
	}
	return greeting
}

// suggestNothing is the first line of the column if the chatbot suggests nothing. No
// question is written so.
const suggestNothing = "-"

// suggestionsToColumn has the questions in one column, one a line.
func suggestionsToColumn(greeting chatbot.Greeting) string {
	lines := greeting.SuggestedQuestions
	if greeting.SuggestNothing {
		lines = append([]string{suggestNothing}, lines...)
	}
	return strings.Join(lines, "\n")
}

func answeringFromRow(row *ent.Chatbot) chatbot.Answering {
	return chatbot.Answering{
		Model:       chatbot.ModelChoice{ProviderID: row.ProviderID, Name: row.Model},
		Fallback:    chatbot.ModelChoice{ProviderID: row.FallbackProviderID, Name: row.FallbackModel},
		Temperature: row.Temperature, MaxAnswerTokens: row.MaxAnswerTokens,
		Grounding: chatbot.Grounding(row.Grounding), CacheAnswers: row.CacheAnswers,
		Rerank: chatbot.Rerank(row.Rerank),
	}
}
