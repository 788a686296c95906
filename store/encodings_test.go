package store_test

import (
	"slices"
	"testing"

	"parley/core/retrieval"
	"parley/text/encode"
)

func TestEncodings(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		encoding := encode.New([]float32{0.6, -0.8})
		own := retrieval.Scope{WorkspaceID: a.id, ChatbotID: a.chatbot}
		before, err := b.CountUnencoded(ctx, everywhere)
		b.must(err)
		passages, err := b.Unencoded(ctx, a.id, a.chatbot, 100)
		b.must(err)

		b.Run("passages begin without an encoding, and their chatbots are named once", func(t *testing.T) {
			if len(passages) == 0 || before < len(passages)+1 || passages[0].Text == "" {
				t.Fatalf("%d of %d are a's", len(passages), before)
			}
			chatbots, err := b.ChatbotsUnencoded(ctx, everywhere)
			b.must(err)
			others := retrieval.Scope{WorkspaceID: other.id, ChatbotID: other.chatbot}
			if !slices.Contains(chatbots, own) || !slices.Contains(chatbots, others) || len(slices.Compact(slices.Clone(chatbots))) != len(chatbots) {
				t.Errorf("they are of %v", chatbots)
			}
			if few, err := b.Unencoded(ctx, a.id, a.chatbot, 1); err != nil || len(few) != 1 {
				t.Errorf("of one there are %d, %v", len(few), err)
			}
		})
		b.Run("an encoding is read as it was saved, by its own chatbot alone", func(t *testing.T) {
			id := passages[0].ID
			if got, err := b.Encodings(ctx, a.id, a.chatbot, []int64{id}); err != nil || len(got) != 0 {
				t.Errorf("before, there is %v, %v", got, err)
			}
			b.must(b.SaveEncodings(ctx, a.id, map[int64]encode.Encoding{id: encoding, 1 << 40: encoding}))
			for range 2 { // from the database, and from memory
				got, err := b.Encodings(ctx, a.id, a.chatbot, []int64{id, 1 << 40})
				if err != nil || len(got) != 1 || !slices.Equal(got[id], encoding) {
					t.Errorf("got %v, %v", got, err)
				}
				for _, of := range [][2]string{{a.id, other.chatbot}, {other.id, a.chatbot}, {other.id, other.chatbot}} {
					if got, err := b.Encodings(ctx, of[0], of[1], []int64{id}); err != nil || len(got) != 0 {
						t.Errorf("%v read %v, %v", of, got, err)
					}
				}
			}
		})
		b.Run("what is encoded is due no more", func(t *testing.T) {
			left, err := b.Unencoded(ctx, a.id, a.chatbot, 100)
			b.must(err)
			n, err := b.CountUnencoded(ctx, everywhere)
			if err != nil || len(left) != len(passages)-1 || n != before-1 {
				t.Errorf("%d of a's are left, %d in all, %v", len(left), n, err)
			}
			for chatbotID, want := range map[string]int{a.chatbot: len(left), other.chatbot: 0} {
				if n, err := b.UnencodedOf(ctx, a.id, chatbotID); err != nil || n != want {
					t.Errorf("%d are counted of %s, %v", n, chatbotID, err)
				}
			}
		})
		b.Run("another workspace encodes none of a's passages", func(t *testing.T) {
			left, err := b.Unencoded(ctx, a.id, a.chatbot, 100)
			b.must(err)
			for _, p := range left {
				b.must(b.SaveEncodings(ctx, other.id, map[int64]encode.Encoding{p.ID: encoding}))
			}
			if still, err := b.Unencoded(ctx, a.id, a.chatbot, 100); err != nil || len(left) == 0 || len(still) != len(left) {
				t.Errorf("%d of %d are left, %v", len(still), len(left), err)
			}
		})
	})
}
