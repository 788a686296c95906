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
//
// blocks has the tags of those that models are trained on, in lower case.
var blocks = []block{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<thoughts>", "</thoughts>"},
	{"<reasoning>", "</reasoning>"},
	{"<reason>", "</reason>"},
	{"<seed:think>", "</seed:think>"},
	{"<ant_thinking>", "</ant_thinking>"},
	{"[think]", "[/think]"},
	{"◁think▷", "◁/think▷"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|start_thinking|>", "<|end_thinking|>"},
	{"<|think|>", "<|/think|>"},
	{"<|channel>thought", "<channel|>"},
	{"<|channel|>analysis", finalChannel},
	{"<|channel|>commentary", finalChannel},
	{"<|start|>assistant<|channel|>analysis", finalChannel},
	{"<|start|>assistant<|channel|>commentary", finalChannel},
}

// These begin the answer in OpenAI's format harmony.
const (
	finalChannel = "<|channel|>final<|message|>"
	finalStart   = "<|start|>assistant" + finalChannel
)

// marks stand around an answer in the formats that have blocks of thoughts.
var marks = []string{
	"<|return|>", "<|end|>", "<|begin_of_solution|>", "<|end_of_solution|>",
	"<|start_response|>", "<|end_response|>",
}

// indexTag returns where the next tag may begin, or -1.
func indexTag(text string) int {
	for i := range len(text) {
		if c := text[i]; c == '<' || c == '[' || c == "◁"[0] {
			return i
		}
	}
	return -1
}

type block struct{ start, end string }

// visible leaves out of a text what is not for its reader: blocks of thoughts, and
// space before the first word.
type visible struct {
	// held is the end of what has arrived: it may be the beginning of a tag.
	held string
	// end is the tag that ends the open block of thoughts, or empty.
	end string
	// begun says that the last that was let through was no space, and midLine that
	// it did not end a line. last is its last byte.
	begun, midLine bool
	last           byte
	// hold says how much is held back, and waiting is that.
	hold    hold
	waiting strings.Builder
	// mused says that the text began as thoughts do, and unopened that a closing tag
	// came without an opening one. quoted counts opening tags that were text.
	mused, unopened bool
	quoted          int
	// hidden counts the bytes of thoughts.
	hidden int
}

// begin says how the text begins, before its first piece.
func (v *visible) begin(habit *Habit, whole, elsewhere bool) {
	v.hold = habit.holds(whole, elsewhere)
}

// pass returns what is for the reader of the next part of a text.
func (v *visible) pass(text string) string {
	if v.begun && v.end == "" && v.held == "" && v.hold == nothing && indexTag(text) < 0 {
		return v.let(text) // the usual piece
	}
	text = v.held + text
	v.held = ""
	var out strings.Builder
	for text != "" {
		if v.end != "" {
			text = v.skip(text)
			continue
		}
		found := v.next(text)
		out.WriteString(v.let(text[:found.at]))
		text = text[found.at:]
		switch found.kind {
		case nothingFound:
		case unfinishedTag:
			v.held, text = text, ""
		case quotedTag:
			out.WriteString(v.let(text[:found.size]))
			text = text[found.size:]
		case markTag:
			text = text[found.size:]
		case openingTag:
			v.end = found.end
			v.hidden += found.size
			text = text[found.size:]
			if out.Len() == 0 && v.waiting.Len() == 0 {
				v.hold = nothing // It opens its thoughts.
			}
		case closingTag:
			v.hidden += found.size
			v.close(&out)
			text = text[found.size:]
		}
	}
	return v.release(out.String())
}

// close drops the text in front of a closing tag that nothing opened, as far as
// nobody has it yet.
func (v *visible) close(out *strings.Builder) {
	v.unopened = true
	v.hidden += v.waiting.Len() + out.Len()
	v.waiting.Reset()
	out.Reset()
	v.hold = nothing
	v.begun, v.midLine = false, false
}

// release returns what the reader may have of a text.
func (v *visible) release(text string) string {
	if v.hold == nothing {
		return text
	}
	v.waiting.WriteString(text)
	if v.waiting.Len() == 0 {
		return ""
	}
	begins, may := musing(v.waiting.String())
	v.mused = v.mused || begins
	switch {
	case v.hold == everything:
		return ""
	case begins:
		v.hold = everything
		return ""
	case may:
		return ""
	}
	v.hold = nothing
	text = v.waiting.String()
	v.waiting.Reset()
	return text
}

// rest returns what is for the reader of what was held at the end.
func (v *visible) rest() string {
	held := v.held
	v.held = ""
	if v.end != "" {
		held = ""
	}
	held = v.waiting.String() + v.let(held)
	v.waiting.Reset()
	v.hold = nothing
	return held
}

// learn notes what an answer that has ended shows of the model's habit.
func (v *visible) learn(habit *Habit) {
	switch {
	case habit == nil:
	case v.unopened:
		habit.state.Store(opensNothing)
	case v.mused, habit.state.Load() == opensNothing:
		habit.state.Store(saysWhatItMeans)
	}
}

// skip drops thoughts, and returns what comes after them.
func (v *visible) skip(text string) string {
	if at := indexFold(text, v.end); at >= 0 {
		size := at + len(v.end)
		v.end, v.begun, v.midLine = "", false, false // no space stands in for the block
		v.hidden += size
		return text[size:]
	}
	kept := prefixAt(text, v.end)
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
		v.last = text[len(text)-1]
		v.midLine = v.last != '\n'
	}
	return text
}

type tagKind int

const (
	nothingFound tagKind = iota
	// unfinishedTag may become a tag with the next piece.
	unfinishedTag
	// quotedTag is a tag that the text is about.
	quotedTag
	markTag
	openingTag
	closingTag
)

// tag is what stands at a position of a text. The text's length means that nothing
// does.
type tag struct {
	at, size int
	kind     tagKind
	// end closes the block that an opening tag opens.
	end string
}

// next returns the first tag of a text.
func (v *visible) next(text string) tag {
	first := !(v.midLine && v.begun)
	for from := 0; ; {
		found := indexTag(text[from:])
		if found < 0 {
			return tag{at: len(text)}
		}
		between := text[from : from+found]
		if line := strings.LastIndexByte(between, '\n'); line >= 0 {
			first, between = true, between[line:]
		}
		first = first && strings.TrimSpace(between) == ""
		if tag := v.tagAt(text, from+found, first); tag.kind != nothingFound {
			return tag
		}
		from, first = from+found+1, false
	}
}

// tagAt returns the tag at a position, which may be the first in its line. A block
// begins a line: elsewhere its tags are text, and so is what closes it then, and
// whatever stands in quotation marks.
func (v *visible) tagAt(text string, at int, first bool) tag {
	rest, may := text[at:], false
	for _, final := range []string{finalStart, finalChannel} {
		if hasPrefixFold(rest, final) {
			kind := markTag
			if v.begun || strings.TrimSpace(text[:at]) != "" {
				kind = closingTag
			}
			return tag{at: at, size: len(final), kind: kind}
		}
		may = may || hasPrefixFold(final, rest)
	}
	for _, mark := range marks {
		if hasPrefixFold(rest, mark) {
			return tag{at: at, size: len(mark), kind: markTag}
		}
		may = may || hasPrefixFold(mark, rest)
	}
	for _, block := range blocks {
		switch {
		case hasPrefixFold(rest, block.start) && first:
			return tag{at: at, size: len(block.start), kind: openingTag, end: block.end}
		case hasPrefixFold(rest, block.start):
			v.quoted++
			return tag{at: at, size: len(block.start), kind: quotedTag}
		case hasPrefixFold(rest, block.end):
			kind := closingTag
			if v.quoted > 0 || v.isQuoted(text, at) {
				kind, v.quoted = quotedTag, max(0, v.quoted-1)
			}
			return tag{at: at, size: len(block.end), kind: kind}
		}
		may = may || hasPrefixFold(block.start, rest) || hasPrefixFold(block.end, rest)
	}
	if may {
		return tag{at: at, kind: unfinishedTag}
	}
	return tag{}
}

// isQuoted reports whether a quotation mark stands in front of a position.
func (v *visible) isQuoted(text string, at int) bool {
	before := v.last
	if at > 0 {
		before = text[at-1]
	}
	return (at > 0 || v.begun) && strings.IndexByte("`\"'\x9c\x9e\xab(", before) >= 0
}

// hasPrefixFold reports whether a text begins with a tag, in whatever case of ASCII.
func hasPrefixFold(text, tag string) bool {
	if len(text) < len(tag) {
		return false
	}
	for i := range len(tag) {
		if lower(text[i]) != lower(tag[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// indexFold returns where a tag is in a text, or -1.
func indexFold(text, tag string) int {
	for from := 0; ; {
		at := strings.IndexByte(text[from:], tag[0])
		if at < 0 {
			return -1
		}
		if from += at; hasPrefixFold(text[from:], tag) {
			return from
		}
		from++
	}
}

// prefixAt returns where the longest end of a text begins that could be the
// beginning of a tag.
func prefixAt(text, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if hasPrefixFold(text[len(text)-n:], tag[:n]) {
			return len(text) - n
		}
	}
	return len(text)
}
