package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/knowledge"
)

func TestPutAtOnce(t *testing.T) {
	version := func(i int) string {
		return fmt.Sprintf("# Bread\n\nThe rye loaf costs %d crowns in version%d.\n", i, i)
	}

	t.Run("many programs that give one external ID at once make one document with one of their texts", func(t *testing.T) {
		l := newLibrary(t)
		var giving sync.WaitGroup
		for i := range 12 {
			giving.Go(func() {
				if _, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.PutRequest{
					NewDocument: knowledge.NewDocument{ExternalID: "price", Content: version(i)},
				}); err != nil {
					t.Error(err)
				}
			})
		}
		giving.Wait()
		l.work()
		all := l.list()
		if len(all) != 1 {
			t.Fatalf("there are %d documents", len(all))
		}
		l.clock.advance(time.Minute) // the rest is left to whoever was at it, if they died
		l.work()
		l.wantWhole(all[0].ID)
		d := l.get(all[0].ID)
		if got := l.found(homeScope, "What does the rye loaf cost?"); got == "" || !strings.Contains(d.Content, strings.TrimSpace(got[strings.LastIndex(got, "The rye"):])) {
			t.Errorf("answers come from %q of %q", got, d.Content)
		}
	})

	t.Run("what replaces a text while that is being indexed follows without a pause", func(t *testing.T) {
		l := newLibrary(t)
		l.index.before = func() {
			d, result := l.put("price", version(2))
			l.wantResult(result, knowledge.Replaced)
			if d.State != knowledge.Pending {
				t.Errorf("it is %s", d.State)
			}
		}
		d, _ := l.put("price", version(1))
		if d.State != knowledge.Ready || !strings.Contains(d.Content, "version2") {
			t.Errorf("it is %+v", d)
		}
		l.wantWhole(d.ID)
		l.wantAnswered("What does the rye loaf cost?", "version1.", false)
		l.wantAnswered("What does the rye loaf cost?", "version2.", true)
	})
}

func TestPutCrash(t *testing.T) {
	for name, give := range map[string]func(*library, context.Context) error{
		"a text": func(l *library, ctx context.Context) error {
			_, _, err := l.Catalog.Put(ctx, home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{ExternalID: "x", Content: cakes}})
			return err
		},
		"a file": func(l *library, ctx context.Context) error {
			_, _, err := l.Catalog.Put(ctx, home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{ExternalID: "x", File: &knowledge.Upload{Name: "a.pdf", Body: []byte(cakes)}}})
			return err
		},
	} {
		t.Run("wherever the replacing of a text by "+name+" breaks off, what was acknowledged is not lost", func(t *testing.T) {
			t.Parallel()
			for call, died := 1, true; died; call++ {
				l := newLibrary(t)
				d, _ := l.put("x", bread)
				acknowledged := false
				died = l.dyingIn(call, func(ctx context.Context) error {
					err := give(l, ctx)
					acknowledged = err == nil
					if err == nil && context.Cause(ctx) != nil { // it died after that
						return errDead
					}
					return err
				})
				answers := l.found(homeScope, "When is rye or plum cake baked?")
				if old, now := strings.Contains(answers, "midnight"), strings.Contains(answers, "Sundays"); old == now {
					t.Errorf("dead at call %d, the answers come from %q", call, answers)
				}
				l.clock.advance(time.Minute)
				l.work()
				l.wantWhole(d.ID)
				if acknowledged {
					l.wantAnswered("When is rye baked?", "midnight", false)
					l.wantAnswered("When is plum cake baked?", "Sundays", true)
				}
				if !died && !acknowledged {
					t.Error("it was not given at all")
				}
				l.must(errors.Join(give(l, t.Context()))) // as the program does that got no answer
				l.work()
				l.wantWhole(d.ID)
				l.wantAnswered("When is plum cake baked?", "Sundays", true)
				l.wantStates(knowledge.Ready)
				if t.Failed() {
					t.Fatalf("dead at call %d", call)
				}
			}
		})
	}
}
