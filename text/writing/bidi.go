package writing

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// RightToLeft counts the letters of a text that are written from right to left, and the
// others.
func RightToLeft(text string) (rightToLeft, others int) {
	for _, r := range text {
		switch kindOf(r) {
		case right:
			rightToLeft++
		case left:
			others++
		}
	}
	return rightToLeft, others
}

// kind is what the bidirectional algorithm (UAX #9) makes of a character, roughly.
type kind byte

const (
	neutral kind = iota
	left
	right
	number
)

func kindOf(r rune) kind {
	if r < utf8.RuneSelf {
		switch {
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			return left
		case r >= '0' && r <= '9':
			return number
		}
		return neutral
	}
	properties, _ := bidi.LookupRune(r)
	switch properties.Class() {
	case bidi.L:
		return left
	case bidi.R, bidi.AL:
		return right
	case bidi.EN, bidi.AN:
		return number
	}
	return neutral
}

// Logical returns a line in the order in which it is spoken, of its characters as they stand
// from left to right, each with its marks. It turns around what UAX #9 does when a line is
// shown; where two lines would look alike, it takes the likelier one. The line reads from
// right to left, or else its letters that do so are a part of it.
func Logical(shown []string, rightToLeft bool) string {
	l := &line{shown: shown, kinds: make([]kind, len(shown))}
	for i, s := range shown {
		r, _ := utf8.DecodeRuneInString(s)
		l.kinds[i] = kindOf(r)
	}
	if !slices.Contains(l.kinds, right) {
		return strings.Join(shown, "")
	}
	l.joinNumbers()
	return norm.NFC.String(l.spoken(rightToLeft)) // marks of a letter have no order on a page
}

func (l *line) spoken(rightToLeft bool) string {
	var spoken strings.Builder
	if rightToLeft {
		l.turn(&spoken, 0, len(l.shown))
		return spoken.String()
	}
	for i := 0; i < len(l.shown); {
		if l.kinds[i] != right {
			spoken.WriteString(l.shown[i])
			i++
			continue
		}
		end := i + 1 // of the last letter to the left of which no other script begins
		for j := i + 1; j < len(l.shown) && l.kinds[j] != left; j++ {
			if l.kinds[j] == right {
				end = j + 1
			}
		}
		l.turn(&spoken, i, end)
		i = end
	}
	return spoken.String()
}

// line is a line as it is shown.
type line struct {
	shown []string
	kinds []kind
}

const (
	// within stand between the digits of a number, a time, a date, or a phone number.
	within = ".,:/-'+−٫٬"
	// behind and before belong to a number.
	behind = "%‰٪°€$£¥₪"
	before = "$€£¥₪"
	// signs belong to it if nothing stands before them.
	signs = "+-−±*#~"
	// points end a phrase, and names such as C++.
	points = ".,;:!?+#%/™®°'’\""
)

// has reports whether the character at a place is one of some.
func (l *line) has(i int, of string) bool {
	return i >= 0 && i < len(l.shown) && l.shown[i] != "" && strings.Contains(of, l.shown[i])
}

// isGap reports whether nothing or a space stands at a place.
func (l *line) isGap(i int) bool {
	return i < 0 || i >= len(l.shown) || strings.TrimSpace(l.shown[i]) == ""
}

// joinNumbers makes what belongs to a number a part of it.
func (l *line) joinNumbers() {
	for i := range l.kinds {
		if l.kinds[i] != neutral || i == 0 || l.kinds[i-1] != number {
			continue
		}
		if l.has(i, behind) || l.has(i, within) && i+1 < len(l.kinds) && l.kinds[i+1] == number {
			l.kinds[i] = number
		}
	}
	for i := len(l.kinds) - 2; i >= 0; i-- {
		if l.kinds[i] != neutral || l.kinds[i+1] != number {
			continue
		}
		if l.has(i, before) || l.has(i, signs) && (l.isGap(i-1) || l.has(i-1, "([{")) {
			l.kinds[i] = number
		}
	}
}

// turn writes a part of a line that reads from right to left.
func (l *line) turn(spoken *strings.Builder, from, to int) {
	var parts []string
	for end := to; end > from; {
		if l.kinds[end-1] == right {
			parts = append(parts, l.shown[end-1])
			end--
			continue
		}
		start := end
		for start > from && l.kinds[start-1] != right {
			start--
		}
		parts = l.turnOthers(parts, start, end)
		end = start
	}
	plain := strings.Join(parts, "")
	for i, part := range parts {
		if other, ok := mirror[part]; ok {
			parts[i] = other
		}
	}
	mirrored := strings.Join(parts, "")
	if plain != mirrored && unpaired(mirrored) > unpaired(plain) { // the file has the signs as they are spoken
		mirrored = plain
	}
	spoken.WriteString(mirrored)
}

// turnOthers appends what stands between letters that read from right to left. Words of another
// script stay together, with the numbers among them; a number stays as it is.
func (l *line) turnOthers(parts []string, from, to int) []string {
	first, last, words := -1, -1, false
	for i := from; i < to; i++ {
		if l.kinds[i] == neutral {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		words = words || l.kinds[i] == left
	}
	if words {
		first, last = l.widen(first, last, from, to)
		parts = l.appendTurned(parts, last+1, to)
		parts = append(parts, unitLast(strings.Join(l.shown[first:last+1], "")))
		return l.appendTurned(parts, from, first)
	}
	if first >= 0 && isRange(strings.Join(l.shown[first:last+1], "")) {
		parts = l.appendTurned(parts, last+1, to)
		parts = append(parts, strings.Join(l.shown[first:last+1], ""))
		return l.appendTurned(parts, from, first)
	}
	for end := to; end > from; {
		start := end - 1
		for l.kinds[end-1] == number && start > from && l.kinds[start-1] == number {
			start--
		}
		if l.has(end-1, ".,;:!?)") && l.isGap(end) && start > from && l.kinds[start-1] == number { // "1." begins an item
			item := start
			for item > from && l.kinds[item-1] == number {
				item--
			}
			if !l.has(end-1, ")") || !l.has(item-1, "(") {
				start = item
			}
		}
		parts = append(parts, strings.Join(l.shown[start:end], ""))
		end = start
	}
	return parts
}

// appendTurned appends single characters from right to left.
func (l *line) appendTurned(parts []string, from, to int) []string {
	for i := to - 1; i >= from; i-- {
		parts = append(parts, l.shown[i])
	}
	return parts
}

// widen returns the ends of words of another script with the signs that belong to them.
func (l *line) widen(first, last, from, to int) (int, int) {
	opened := 0 // brackets that are open at the end of the words
	closed := 0 // and those that are closed but not opened in them
	for i := first; i <= last; i++ {
		switch {
		case l.has(i, "([{"):
			opened++
		case l.has(i, ")]}") && opened > 0:
			opened--
		case l.has(i, ")]}"):
			closed++
		}
	}
	for last+1 < to {
		end := last + 1
		for end < to && l.has(end, points) {
			end++
		}
		switch {
		case l.has(last+1, ")]}") && opened > 0:
			opened--
			last++
			continue
		case end > last+1 && l.isGap(end):
			last = end - 1
			continue
		}
		break
	}
	for first > from && (l.has(first-1, "([{") && closed > 0 || l.has(first-1, "@#$€£\"") && l.isGap(first-2)) {
		if l.has(first-1, "([{") {
			closed--
		}
		first--
	}
	return first, last
}

// mirror are the signs that a line from right to left shows the other way round.
var mirror = map[string]string{
	"(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{", "<": ">", ">": "<",
	"«": "»", "»": "«", "‹": "›", "›": "‹", "≤": "≥", "≥": "≤", "⟨": "⟩", "⟩": "⟨",
}

// Mirror returns the sign that stands for another in a line from right to left.
func Mirror(sign string) (string, bool) {
	other, ok := mirror[sign]
	return other, ok
}

// unpaired counts the brackets of a text without a partner.
func unpaired(text string) int {
	open, n := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			if open == 0 {
				n++
			} else {
				open--
			}
		}
	}
	return n + open
}

var unitFirst = regexp.MustCompile(`^((?i:[ap]\.?m\.?)|[kcm]?m|[km]g|m?l|[KMGT]B|k?Wh?|[MG]Hz) ([0-9][0-9.,:]*)$`)

// unitLast returns "10 am" for "am 10": a line from right to left shows it so.
func unitLast(words string) string {
	if m := unitFirst.FindStringSubmatch(words); m != nil {
		return m[2] + " " + m[1]
	}
	return words
}

var numberRange = regexp.MustCompile(`^([0-9]+)([.:][0-9]{2})? ?[-–—] ?([0-9]+)([.:][0-9]{2})?$`)

// isRange reports whether numbers are a range as it stands: from the smaller to the larger.
func isRange(numbers string) bool {
	m := numberRange.FindStringSubmatch(numbers)
	if m == nil {
		return false
	}
	low, err := strconv.ParseFloat(m[1]+strings.Replace(m[2], ":", ".", 1), 64)
	high, err2 := strconv.ParseFloat(m[3]+strings.Replace(m[4], ":", ".", 1), 64)
	return err == nil && err2 == nil && low < high
}
