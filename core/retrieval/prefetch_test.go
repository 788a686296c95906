package retrieval

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"parley/text/encode"
)

func TestEncodingAhead(t *testing.T) {
	chatbot := Scope{"ws", "cb"}
	needed := func() *prefetch {
		p := newPrefetch()
		p.record(chatbot, true)
		return p
	}
	for sentence, c := range map[string]struct {
		record func(*prefetch)
		want   bool
	}{
		"the first question waits for what the index finds":               {func(*prefetch) {}, false},
		"the next is encoded meanwhile":                                   {func(p *prefetch) { p.record(chatbot, true) }, true},
		"what another chatbot needed does not matter":                     {func(p *prefetch) { p.record(Scope{"ws", "other"}, true) }, false},
		"where no passage has an encoding any more, the next waits again": {func(p *prefetch) { p.record(chatbot, true); p.record(chatbot, false) }, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, times := newPrefetch(), 0
				c.record(p)
				ask := p.begin(chatbot, func() ([]float32, error) {
					times++
					return east, nil
				})
				synctest.Wait()
				if begun := times > 0; begun != c.want {
					t.Errorf("it is being encoded: %v", begun)
				}
				if vector, err := ask(); err != nil || !slices.Equal(vector, east) || times != 1 {
					t.Errorf("it is %v, %v, after %d times", vector, err, times)
				}
			})
		})
	}
	t.Run("a search teaches it", func(t *testing.T) {
		f := &fixed{questions: map[string][]float32{"which way?": east}, byID: map[int64]encode.Encoding{1: encode.New(east)}}
		s := NewSearcher(nil, nil, nil, slog.New(slog.DiscardHandler))
		s.EncodeWith(f, f)
		query, hits := Query{Text: "which way?"}, pointers([]Hit{{PassageID: 1, Score: 1}})
		if ranked(t, s, query, Hits{}, hits); !s.prefetch.wants(chatbot) {
			t.Error("it learned nothing")
		}
		f.byID = nil
		if ranked(t, s, query, Hits{}, hits); s.prefetch.wants(chatbot) {
			t.Error("it did not record that nothing is encoded")
		}
	})
	t.Run("one that nobody needs leaves nothing behind", func(t *testing.T) {
		synctest.Test(t, func(*testing.T) { // which fails if something is left
			needed().begin(chatbot, func() ([]float32, error) { return east, nil })
		})
	})
	t.Run("an encoder that panics fails the question, and not the process", func(t *testing.T) {
		_, err := needed().begin(chatbot, func() ([]float32, error) { panic("index out of range") })()
		if err == nil || !strings.Contains(err.Error(), "panicked") {
			t.Errorf("the error is %v", err)
		}
	})
}
