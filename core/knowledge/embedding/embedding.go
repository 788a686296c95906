// Package embedding makes index entries of passages: their terms, and their
// vectors if there is an embedding model.
package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/text/lexical"
)

// Store is the port to the vectors of costly embedders, by the hash of their
// text.
type Store interface {
	Embeddings(ctx context.Context, workspaceID, model string, hashes []string) (map[string][]float32, error)
	SaveEmbeddings(ctx context.Context, workspaceID, model string, vectors map[string][]float32, now time.Time) error
}

// Maker makes index entries.
type Maker struct {
	embedder retrieval.Embedder
	store    Store
	now      func() time.Time
}

// NewMaker returns a maker. Without an embedder entries have no vectors, and
// without a store no vector is kept.
func NewMaker(embedder retrieval.Embedder, store Store, now func() time.Time) *Maker {
	return &Maker{embedder, store, now}
}

// Owner is the document that passages are of.
type Owner struct {
	WorkspaceID, DocumentID, SourceID string
	// Progress, if it is there, is told how many passages have been embedded,
	// while there are more and each has its price.
	Progress func(ctx context.Context, embedded int) error
}

// Entries returns what an index holds of passages.
func (m *Maker) Entries(ctx context.Context, of Owner, passages []retrieval.Passage) ([]retrieval.Entry, error) {
	entries := make([]retrieval.Entry, len(passages))
	for i, p := range passages {
		entries[i] = retrieval.Entry{
			PassageID: p.ID, DocumentID: of.DocumentID, SourceID: of.SourceID,
			Terms: lexical.Passage(p.Title, p.HeadingPath, p.Text),
		}
	}
	if m.embedder == nil || retrieval.GoesByWords(of.WorkspaceID, m.embedder) {
		return entries, nil
	}
	vectors, err := m.vectors(ctx, of, texts(passages), m.embed)
	if errors.Is(err, errUneven) && m.keeps() { // the model once returned other vectors for some of the texts
		vectors, err = m.vectors(ctx, of, texts(passages), m.embedAgain)
	}
	if err != nil {
		return nil, err
	}
	for i, vector := range vectors {
		entries[i].Vector = vector
	}
	return entries, nil
}

// keeps reports whether vectors are kept for the next time.
func (m *Maker) keeps() bool { return m.store != nil && m.embedder.Costly() }

// texts are what the embedder sees of passages.
func texts(passages []retrieval.Passage) []string {
	list := make([]string, len(passages))
	for i, p := range passages {
		headings := append([]string{p.Title}, p.HeadingPath...)
		list[i] = strings.Join(headings, "\n") + "\n\n" + p.Text
	}
	return list
}

// embedBatch is how many texts go to the embedder at a time.
const embedBatch = 64

// errUneven is that the vectors of a document cannot be compared.
var errUneven error = fault.New(fault.Upstream, "The embedding server answered with vectors of different lengths.").ForOperator()

// vectors embeds the texts of a document's passages, batch by batch.
func (m *Maker) vectors(ctx context.Context, of Owner, texts []string, embed embedFunc) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for start := 0; start < len(texts); start += embedBatch {
		end := min(start+embedBatch, len(texts))
		made, err := embed(ctx, of.WorkspaceID, texts[start:end])
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
		if slices.ContainsFunc(made, func(v []float32) bool { return len(v) != len(all[0]) }) {
			return nil, errUneven
		}
		if end < len(texts) && m.keeps() && of.Progress != nil {
			if err := of.Progress(ctx, end); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// embedFunc returns the vectors of a workspace's texts, in order.
type embedFunc func(ctx context.Context, workspaceID string, texts []string) ([][]float32, error)

// embed returns the vectors of texts. Those of a costly embedder are kept by
// the hash of their text: a retry continues where it was, and a page of which a
// paragraph changed costs a paragraph.
func (m *Maker) embed(ctx context.Context, workspaceID string, texts []string) ([][]float32, error) {
	if !m.keeps() {
		return m.embedAll(ctx, texts)
	}
	hashes := make([]string, len(texts))
	for i, text := range texts {
		hashes[i] = hash(text)
	}
	known, err := m.store.Embeddings(ctx, workspaceID, m.embedder.Name(), hashes)
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
		made, err := m.embedAll(ctx, missing)
		if err != nil {
			return nil, err
		}
		if err := m.keepVectors(ctx, workspaceID, missingHashes, made); err != nil {
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

// embedAgain is embed for texts whose stored vectors are no longer of use.
func (m *Maker) embedAgain(ctx context.Context, workspaceID string, texts []string) ([][]float32, error) {
	vectors, err := m.embedAll(ctx, texts)
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(texts))
	for i, text := range texts {
		hashes[i] = hash(text)
	}
	return vectors, m.keepVectors(ctx, workspaceID, hashes, vectors)
}

// keepVectors keeps vectors by the hashes of their texts.
func (m *Maker) keepVectors(ctx context.Context, workspaceID string, hashes []string, vectors [][]float32) error {
	byHash := make(map[string][]float32, len(vectors))
	for i, vector := range vectors {
		byHash[hashes[i]] = vector
	}
	return m.store.SaveEmbeddings(ctx, workspaceID, m.embedder.Name(), byHash, m.now())
}

func (m *Maker) embedAll(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := m.embedder.Passages(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = fault.New(fault.Upstream, "The embedding server answered with %d vectors for %d texts.", len(vectors), len(texts)).ForOperator()
	}
	return vectors, err
}

// hash is the SHA-256 of a text and a zero byte, in hex: stored vectors have it.
func hash(text string) string {
	sum := sha256.Sum256(append([]byte(text), 0))
	return hex.EncodeToString(sum[:])
}
