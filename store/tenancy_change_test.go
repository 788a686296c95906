package store_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/text/encode"
)

// methodsThatChange change rows of a.
var methodsThatChange = []confined{
	{"SetOverLimit", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetOverLimit(ctx, as, plan.Chatbots, []string{a.chatbot})
	}},
	{"SetKept", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetKept(ctx, as, plan.Members, []string{a.user})
	}},
	{"SaveEncodings", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SaveEncodings(ctx, as, map[int64]encode.Encoding{a.passage: {2}})
	}},
	{"Encodings", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found, err := s.Encodings(ctx, as, a.chatbot, []int64{a.passage})
		return shownIf(a, len(found)), err
	}},
	{"SettleMail", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SettleMail(ctx, as, a.mail, &epoch, nil)
	}},
	{"CountRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CountRemoval(ctx, as, "rm_doc_gone_"+a.id, 1, []int64{a.answer}, epoch)
	}},
	{"ChangeConversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.ChangeConversation(ctx, as, a.chatbot, a.conversation, func(c *chat.Conversation) error {
			c.Metadata = map[string]string{"mine": a.secret}
			return nil
		})
	}},
	{"Conversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Conversation(ctx, as, a.chatbot, a.conversation)
	}},
	{"SaveProgress", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SaveProgress(ctx, as, a.answer, 1, "mine")
	}},
	{"AskToStop", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.AskToStop(ctx, as, a.answer)
	}},
	{"FinishTurn", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.FinishTurn(ctx, as, turn.Answer{MessageID: a.answer, Attempt: 1, Status: chat.Failed, Answer: answer.Answer{Text: "mine"}})
	}},
	{"BeginAgain", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.BeginAgain(ctx, as, turn.Retry{ConversationID: a.conversation, AnswerID: a.answer, LeaseUntil: epoch, Month: thisMonth})
	}},
	{"FinishTurn", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.FinishTurn(ctx, as, turn.Answer{MessageID: a.answer, Attempt: 2, Status: chat.Complete, Answer: answer.Answer{Text: "mine"}})
	}},
	{"Claim", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		made := chat.Claim{ConversationID: a.conversation, AnswerID: a.answer, At: epoch.Add(time.Hour)}
		return nil, s.Claim(ctx, as, a.newKey(), made, epoch) // the one that is there has expired
	}},
	{"CacheAnswer", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CacheAnswer(ctx, as, a.chatbot, "question", answer.CachedAnswer{Text: "mine", At: epoch})
	}},
	{"AddToMonth", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.Store.InTx(ctx, func(ctx context.Context) error { return s.AddToMonth(ctx, as, thisMonth, false) })
	}},
	{"CountQuestion", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.CountQuestion(ctx, as, thisMonth, false)
	}},
	{"UncountQuestion", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.UncountQuestion(ctx, as, thisMonth)
	}},
	{"KeepConversations", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.KeepConversations(ctx, as, epoch, 30)
	}},
	{"SetGrantEnd", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.SetGrantEnd(ctx, as, &epoch)
	}},
	{"SetPlan", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.SetPlan(ctx, as, plan.Premium, plan.Basic)
	}},
	{"SetRole", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetRole(ctx, as, a.user, tenant.RoleMember)
	}},
	{"UpdateChatbot", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.UpdateChatbot(ctx, as, a.chatbot, chatbot.Settings{Name: "mine"})
	}},
	{"UpdateProvider", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		provider := a.newProvider(a.provider)
		provider.Name = "mine"
		return nil, s.UpdateProvider(ctx, as, provider)
	}},
	{"TouchToken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.TouchToken(ctx, as, a.token, chatbot.LastUse{LastUsedAt: &epoch, LastUsedIP: "192.0.2.1"})
	}},
	{"UpdateToken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.UpdateToken(ctx, as, chatbot.Token{ID: a.token, ChatbotID: a.chatbot, Name: "Renamed", ExpiresAt: &epoch})
	}},
	{"CountMessage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.CountMessage(ctx, as, a.token, "2026-10", 9)
	}},
	{"UncountMessage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.UncountMessage(ctx, as, a.token, "2026-10")
	}},
	{"WarnedOfToken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.WarnedOfToken(ctx, as, a.token, 14)
	}},
	{"RenameWorkspace", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.RenameWorkspace(ctx, as, "Renamed")
	}},
	{"RequireSecondFactor", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.RequireSecondFactor(ctx, as, true)
	}},
	{"RevokeToken", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.RevokeToken(ctx, as, a.chatbot, a.token, epoch)
	}},
	{"MarkReindex", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.MarkReindex(ctx, as, a.chatbot, epoch)
	}},
	{"SetBegun", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetBegun(ctx, as, a.document, 0, 1)
	}},
	{"SetBegunOf", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetBegunOf(ctx, as, []string{a.document}, 1, 2)
	}},
	{"SetSourceBegun", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetSourceBegun(ctx, as, a.source, 0, 1)
	}},
	{"UpdateDocument", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		document := a.newDocument(a.document)
		document.State, document.Version = knowledge.Ready, 1
		return nil, s.UpdateDocument(ctx, as, knowledge.Indexing, document, false)
	}},
	{"RefreshFound", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.RefreshFound(ctx, as, a.source, epoch)
	}},
	{"DueDocument", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.DueDocument(ctx, as, knowledge.FetchWork, epoch, nil)
	}},
	// In a workspace that is being deleted nothing is due.
	{"SetDeletion", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.SetDeletion(ctx, as, &epoch)
	}},
	{"SetIndexed", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.SetIndexed(ctx, as, a.document, 7)
	}},
	{"DocumentPage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.DocumentPage(ctx, as, a.chatbot, browse.Filter{}, browse.Slice{Limit: 10})
	}},
	{"CountDocuments", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		counts, err := s.CountDocuments(ctx, as, a.chatbot, browse.Filter{})
		return shownIf(a, len(counts)), err
	}},
	{"SourcePage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.SourcePage(ctx, as, a.chatbot, browse.Slice{Limit: 10})
	}},
	{"CountSources", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		counts, err := s.CountSources(ctx, as, a.chatbot)
		return shownIf(a, len(counts)), err
	}},
	{"CountPages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		counts, err := s.CountPages(ctx, as, []string{a.source})
		return shownIf(a, len(counts)), err
	}},
	{"RemovalPage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.RemovalPage(ctx, as, a.chatbot, browse.Slice{Limit: 10})
	}},
	{"PassagePage", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.PassagePage(ctx, as, a.document, 1, 0, 10)
	}},
	{"SpanTexts", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		texts, err := s.SpanTexts(ctx, as, a.chatbot, []browse.Span{{DocumentID: a.document, Version: 1, End: 1_000_000}})
		return fmt.Sprint(texts), err
	}},
	{"AnswersGiven", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.AnswersGiven(ctx, as, a.chatbot, a.document, 10, 10)
	}},
	{"Withdraw", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Withdraw(ctx, as, a.chatbot, []string{a.document}, epoch, epoch)
	}},
	{"Withdrawn", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Withdrawn(ctx, as, a.chatbot, epoch)
	}},
	{"UndoRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.UndoRemoval(ctx, as, knowledge.Document{ID: a.document, State: knowledge.Ready, Version: 1, Live: 1})
	}},
	{"EndUndo", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		d := a.newDocument("doc_withdrawn")
		err := s.CreateDocument(ctx, as, d)
		_, withdrawn := s.Withdraw(ctx, as, a.chatbot, []string{d.ID}, epoch, epoch)
		return nil, errors.Join(err, withdrawn, s.EndUndo(ctx, as, d.ID, epoch), s.DeleteDocument(ctx, as, d.ID))
	}},
	{"ReleaseExternalID", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		d := a.newDocument("doc_released")
		err := s.CreateDocument(ctx, as, d)
		_, withdrawn := s.Withdraw(ctx, as, a.chatbot, []string{d.ID}, epoch, epoch)
		return nil, errors.Join(err, withdrawn, s.ReleaseExternalID(ctx, as, a.chatbot, d.ExternalID), s.DeleteDocument(ctx, as, d.ID))
	}},
	{"MarkSourceRemoving", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.MarkSourceRemoving(ctx, as, a.source, epoch)
	}},
	{"MarkRemoving", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.MarkRemoving(ctx, as, a.document, epoch.Add(time.Hour))
	}},
	{"PostponeRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.PostponeRemoval(ctx, as, a.document, 7, epoch)
	}},
	{"ConfirmRemoval", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.ConfirmRemoval(ctx, as, "doc_gone_"+a.id, epoch, 1, []int64{a.answer})
	}},
	{"UpdateSource", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		source := a.newSource(a.source)
		source.State = knowledge.SourceFailed
		return nil, s.UpdateSource(ctx, as, source)
	}},
}
