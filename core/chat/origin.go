package chat

import (
	"strings"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/internal/plain"
)

// Origin says where a conversation was begun.
type Origin string

// The origins of a conversation.
const (
	// API is a program with a token.
	API Origin = "api"
	// Playground is a member who tries the chatbot in the dashboard. What is said
	// there counts in a month of its own, and is left out of analytics.
	Playground Origin = "playground"
)

// OriginOf is the origin of the conversations that a caller begins.
func OriginOf(p *chatbot.Principal) Origin {
	if p.MemberID != "" {
		return Playground
	}
	return API
}

// maxTitle is how many characters of its first question are a conversation's
// title.
const maxTitle = 120

// TitleOf is the title of a conversation that begins with a question: its
// beginning, on one line, without what nobody sees.
func TitleOf(question string) string {
	title := plain.Title(question)
	if utf8.RuneCountInString(title) <= maxTitle {
		return title
	}
	cut := string([]rune(title)[:maxTitle-1])
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:.-–") + "…"
}
