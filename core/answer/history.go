package answer

import (
	"strings"
	"unicode/utf8"

	"parley/core/answer/citation"
	"parley/core/answer/prompt"
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

// questions are the questions of a history.
func questions(history []prompt.Message) []string {
	var asked []string
	for _, m := range history {
		if m.Role == prompt.UserRole {
			asked = append(asked, m.Text)
		}
	}
	return asked
}

// storable drops what no database and no reader takes.
func storable(piece string) string {
	if utf8.ValidString(piece) && !strings.ContainsRune(piece, 0) {
		return piece
	}
	return strings.ReplaceAll(strings.ToValidUTF8(piece, "\uFFFD"), "\x00", "")
}
