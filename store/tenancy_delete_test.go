package store_test

import (
	"context"
	"time"

	"parley/core/chat"
)

// methodsThatDelete end with the workspace.
var methodsThatDelete = []confined{
	{"DeleteConversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteConversation(ctx, as, a.chatbot, a.rated)
	}},

	{"DeleteOldConversations", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.DeleteOldConversations(ctx, as, time.Time{}, epoch.Add(time.Hour), 10)
	}},
	{"DeleteOldOfChatbot", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		if as == a.id {
			_, err := s.CreateConversation(ctx, as, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch})
			if err != nil {
				return nil, err
			}
		}
		n, err := s.DeleteOldOfChatbot(ctx, as, a.chatbot, epoch.Add(time.Hour), 10)
		return secretIf(a, n > 0), err
	}},
	{"DeletePassages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeletePassages(ctx, as, a.document, 9)
	}},
	{"DeleteOriginal", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteOriginal(ctx, as, a.document)
	}},
	{"DeleteUpload", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteUpload(ctx, as, a.document)
	}},
	{"DeleteSource", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteSource(ctx, as, a.source)
	}},
	{"DeleteDocument", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteDocument(ctx, as, a.document)
	}},
	{"DeleteProvider", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteProvider(ctx, as, a.provider)
	}},
	{"DeleteQuotaNotices", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.DeleteQuotaNotices(ctx, as, thisMonth)
	}},
	{"DeleteInvitation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteInvitation(ctx, as, a.invitation)
	}},
	{"RemoveMember", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.RemoveMember(ctx, as, a.user)
	}},
	{"DeleteChatbot", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteChatbot(ctx, as, a.chatbot)
	}},
	{"DeleteWorkspace", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return nil, s.DeleteWorkspace(ctx, as)
	}},
}
