package store_test

import (
	"reflect"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/fault"
)

func TestCachedAnswers(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b") // with one of epoch each
		ctx := b.Context()
		later := epoch.Add(time.Hour)
		kept := answer.CachedAnswer{Text: "the answer", Citations: a.wholeAnswer(0, 1).Citations, At: later}

		b.Run("one that is not there, or too old, is not found", func(t *testing.T) {
			for key, since := range map[string]time.Time{"another": {}, "question": epoch} {
				_, err := b.CachedAnswer(ctx, a.id, a.chatbot, key, since)
				b.wantKind(err, fault.NotFound)
			}
			_, err := b.CachedAnswer(ctx, a.id, other.chatbot, "question", time.Time{})
			b.wantKind(err, fault.NotFound)
		})
		b.Run("the one that is there is replaced, whole", func(t *testing.T) {
			b.must(b.CacheAnswer(ctx, a.id, a.chatbot, "question", kept))
			got, err := b.CachedAnswer(ctx, a.id, a.chatbot, "question", epoch)
			if err != nil || !reflect.DeepEqual(got, kept) {
				t.Errorf("got %+v, want %+v: %v", got, kept, err)
			}
		})
		b.Run("one without sources has none", func(t *testing.T) {
			plain := answer.CachedAnswer{Text: "no idea", At: later}
			b.must(b.CacheAnswer(ctx, a.id, a.chatbot, "plain", plain))
			if got, err := b.CachedAnswer(ctx, a.id, a.chatbot, "plain", epoch); err != nil || !reflect.DeepEqual(got, plain) {
				t.Errorf("got %+v, want %+v: %v", got, plain, err)
			}
		})
		b.Run("nothing is kept for a chatbot of another workspace", func(t *testing.T) {
			before := b.rows(other.id)
			b.wantKind(b.CacheAnswer(ctx, a.id, other.chatbot, "question", kept), fault.NotFound)
			if b.rows(other.id) != before {
				t.Error("it changed something there")
			}
		})
		b.Run("those from before a time are deleted in every workspace", func(t *testing.T) {
			b.must(b.DeleteCachedAnswers(ctx, everywhere, later))
			if n := b.count("SELECT count(*) FROM cached_answers"); n != 2 {
				t.Errorf("%d are left", n)
			}
		})
		b.Run("they go when a document of their chatbot is removed, and no others do", func(t *testing.T) {
			b.must(b.CacheAnswer(ctx, other.id, other.chatbot, "question", kept))
			b.must(b.MarkRemoving(ctx, a.id, a.document, later))
			if _, err := b.CachedAnswer(ctx, a.id, a.chatbot, "question", time.Time{}); !fault.Is(err, fault.NotFound) {
				t.Errorf("got %v", err)
			}
			if _, err := b.CachedAnswer(ctx, other.id, other.chatbot, "question", time.Time{}); err != nil {
				t.Errorf("the other workspace's: %v", err)
			}
			b.must(b.CacheAnswer(ctx, a.id, a.chatbot, "question", kept))
			b.must(b.DeleteChatbot(ctx, other.id, other.chatbot))
		})
		b.Run("they go with their chatbot", func(t *testing.T) {
			b.must(b.DeleteChatbot(ctx, a.id, a.chatbot))
			if n := b.count("SELECT count(*) FROM cached_answers"); n != 0 {
				t.Errorf("%d are left", n)
			}
		})
	})
}
