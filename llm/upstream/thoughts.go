package upstream

import (
	"strings"
	"unicode"
)

// Some models think aloud within their answer, in a block that begins a line:
//
//	<think>
//	They ask about the router.
//	</think>
//	Hold the button.
const (
	thoughtStart = "<think>"
	thoughtEnd   = "</think>"
)

// visible leaves out of a text what is not for its reader: blocks of thoughts, and
// space before the first word.
type visible struct {
	// held is the end of what has arrived: it may be the beginning of a tag.
	held string
	// thinking says that a block is open.
	thinking bool
	// begun says that the last that was let through was no space, and midLine that
	// it did not end a line.
	begun, midLine bool
	// hidden counts the bytes of thoughts.
	hidden int
}

// pass returns what is for the reader of the next part of a text.
func (v *visible) pass(text string) string {
	if v.begun && !v.thinking && v.held == "" && !strings.Contains(text, "<") {
		return v.let(text) // the usual piece
	}
	text = v.held + text
	v.held = ""
	var out strings.Builder
	for text != "" {
		if v.thinking {
			text = v.skip(text)
			continue
		}
		at, whole := tagIn(text, v.midLine && v.begun)
		out.WriteString(v.let(text[:at]))
		if text = text[at:]; text == "" {
			break
		}
		if !whole {
			v.held = text
			break
		}
		v.thinking, text = true, text[len(thoughtStart):]
		v.hidden += len(thoughtStart)
	}
	return out.String()
}

// rest returns what is for the reader of what was held at the end.
func (v *visible) rest() string {
	held := v.held
	v.held = ""
	if v.thinking {
		return ""
	}
	return v.let(held)
}

// skip drops thoughts, and returns what comes after them.
func (v *visible) skip(text string) string {
	at := strings.Index(text, thoughtEnd)
	if at >= 0 {
		v.thinking, v.begun = false, false // no space stands in for the block
		v.hidden += at + len(thoughtEnd)
		return text[at+len(thoughtEnd):]
	}
	kept := prefixAt(text, thoughtEnd)
	v.hidden += kept
	v.held = text[kept:]
	return ""
}

// let returns a text without the space that nothing comes before.
func (v *visible) let(text string) string {
	if !v.begun {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if text != "" {
		v.begun = true
		v.midLine = text[len(text)-1] != '\n'
	}
	return text
}

// tagIn returns where a block of thoughts begins in a text, and whether its tag is
// whole. The text's length means that there is none. MidLine says that the text
// begins within a line.
func tagIn(text string, midLine bool) (at int, whole bool) {
	for from := 0; ; {
		next := strings.IndexByte(text[from:], '<')
		if next < 0 {
			return len(text), false
		}
		at = from + next
		line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
		first := strings.TrimSpace(line) == "" && (!midLine || len(line) < at)
		switch {
		case first && strings.HasPrefix(text[at:], thoughtStart):
			return at, true
		case first && strings.HasPrefix(thoughtStart, text[at:]):
			return at, false
		}
		from = at + 1
	}
}

// prefixAt returns where the longest end of a text begins that could be the
// beginning of a tag.
func prefixAt(text, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return len(text) - n
		}
	}
	return len(text)
}
