package store_test

import (
	"fmt"
	"testing"
	"time"

	"parley/core/knowledge"
)

func TestStoredBytes(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		stored := func(workspaceID string) int {
			_, n, err := b.KnowledgeSizes(ctx, workspaceID)
			b.must(err)
			return n
		}
		b.Run("every byte of a text and a file counts, and no byte of another workspace", func(t *testing.T) {
			before, others := stored(a.id), stored(other.id)
			d := a.newDocument("doc_stored")
			d.Content = "Ünïcode"
			b.must(b.CreateDocument(ctx, a.id, d))
			b.must(b.CreateUpload(ctx, a.id, d.ID, knowledge.Upload{Name: "a", Body: []byte{0, 1, 0xff}}))
			if got := stored(a.id) - before; got != knowledge.DocumentBytes+9+3 {
				t.Errorf("%d bytes more are stored", got)
			}
			d.State, d.Version, d.Content, d.Chars = knowledge.Ready, 1, "Neuer und längerer Text", 23
			b.must(b.UpdateDocument(ctx, a.id, knowledge.Pending, d, true))
			if got := stored(a.id) - before; got != knowledge.DocumentBytes+24+3 {
				t.Errorf("%d bytes more are stored once another text is", got)
			}
			d.Content, d.Title = "what is not written does not count", "Another title"
			b.must(b.UpdateDocument(ctx, a.id, knowledge.Ready, d, false))
			if got := stored(a.id) - before; got != knowledge.DocumentBytes+24+3 {
				t.Errorf("%d bytes more are stored once its title is another", got)
			}
			b.wantExactSizes()
			if n, err := b.UploadSize(ctx, a.id, d.ID); n != 3 || err != nil {
				t.Errorf("the file has %d bytes, %v", n, err)
			}
			if stored(other.id) != others {
				t.Error("another workspace has more")
			}
			b.must(b.DeleteUpload(ctx, a.id, d.ID))
			if n, err := b.UploadSize(ctx, a.id, d.ID); n != 0 || err != nil {
				t.Errorf("no file has %d bytes, %v", n, err)
			}
			b.must(b.DeleteDocument(ctx, a.id, d.ID))
			if stored(a.id) != before {
				t.Error("what was deleted counts")
			}
		})
		b.Run("removal receipts do not fill the disk: the oldest go, and none that is not counted for good", func(t *testing.T) {
			for n := range 6 {
				r := a.newRemoval(fmt.Sprint("doc_trimmed_", n))
				r.ID, r.RequestedAt = fmt.Sprint("rm_trimmed_", n), epoch.Add(time.Duration(n)*time.Hour)
				b.must(b.CreateRemoval(ctx, a.id, r))
				if n != 0 {
					b.must(b.CountRemoval(ctx, a.id, r.ID, 0, nil, epoch))
				}
			}
			b.must(b.TrimRemovals(ctx, everywhere, 2))
			if n := b.count("SELECT count(*) FROM removals WHERE id IN ('rm_trimmed_0', 'rm_trimmed_4', 'rm_trimmed_5')"); n != 3 {
				t.Errorf("%d of those that stay are there", n)
			}
			if n := b.count("SELECT count(*) FROM removals WHERE id LIKE 'rm_trimmed_%'"); n != 3 {
				t.Errorf("%d are there", n)
			}
		})
		b.Run("vectors do not: those that were used longest ago go, down to what the passages need", func(t *testing.T) {
			for n := range 5 {
				at := epoch.Add(time.Duration(n) * time.Hour)
				b.must(b.SaveEmbeddings(ctx, other.id, "m", map[string][]float32{fmt.Sprint("h", n): {1}}, at))
			}
			b.must(b.TrimEmbeddings(ctx, everywhere, 2, 0))
			if n := b.count("SELECT count(*) FROM embeddings WHERE workspace_id = '" + other.id + "' AND text_hash IN ('h3', 'h4')"); n != 2 {
				t.Errorf("%d of the latest are there", n)
			}
			if n := b.count("SELECT count(*) FROM embeddings WHERE workspace_id = '" + other.id + "'"); n != 2 {
				t.Errorf("%d are there", n)
			}
		})
	})
}

// wantExactSizes compares the sizes that are kept with the texts and files.
func (b *bundle) wantExactSizes() {
	b.Helper()
	if n := b.count("SELECT count(*) FROM documents WHERE bytes <> octet_length(content)"); n != 0 {
		b.Errorf("%d documents have another size", n)
	}
	if n := b.count("SELECT count(*) FROM uploads WHERE bytes <> octet_length(body)"); n != 0 {
		b.Errorf("%d files have another size", n)
	}
}
