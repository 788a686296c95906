package extract

import (
	"context"
	"fmt"

	"parley/core/knowledge"
	"parley/text/split"
)

// Reader is an [Extractor] for package knowledge. It limits how many files are
// read at once: each may use a processor and half a gigabyte.
type Reader struct {
	extractor *Extractor
	slots     chan struct{}
}

var (
	_ knowledge.Extractor = (*Reader)(nil)
	_ knowledge.Splitter  = (*Reader)(nil)
)

// NewReader returns a reader that reads at most atOnce files at a time.
func NewReader(extractor *Extractor, atOnce int) *Reader {
	return &Reader{extractor, make(chan struct{}, atOnce)}
}

// Extract implements knowledge.Extractor.
func (r *Reader) Extract(ctx context.Context, file knowledge.File) (knowledge.Extracted, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return knowledge.Extracted{}, ctx.Err()
	}
	result, err := r.extractor.Extract(ctx, Input{
		Kind: file.Kind, Name: file.Name, ContentType: file.ContentType, Body: file.Body, BaseURL: file.URL,
	})
	if err != nil {
		return knowledge.Extracted{}, err
	}
	extracted := knowledge.Extracted{
		Kind: result.Kind, Title: result.Title, Markdown: result.Markdown, Notes: knowledge.NotesOf(result.Notes), NoIndex: result.Page.NoIndex,
		Refresh: result.Page.Refresh, Canonical: result.Page.Canonical,
	}
	if !result.Page.NoFollow {
		extracted.Links = result.Page.Links
	}
	for _, place := range result.Places {
		extracted.Places = append(extracted.Places, split.Place{Offset: place.Offset, Name: placeName(result.Kind, place)})
	}
	return extracted, nil
}

// Split implements knowledge.Splitter.
func (r *Reader) Split(ctx context.Context, d split.Document, sizes split.Sizes) ([]split.Passage, error) {
	if r.extractor.here(len(d.Content)) {
		return r.extractor.Split(ctx, d, sizes)
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return r.extractor.Split(ctx, d, sizes)
}

// placeName is the name of a place in citations.
func placeName(kind knowledge.Kind, place Place) string {
	word := "Page"
	switch kind {
	case knowledge.PPTX:
		word = "Slide"
	case knowledge.XLSX:
		word = "Sheet"
	}
	switch {
	case place.Page == 0:
		return place.Name
	case place.Name == "":
		return fmt.Sprintf("%s %d", word, place.Page)
	}
	return fmt.Sprintf("%s %d: %s", word, place.Page, place.Name)
}
