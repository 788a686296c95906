package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/ent/scope"
	"parley/store"
	"parley/store/bots"
	chatstore "parley/store/chat"
	"parley/store/people"
)

// BenchmarkForgetting stores a conversation of 20 messages in one transaction, and
// deletes it in another, where SQLite overwrites what it deletes and where it does not.
func BenchmarkForgetting(b *testing.B) {
	for _, size := range []int{500, 2_000, 30_000} {
		for _, overwrites := range []int{0, 1} {
			b.Run(fmt.Sprintf("%d bytes a message, secure_delete=%d", size, overwrites), func(b *testing.B) {
				s, err := store.Open(b.Context(), store.SQLiteScheme+filepath.Join(b.TempDir(), fmt.Sprintf("parley.db?_pragma=secure_delete(%d)", overwrites)))
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				err = people.NewWorkspaces(s).CreateWorkspace(b.Context(), tenant.Workspace{ID: "ws_1", Name: "Bakery", Plan: plan.Standard, CreatedAt: epoch})
				if err == nil {
					err = bots.NewChatbots(s).CreateChatbot(b.Context(), "ws_1", chatbot.Chatbot{ID: "cb_1", WorkspaceID: "ws_1", Name: "Bakery", CreatedAt: epoch})
				}
				ctx := scope.Workspace(b.Context(), "ws_1")
				text := strings.Repeat("x", size)
				for b.Loop() {
					if err == nil {
						err = storeAndForget(ctx, s, text)
					}
				}
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

func storeAndForget(ctx context.Context, s *store.Store, text string) error {
	var begun chat.Conversation
	err := s.InTx(ctx, func(ctx context.Context) (err error) {
		begun, err = chatstore.NewConversations(s).CreateConversation(ctx, "ws_1", chat.Conversation{ChatbotID: "cb_1", CreatedAt: epoch})
		for range 20 {
			if err == nil {
				err = s.Client(ctx).Message.Create().SetWorkspaceID("ws_1").SetConversationID(begun.ID).SetRole("user").SetContent(text).
					SetStatus(string(chat.Complete)).SetCreatedAt(epoch).Exec(ctx)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.InTx(ctx, func(ctx context.Context) error { return s.Client(ctx).Conversation.DeleteOneID(begun.ID).Exec(ctx) })
}
