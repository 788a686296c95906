// Package browse owns what people see of a chatbot's knowledge: documents,
// addresses and receipts a page at a time, searched and counted in the
// database, and one document with its text, its passages and the answers that
// used it. It changes nothing.
package browse

import (
	"context"
	"strings"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/text/suggest"
)

// Chatbots is the port to chatbots. One that is not there is a NotFound fault.
type Chatbots interface {
	Chatbot(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error)
}

// Sources is the port to single addresses. One that is not there is a NotFound
// fault.
type Sources interface {
	Source(ctx context.Context, workspaceID, chatbotID, sourceID string) (knowledge.Source, error)
}

// Filter says which documents of a chatbot are wanted. Empty fields admit all.
type Filter struct {
	// Search is looked for in titles and addresses, whatever the case.
	Search   string
	Kind     knowledge.Kind
	States   []knowledge.State
	SourceID string
	// ReaderOutdated admits only what an older reader has read.
	ReaderOutdated bool
	// ExternalID is the name that a program has given a document.
	ExternalID string
}

// Lists is the port to pages of what is stored. Documents come without content.
type Lists interface {
	DocumentPage(ctx context.Context, workspaceID, chatbotID string, filter Filter, slice Slice) ([]knowledge.Document, error)
	// CountDocuments counts by state the documents that a filter admits.
	CountDocuments(ctx context.Context, workspaceID, chatbotID string, filter Filter) (map[knowledge.State]int, error)
	SourcePage(ctx context.Context, workspaceID, chatbotID string, slice Slice) ([]knowledge.Source, error)
	// CountSources counts by state the sources of a chatbot.
	CountSources(ctx context.Context, workspaceID, chatbotID string) (map[knowledge.SourceState]int, error)
	// CountPages counts by state the documents of each of the sources.
	CountPages(ctx context.Context, workspaceID string, sourceIDs []string) (map[string]map[knowledge.State]int, error)
	RemovalPage(ctx context.Context, workspaceID, chatbotID string, slice Slice) ([]knowledge.Removal, error)
	// Samples returns so many of the live documents, the latest
	// first, each with so many of its first passages.
	Samples(ctx context.Context, workspaceID, chatbotID string, documents, passages int) ([]suggest.Document, error)
	// Surroundings returns the live passages around places, so many
	// before and after each. A place whose document is gone has none.
	Surroundings(ctx context.Context, workspaceID, chatbotID string, places []Place, before, after int) ([]suggest.Near, error)
}

// Encodings is the port to the passages that are encoded in the background.
type Encodings interface {
	// UnencodedOf counts the passages of a chatbot that have no encoding.
	UnencodedOf(ctx context.Context, workspaceID, chatbotID string) (int, error)
}

// Browser shows what chatbots know.
type Browser struct {
	chatbots  Chatbots
	documents Documents
	sources   Sources
	lists     Lists
	details   Details
	tokens    func(text string) int
	encodings Encodings
}

// New returns a browser over its ports. Tokens counts the tokens of a text.
func New(chatbots Chatbots, documents Documents, sources Sources, lists Lists, details Details, tokens func(text string) int) *Browser {
	return &Browser{chatbots: chatbots, documents: documents, sources: sources, lists: lists, details: details, tokens: tokens}
}

// EncodeWith says that passages are encoded. It is called before the first count.
func (b *Browser) EncodeWith(encodings Encodings) { b.encodings = encodings }

// Unencoded counts the passages of a chatbot that wait for their encoding: none where
// passages are not encoded.
func (b *Browser) Unencoded(ctx context.Context, workspaceID, chatbotID string) (int, error) {
	if b.encodings == nil {
		return 0, nil
	}
	return b.encodings.UnencodedOf(ctx, workspaceID, chatbotID)
}

// Documents returns a page of a chatbot's documents, and whether there are more.
func (b *Browser) Documents(ctx context.Context, workspaceID, chatbotID string, filter Filter, slice Slice) ([]knowledge.Document, bool, error) {
	filter.Search = cleanSearch(filter.Search)
	return pageOf(ctx, b, workspaceID, chatbotID, slice, func(slice Slice) ([]knowledge.Document, error) {
		return b.lists.DocumentPage(ctx, workspaceID, chatbotID, filter, slice)
	})
}

// Counts counts the documents that a filter admits, by state.
func (b *Browser) Counts(ctx context.Context, workspaceID, chatbotID string, filter Filter) (map[knowledge.State]int, error) {
	filter.Search = cleanSearch(filter.Search)
	return b.lists.CountDocuments(ctx, workspaceID, chatbotID, filter)
}

// Source is an address with the number of its pages.
type Source struct {
	knowledge.Source
	// Pages counts all of them, and Failed those that could not be read.
	Pages, Failed int
}

// Sources returns a page of a chatbot's addresses, and whether there are more.
func (b *Browser) Sources(ctx context.Context, workspaceID, chatbotID string, slice Slice) ([]Source, bool, error) {
	found, more, err := pageOf(ctx, b, workspaceID, chatbotID, slice, func(slice Slice) ([]knowledge.Source, error) {
		return b.lists.SourcePage(ctx, workspaceID, chatbotID, slice)
	})
	if err != nil || len(found) == 0 {
		return nil, false, err
	}
	ids := make([]string, len(found))
	for i, source := range found {
		ids[i] = source.ID
	}
	pages, err := b.lists.CountPages(ctx, workspaceID, ids)
	if err != nil {
		return nil, false, err
	}
	sources := make([]Source, len(found))
	for i, source := range found {
		sources[i] = Source{Source: source, Failed: pages[source.ID][knowledge.Failed]}
		for _, n := range pages[source.ID] {
			sources[i].Pages += n
		}
	}
	return sources, more, nil
}

// Source returns one address, without the number of its pages.
func (b *Browser) Source(ctx context.Context, workspaceID, chatbotID, sourceID string) (knowledge.Source, error) {
	return b.sources.Source(ctx, workspaceID, chatbotID, sourceID)
}

// CountSources counts by state the addresses of a chatbot.
func (b *Browser) CountSources(ctx context.Context, workspaceID, chatbotID string) (map[knowledge.SourceState]int, error) {
	return b.lists.CountSources(ctx, workspaceID, chatbotID)
}

// Removals returns a page of a chatbot's receipts, and whether there are more.
func (b *Browser) Removals(ctx context.Context, workspaceID, chatbotID string, slice Slice) ([]knowledge.Removal, bool, error) {
	return pageOf(ctx, b, workspaceID, chatbotID, slice, func(slice Slice) ([]knowledge.Removal, error) {
		return b.lists.RemovalPage(ctx, workspaceID, chatbotID, slice)
	})
}

// pageOf asks for one row more than a page has, to know whether there are more.
func pageOf[Row any](ctx context.Context, b *Browser, workspaceID, chatbotID string, slice Slice, list func(Slice) ([]Row, error)) ([]Row, bool, error) {
	if _, err := b.chatbots.Chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, false, err
	}
	slice.Limit = min(max(slice.Limit, 1), MostRows)
	slice.Limit++
	rows, err := list(slice)
	if err != nil || len(rows) < slice.Limit {
		return rows, false, err
	}
	return rows[:slice.Limit-1], true, nil
}

// maxSearch is how much of a search text is looked for, in bytes.
const maxSearch = 200

func cleanSearch(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if len(text) > maxSearch {
		text = strings.ToValidUTF8(text[:maxSearch], "")
	}
	return strings.TrimSpace(text)
}

// Passage is a passage as the index has it.
type Passage struct {
	retrieval.Passage
	Tokens int
}
