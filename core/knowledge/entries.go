package knowledge

import (
	"context"
	"errors"
	"strings"

	"parley/core/retrieval"
	"parley/core/retrieval/lexical"
)

// entries makes what the index holds of passages. How far it has come stands
// in the document.
func (s *Service) entries(ctx context.Context, d *Document, passages []retrieval.Passage) ([]retrieval.Entry, error) {
	entries := make([]retrieval.Entry, len(passages))
	for i, p := range passages {
		entries[i] = retrieval.Entry{
			PassageID: p.ID, DocumentID: d.ID, SourceID: d.SourceID,
			Terms: lexical.Passage(p.Title, p.HeadingPath, p.Text),
		}
	}
	if s.embedder == nil {
		return entries, nil
	}
	vectors, err := s.vectors(ctx, d, texts(passages), s.embed)
	if errors.Is(err, errUneven) && s.embedder.Costly() { // of some texts the model gave others once
		vectors, err = s.vectors(ctx, d, texts(passages), s.embedAnew)
	}
	if err != nil {
		return nil, err
	}
	for i, vector := range vectors {
		entries[i].Vector = vector
	}
	return entries, nil
}

// texts are what the embedder sees of passages.
func texts(passages []retrieval.Passage) []string {
	list := make([]string, len(passages))
	for i, p := range passages {
		headings := append([]string{p.Title}, p.HeadingPath...)
		list[i] = strings.Join(headings, "\n") + "\n\n" + p.Text
	}
	return list
}
