package knowledge

import (
	"parley/core/chatbot"
	"parley/core/retrieval"
	"parley/text/split"
)

// Split cuts a document into passages as a chatbot's owner wants them. Their ids are zero.
// Count returns the tokens of a text; without it a token is four bytes.
func Split(d split.Document, bot chatbot.Chatbot, count func(text string) int) []retrieval.Passage {
	sizes := sizesOf(bot)
	sizes.Count = count
	pieces := split.Split(d, sizes)
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

// splitter cuts documents as their chatbots want it. It counts tokens.
type splitter func(text string) int

// split cuts a document as its chatbot wants it.
func (s splitter) split(bot chatbot.Chatbot, d Document) []retrieval.Passage {
	return Split(split.Document{ID: d.ID, Title: d.Title, Plain: d.Kind == Text, Pairs: d.Kind == Pairs, Content: d.Content, Places: d.Places}, bot, s)
}
