package knowledge

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/knowledge/lexical"
)

// embedBatch is how many texts go to the embedder at a time.
const embedBatch = 64

// entries makes what the index holds of passages. How far it has come stands
// in the document.
func (s *Service) entries(ctx context.Context, d *Document, passages []Passage) ([]Entry, error) {
	entries := make([]Entry, len(passages))
	for i, p := range passages {
		entries[i] = Entry{
			PassageID: p.ID, DocumentID: d.ID, SourceID: d.SourceID,
			Terms: lexical.Passage(p.Title, p.HeadingPath, p.Text),
		}
	}
	if s.embedder == nil {
		return entries, nil
	}
	for start := 0; start < len(passages); start += embedBatch {
		end := min(start+embedBatch, len(passages))
		vectors, err := s.embed(ctx, d.WorkspaceID, texts(passages[start:end]))
		if err != nil {
			return nil, err
		}
		for i, vector := range vectors {
			entries[start+i].Vector = vector
		}
		if end < len(passages) && s.embedder.Costly() && d.State == Indexing {
			if err := s.store.SetIndexed(ctx, d.WorkspaceID, d.ID, end); err != nil {
				return nil, err
			}
			d.Indexed = end
		}
	}
	return entries, nil
}

// texts are what the embedder sees of passages.
func texts(passages []Passage) []string {
	list := make([]string, len(passages))
	for i, p := range passages {
		headings := append([]string{p.Title}, p.HeadingPath...)
		list[i] = strings.Join(headings, "\n") + "\n\n" + p.Text
	}
	return list
}

// embed returns the vectors of texts. Those of a costly embedder are kept by
// the hash of their text: a retry goes on where it was, and a page of which a
// paragraph changed costs a paragraph.
func (s *Service) embed(ctx context.Context, workspaceID string, texts []string) ([][]float32, error) {
	if !s.embedder.Costly() {
		return s.embedAll(ctx, texts)
	}
	hashes := make([]string, len(texts))
	for i, text := range texts {
		hashes[i] = hash(text)
	}
	known, err := s.store.Embeddings(ctx, workspaceID, s.embedder.Name(), hashes)
	if err != nil {
		return nil, err
	}
	var missing, missingHashes []string
	for i, h := range hashes {
		if known[h] == nil && !slices.Contains(missingHashes, h) {
			missing, missingHashes = append(missing, texts[i]), append(missingHashes, h)
		}
	}
	if len(missing) > 0 {
		made, err := s.embedAll(ctx, missing)
		if err != nil {
			return nil, err
		}
		added := make(map[string][]float32, len(made))
		for i, vector := range made {
			added[missingHashes[i]], known[missingHashes[i]] = vector, vector
		}
		if err := s.store.SaveEmbeddings(ctx, workspaceID, s.embedder.Name(), added, s.now()); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for i, h := range hashes {
		vectors[i] = known[h]
	}
	return vectors, nil
}

func (s *Service) embedAll(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := s.embedder.Passages(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = fault.New(fault.Upstream, "The embedding server answered with %d vectors for %d texts.", len(vectors), len(texts))
	}
	return vectors, err
}

// embeddingsKept is how long vectors wait for a text to come again.
const embeddingsKept = 90 * 24 * time.Hour

// DeleteExpired deletes what was kept for a while only.
func (s *Service) DeleteExpired(ctx context.Context) error {
	return s.store.DeleteEmbeddings(ctx, s.now().Add(-embeddingsKept))
}
