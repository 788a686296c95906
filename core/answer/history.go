package answer

import (
	"strings"
	"unicode/utf8"

	"parley/core/answer/prompt"
	"parley/core/retrieval"
	"parley/text/citation"
)

// withoutMarkers is a history whose answers have no markers: their numbers
// belong to other passages.
func withoutMarkers(history []prompt.Message) []prompt.Message {
	said := make([]prompt.Message, len(history))
	for i, m := range history {
		if m.Role == prompt.AssistantRole {
			m.Text = citation.Strip(m.Text)
		}
		said[i] = m
	}
	return said
}

// addEarlier adds the questions and answers of a history to a query. Courtesies, and that
// the knowledge does not answer a question, name nothing.
func addEarlier(query *retrieval.Query, history []prompt.Message, noAnswer string) {
	courtesy := false
	for _, m := range history {
		if m.Role == prompt.UserRole {
			courtesy = prompt.IsCourtesy(m.Text)
		}
		switch {
		case courtesy: // Neither it nor what returns it is about anything.
		case m.Role == prompt.UserRole:
			query.AddEarlier(m.Text)
		case m.Role == prompt.AssistantRole && m.Text != noAnswer:
			query.AddReply(m.Text)
		}
	}
}

// storable drops what no database and no reader takes.
func storable(piece string) string {
	if utf8.ValidString(piece) && !strings.ContainsRune(piece, 0) {
		return piece
	}
	return strings.ReplaceAll(strings.ToValidUTF8(piece, "\uFFFD"), "\x00", "")
}
