package store_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	ent "parley/ent/generated"
	"parley/ent/scope"
	"parley/store/ports"
)

func TestProviders(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		w, other := b.fill("a"), b.fill("b")
		ctx := b.Context()

		b.Run("a provider is read as it was written, its sealed key byte by byte", func(t *testing.T) {
			key := make([]byte, 256)
			for i := range key {
				key[i] = byte(i)
			}
			want := chatbot.SealedProvider{Provider: chatbot.Provider{
				ID: "mp_1", WorkspaceID: w.id, Name: "Ünsere", Kind: chatbot.Anthropic, BaseURL: "https://a.example/v1",
				KeyHint: "…abcd", Tools: true, UpdatedAt: epoch.Add(time.Microsecond), CreatedAt: epoch,
			}, SealedKey: key}
			b.must(b.CreateProvider(ctx, w.id, want))
			b.wantProvider(want)

			want.Name, want.BaseURL, want.KeyHint, want.Tools, want.SealedKey = "Other", "", "…efgh", false, []byte("new")
			want.UpdatedAt = epoch.Add(time.Hour)
			b.must(b.UpdateProvider(ctx, w.id, want))
			b.wantProvider(want)

			b.must(b.DeleteProvider(ctx, w.id, want.ID))
			_, err := b.Provider(ctx, w.id, want.ID)
			b.wantKind(err, fault.NotFound)
			b.wantKind(b.UpdateProvider(ctx, w.id, want), fault.NotFound)
			b.wantKind(b.DeleteProvider(ctx, w.id, want.ID), fault.NotFound)
		})

		b.Run("a provider without a key has none", func(t *testing.T) {
			want := chatbot.SealedProvider{Provider: chatbot.Provider{ID: "mp_2", WorkspaceID: w.id, Name: "n", Kind: chatbot.OpenAI, UpdatedAt: epoch, CreatedAt: epoch}}
			b.must(b.CreateProvider(ctx, w.id, want))
			b.wantProvider(want)
			b.must(b.UpdateProvider(ctx, w.id, want))
			b.wantProvider(want)
		})

		b.Run("the operator sees those of all workspaces, an owner their own, oldest first", func(t *testing.T) {
			b.must(b.CreateProvider(ctx, w.id, chatbot.SealedProvider{Provider: chatbot.Provider{
				ID: "mp_0", WorkspaceID: w.id, Name: "n", Kind: chatbot.OpenAI, UpdatedAt: epoch, CreatedAt: epoch.Add(time.Hour),
			}}))
			all, err := collected(b.AllProviders(ctx, everywhere))
			b.must(err)
			own, err := b.Providers(ctx, w.id)
			b.must(err)
			if got := fmt.Sprint(ids(own)); got != "[mp_2 mp_a mp_0]" || len(all) != 4 {
				t.Errorf("an owner sees %s, the operator %v", got, ids(all))
			}
		})

		b.Run("how a chatbot answers is read as it was written", func(t *testing.T) {
			warm, cold := 1.5, 0.0
			for _, want := range []chatbot.Answering{
				{
					Model: chatbot.ModelChoice{ProviderID: "mp_1", Name: "m"}, Fallback: chatbot.ModelChoice{ProviderID: "mp_2", Name: "n"},
					Temperature: &warm, MaxAnswerTokens: 32_000, Grounding: chatbot.Strict, CacheAnswers: true, Rerank: chatbot.RerankAuto,
				},
				{Fallback: chatbot.ModelChoice{Name: "own"}, Temperature: &cold, Grounding: chatbot.Open},
				{Grounding: chatbot.Open},
			} {
				b.must(b.UpdateChatbot(ctx, w.id, w.chatbot, chatbot.Settings{Name: "n", Answering: want}))
				b.wantAnswering(w, w.chatbot, want)
				made := fmt.Sprint("cb_", want.MaxAnswerTokens, want.Temperature != nil)
				b.must(b.CreateChatbot(ctx, w.id, chatbot.Chatbot{ID: made, Name: "n", Answering: want, CreatedAt: epoch}))
				b.wantAnswering(w, made, want)
			}
		})

		b.Run("providers go with their workspace", func(t *testing.T) {
			b.must(b.Write(scope.Workspace(ctx, other.id), func(ctx context.Context, db *ent.Client) error {
				return db.Workspace.DeleteOneID(other.id).Exec(ctx)
			}))
			if n := b.count("SELECT count(*) FROM providers WHERE workspace_id = '" + other.id + "'"); n != 0 {
				t.Errorf("%d are left", n)
			}
		})
	})
}

func TestProviderRace(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		w := b.fill("a")
		chatbots := chatbot.New(ports.ForChatbot(b.Store, everywhere), nil, nil, func() time.Time { return epoch }, rand.Reader, chatbot.Options{})
		b.Run("of deleting a provider and choosing it at once, one wins", func(t *testing.T) {
			for i := range 20 {
				provider := w.newProvider(fmt.Sprint("mp_race_", i))
				b.must(b.CreateProvider(b.Context(), w.id, provider))
				b.must(chatbots.Update(b.Context(), w.id, w.chatbot, chatbot.Settings{Name: "n"}))
				var chosen, deleted error
				var both sync.WaitGroup
				both.Go(func() {
					chosen = chatbots.Update(b.Context(), w.id, w.chatbot, chatbot.Settings{
						Name: "n", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "m"}},
					})
				})
				both.Go(func() { deleted = chatbots.Providers.Delete(b.Context(), w.id, provider.ID) })
				both.Wait()
				if (chosen == nil) == (deleted == nil) {
					t.Fatalf("chosen: %v, deleted: %v", chosen, deleted)
				}
			}
		})
	})
}

func (b *bundle) wantProvider(want chatbot.SealedProvider) {
	b.Helper()
	got, err := b.Provider(b.Context(), want.WorkspaceID, want.ID)
	if err != nil || got.Provider != want.Provider || !bytes.Equal(got.SealedKey, want.SealedKey) {
		b.Errorf("it is %+v with %x, %v", got.Provider, got.SealedKey, err)
	}
}

func (b *bundle) wantAnswering(w tenancy, chatbotID string, want chatbot.Answering) {
	b.Helper()
	bot, err := b.Chatbot(b.Context(), w.id, chatbotID)
	b.must(err)
	got, wanted := bot.Answering.Temperature, want.Temperature
	if (got == nil) != (wanted == nil) || got != nil && *got != *wanted {
		b.Errorf("the temperature is %v, want %v", got, wanted)
	}
	bot.Answering.Temperature, want.Temperature = nil, nil
	if bot.Answering != want {
		b.Errorf("it is %+v, want %+v", bot.Answering, want)
	}
}

func ids(providers []chatbot.Provider) []string {
	all := make([]string, len(providers))
	for i, provider := range providers {
		all[i] = provider.ID
	}
	return all
}
