package knowledge

import (
	"context"
	"slices"

	"parley/core/fault"
)

// embedBatch is how many texts go to the embedder at a time.
const embedBatch = 64

// errUneven is that the vectors of a document cannot be compared.
var errUneven error = fault.New(fault.Upstream, "The embedding server answered with vectors of different lengths.")

// vectors returns those of a document's passages, batch by batch.
func (s *Service) vectors(ctx context.Context, d *Document, texts []string, embed embedFunc) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for start := 0; start < len(texts); start += embedBatch {
		end := min(start+embedBatch, len(texts))
		made, err := embed(ctx, d.WorkspaceID, texts[start:end])
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
		if slices.ContainsFunc(made, func(v []float32) bool { return len(v) != len(all[0]) }) {
			return nil, errUneven
		}
		if end < len(texts) && s.embedder.Costly() && d.State == Indexing {
			if err := s.store.SetIndexed(ctx, d.WorkspaceID, d.ID, end); err != nil {
				return nil, err
			}
			d.Indexed = end
		}
	}
	return all, nil
}

// embedFunc returns the vectors of a workspace's texts, in order.
type embedFunc func(ctx context.Context, workspaceID string, texts []string) ([][]float32, error)

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
		if err := s.keepVectors(ctx, workspaceID, missingHashes, made); err != nil {
			return nil, err
		}
		for i, vector := range made {
			known[missingHashes[i]] = vector
		}
	}
	vectors := make([][]float32, len(texts))
	for i, h := range hashes {
		vectors[i] = known[h]
	}
	return vectors, nil
}

// embedAnew is embed for texts whose known vectors are of no use any more.
func (s *Service) embedAnew(ctx context.Context, workspaceID string, texts []string) ([][]float32, error) {
	vectors, err := s.embedAll(ctx, texts)
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(texts))
	for i, text := range texts {
		hashes[i] = hash(text)
	}
	return vectors, s.keepVectors(ctx, workspaceID, hashes, vectors)
}

// keepVectors keeps vectors by the hashes of their texts.
func (s *Service) keepVectors(ctx context.Context, workspaceID string, hashes []string, vectors [][]float32) error {
	byHash := make(map[string][]float32, len(vectors))
	for i, vector := range vectors {
		byHash[hashes[i]] = vector
	}
	return s.store.SaveEmbeddings(ctx, workspaceID, s.embedder.Name(), byHash, s.now())
}

func (s *Service) embedAll(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := s.embedder.Passages(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = fault.New(fault.Upstream, "The embedding server answered with %d vectors for %d texts.", len(vectors), len(texts))
	}
	return vectors, err
}
