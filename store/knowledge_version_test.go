package store_test

import (
	"testing"

	"parley/core/fault"
	"parley/core/knowledge"
)

func TestKnowledgeVersion(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, stranger := b.fill("a"), b.fill("b")
		ctx := b.Context()
		stored := func(id string) knowledge.Document {
			d, err := b.Document(ctx, a.id, a.chatbot, id)
			b.must(err)
			return d
		}
		version := func() string {
			v, err := b.KnowledgeVersion(ctx, a.id, a.chatbot)
			b.must(err)
			return v
		}
		fresh := a.newDocument("doc_fresh")
		fresh.SourceID = ""
		var withdrawn knowledge.Document
		seen := map[string]bool{version(): true}
		for _, step := range []struct {
			name    string
			changes bool
			do      func()
		}{
			{"a document that waits", false, func() { b.must(b.CreateDocument(ctx, a.id, fresh)) }},
			{"a document that goes live", true, func() { b.goLive(fresh, a.newPassages(1)) }},
			{"one that is to be split anew", false, func() { b.must(b.MarkReindex(ctx, a.id, a.chatbot, epoch)) }},
			{"a version that follows it", true, func() { b.goLive(stored(fresh.ID), a.newPassages(2)) }},
			{"one that is removed", true, func() {
				b.must(b.CreateRemoval(ctx, a.id, a.newRemoval(fresh.ID)))
				b.must(b.MarkRemoving(ctx, a.id, fresh.ID, epoch))
			}},
			{"one that is deleted after that", false, func() { b.must(b.DeleteDocument(ctx, a.id, fresh.ID)) }},
			{"one whose removal can be undone", true, func() {
				withdrawn = a.newDocument("doc_withdrawn")
				b.must(b.CreateDocument(ctx, a.id, withdrawn))
				b.goLive(withdrawn, a.newPassages(1))
				seen[version()] = true
				_, err := b.Withdraw(ctx, a.id, a.chatbot, []string{withdrawn.ID}, epoch, epoch)
				b.must(err)
			}},
			{"one that goes live meanwhile", true, func() {
				d := a.newDocument("doc_twin")
				b.must(b.CreateDocument(ctx, a.id, d))
				b.goLive(d, a.newPassages(1))
			}},
			{"a removal that is undone", true, func() {
				d := stored(withdrawn.ID)
				d.State, d.Live = d.Undo.State, d.Undo.Live
				b.must(b.UndoRemoval(ctx, a.id, d))
			}},
			{"another one of the same version that is withdrawn", true, func() {
				_, err := b.Withdraw(ctx, a.id, a.chatbot, []string{"doc_twin"}, epoch, epoch)
				b.must(err)
			}},
			{"one that can not be brought back any more", true, func() { b.must(b.EndUndo(ctx, a.id, "doc_twin", epoch)) }},
			{"one with the same versions in its place", true, func() {
				fresh.ID, fresh.InputHash = "doc_other", "other"
				b.must(b.CreateDocument(ctx, a.id, fresh))
				b.goLive(fresh, a.newPassages(1))
				b.goLive(stored(fresh.ID), a.newPassages(1))
			}},
			{"a source that goes with its documents", true, func() { b.must(b.MarkSourceRemoving(ctx, a.id, a.source, epoch)) }},
			{"what another workspace does", false, func() { b.must(b.MarkRemoving(ctx, stranger.id, stranger.document, epoch)) }},
		} {
			before := version()
			step.do()
			b.Run("the version changes with "+step.name+": "+map[bool]string{true: "yes", false: "no"}[step.changes], func(t *testing.T) {
				got := version()
				if step.changes && seen[got] || !step.changes && got != before {
					t.Errorf("it is %s after %s", got, before)
				}
				seen[got] = true
			})
		}
		b.Run("nobody learns another workspace's", func(t *testing.T) {
			_, err := b.KnowledgeVersion(ctx, stranger.id, a.chatbot)
			b.wantKind(err, fault.NotFound)
		})
	})
}
