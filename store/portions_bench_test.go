package store_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/tenant"
	"parley/ent/scope"
	"parley/internal/pgtest"
	"parley/store"
	billingstore "parley/store/billing"
	"parley/store/bots"
	chatstore "parley/store/chat"
	knowledgestore "parley/store/knowledge"
	"parley/store/people"
)

// BenchmarkPortions goes through what periodic jobs read of 100,000 workspaces with a
// chatbot, a token, a document and a conversation each.
func BenchmarkPortions(b *testing.B) {
	for name, url := range map[string]string{"sqlite": store.SQLiteScheme + filepath.Join(b.TempDir(), "parley.db"), "postgres": pgtest.New(b)} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			const workspaces = 100_000
			fillWorkspaces(b, s, workspaces)
			goThrough(b, "settling", workspaces, billingstore.NewHoldings(s).Settling)
			goThrough(b, "retentions", workspaces, chatstore.NewRetentions(s).Retentions)
			goThrough(b, "quotas", workspaces, func(ctx context.Context, access system.Access) iter.Seq2[tenant.QuotaUse, error] {
				return billingstore.NewQuotaNotices(s).Quotas(ctx, access, "2026-03")
			})
			goThrough(b, "documents", workspaces, knowledgestore.NewDocuments(s).AllDocuments)
			goThrough(b, "workspaces", workspaces, people.NewWorkspaces(s).Workspaces)
			goThrough(b, "grants", 0, func(ctx context.Context, access system.Access) iter.Seq2[string, error] {
				return billingstore.NewPlanAccess(s).EndedGrants(ctx, access, epoch)
			})
			goThrough(b, "work due", 0, func(ctx context.Context, access system.Access) iter.Seq2[knowledge.DueWork, error] {
				return knowledgestore.NewDueWork(s).WorkspacesDue(ctx, access, epoch)
			})
			goThrough(b, "stale customers", 0, billingstore.NewSubscriptions(s).StaleCustomers)
		})
	}
}

func goThrough[Row any](b *testing.B, name string, want int, list func(context.Context, system.Access) iter.Seq2[Row, error]) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			read := 0
			for _, err := range list(b.Context(), everywhere) {
				if err != nil {
					b.Fatal(err)
				}
				read++
			}
			if read != want {
				b.Fatalf("%d rows were read, want %d", read, want)
			}
		}
	})
}

// fillWorkspaces adds workspaces, each document of which is read again in an hour.
func fillWorkspaces(b *testing.B, s *store.Store, n int) {
	const atOnce = 1_000
	later := epoch.Add(time.Hour)
	for begin := 0; begin < n; begin += atOnce {
		err := s.InTx(b.Context(), func(ctx context.Context) error {
			for i := begin; i < begin+atOnce; i++ {
				id := fmt.Sprintf("%06d", i)
				w, bot := "ws_"+id, "cb_"+id
				if err := people.NewWorkspaces(s).CreateWorkspace(ctx, tenant.Workspace{ID: w, Name: id, Plan: plan.Standard, CreatedAt: epoch}); err != nil {
					return err
				}
				if err := bots.NewChatbots(s).CreateChatbot(ctx, w, chatbot.Chatbot{ID: bot, WorkspaceID: w, Name: id, CreatedAt: epoch}); err != nil {
					return err
				}
				if err := bots.NewTokens(s).CreateToken(ctx, w, chatbot.Token{ID: "tok_" + id, ChatbotID: bot, Name: id, CreatedAt: epoch}, id); err != nil {
					return err
				}
				d := knowledge.Document{ID: "doc_" + id, WorkspaceID: w, ChatbotID: bot, Title: id, Kind: knowledge.Text, State: knowledge.Ready, InputHash: id, DueAt: &later, UpdatedAt: epoch, CreatedAt: epoch}
				if err := knowledgestore.NewDocuments(s).CreateDocument(ctx, w, d); err != nil {
					return err
				}
				if _, err := chatstore.NewConversations(s).CreateConversation(ctx, w, chat.Conversation{ChatbotID: bot, CreatedAt: epoch}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if !s.IsSQLite() {
		if _, err := s.Raw(b.Context()).ExecContext(scope.System(b.Context(), everywhere), "ANALYZE"); err != nil {
			b.Fatal(err)
		}
	}
}
