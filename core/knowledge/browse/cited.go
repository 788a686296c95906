package browse

import "context"

// Span is where a passage stood that an answer was given: characters of a
// version of a document, End excluded.
type Span struct {
	DocumentID          string
	Version, Start, End int
}

// Texts returns the texts of spans of a chatbot's documents, of those that are
// still as they were: a version that another has replaced has none, nor has a
// document that was removed.
func (b *Browser) Texts(ctx context.Context, workspaceID, chatbotID string, spans []Span) (map[Span]string, error) {
	known, wanted := map[Span]bool{}, []Span(nil)
	for _, span := range spans {
		if span.End > span.Start && !known[span] { // else it was not kept
			known[span] = true
			wanted = append(wanted, span)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	return b.details.SpanTexts(ctx, workspaceID, chatbotID, wanted)
}
