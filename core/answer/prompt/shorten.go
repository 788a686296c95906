package prompt

import (
	"slices"
	"strings"

	"parley/text/clean"
)

// Shorten makes a prompt shorter that the model's server finds too long: its context is
// smaller than the one that the prompt was composed for. It leaves out the history and,
// if that was less than half of the prompt, half of the passages, the best of which stay.
// It reports whether anything is left out.
func (p *Prompt) Shorten() bool {
	from := slices.IndexFunc(p.Messages, func(m Message) bool { return m.Role != SystemRole })
	asked := p.asked()
	if from < 0 || asked < from {
		return false
	}
	history, all := size(p.Messages[from:asked]), size(p.Messages)
	messages := slices.Concat(p.Messages[:from], p.Messages[asked:])
	if 2*history >= all {
		p.Messages = messages
		return true
	}
	cut := false
	for i := from; i < len(messages); i++ {
		text, kept := withHalfOfPassages(messages[i].Text)
		if text == messages[i].Text {
			continue
		}
		messages[i].Text, cut = text, true
		if i == from && kept < len(p.Passages) {
			p.Passages = p.Passages[:kept]
		}
	}
	p.Messages = messages
	return cut || history > 0
}

// asked returns the position of the message with the question, or -1.
func (p *Prompt) asked() int {
	question, last := clean.Defuse(p.Question), -1
	for i, m := range slices.Backward(p.Messages) {
		if m.Role != UserRole {
			continue
		}
		if strings.Contains(m.Text, question) {
			return i
		}
		last = max(last, i)
	}
	return last
}

func size(messages []Message) (bytes int) {
	for _, m := range messages {
		bytes += len(m.Text)
	}
	return bytes
}

const (
	passageStart = `<passage id="`
	passageEnd   = "\n</passage>"
)

// withHalfOfPassages returns a text without the second half of its passages, and how
// many are left. No text within can be taken for the beginning or end of a passage:
// see [clean.Defuse].
func withHalfOfPassages(text string) (short string, kept int) {
	all := strings.Count(text, passageStart)
	if all < 2 {
		return text, all
	}
	kept = all / 2
	at := 0
	for range kept {
		at += strings.Index(text[at:], passageStart) + len(passageStart)
	}
	at += strings.Index(text[at:], passageEnd) + len(passageEnd)
	return text[:at] + text[strings.LastIndex(text, passageEnd)+len(passageEnd):], kept
}
