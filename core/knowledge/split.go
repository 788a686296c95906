package knowledge

import (
	"context"

	"parley/core/chatbot"
	"parley/core/retrieval"
	"parley/text/split"
)

// Split cuts a document into passages as a chatbot's owner wants them. Their ids are zero.
// Count returns the tokens of a text; without it a token is four bytes.
func Split(d split.Document, bot chatbot.Chatbot, count func(text string) int) []retrieval.Passage {
	sizes := sizesOf(bot)
	sizes.Count = count
	return passagesOf(split.Split(d, sizes))
}

func passagesOf(pieces []split.Passage) []retrieval.Passage {
	if len(pieces) == 0 {
		return nil
	}
	passages := make([]retrieval.Passage, len(pieces))
	for i, p := range pieces {
		passages[i] = retrieval.Passage{
			DocumentID: p.DocumentID, Ordinal: p.Ordinal, Title: p.Title, HeadingPath: p.HeadingPath,
			Place: p.Place, Start: p.Start, End: p.End, Text: p.Text,
		}
	}
	return passages
}

func sizesOf(bot chatbot.Chatbot) split.Sizes {
	aim, limit := bot.PassageSizes()
	return split.Sizes{Aim: aim, Limit: limit}
}

// Splitter cuts documents where a hostile one cannot harm this process. The count of the sizes
// is the one that all processes of the program have. A document with more headings or passages
// than [split.Most] is a fault of kind TooLarge.
type Splitter interface {
	Split(ctx context.Context, d split.Document, sizes split.Sizes) ([]split.Passage, error)
}

// splitter cuts documents as their chatbots want it. It counts tokens.
type splitter struct {
	count func(text string) int
	port  Splitter
}

// split cuts a document as its chatbot wants it.
func (s splitter) split(ctx context.Context, bot chatbot.Chatbot, d Document) ([]retrieval.Passage, error) {
	document := split.Document{ID: d.ID, Title: d.Title, Plain: d.Kind == Text, Pairs: d.Kind == Pairs, Content: d.Content, Places: d.Places}
	if s.port == nil {
		return Split(document, bot, s.count), nil
	}
	sizes := sizesOf(bot)
	sizes.Count = s.count
	pieces, err := s.port.Split(ctx, document, sizes)
	return passagesOf(pieces), err
}
