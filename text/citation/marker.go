package citation

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// verdict says what a text turns out to be.
type verdict int

const (
	// prose is text that is not a marker.
	prose verdict = iota
	// wait says that it takes more text to decide.
	wait
	isMarker
)

const (
	// maxMarker is the length of the longest marker, in bytes.
	maxMarker = 64
	// maxDigits is how many digits a marker's number has at most: a longer one is a year or
	// an amount.
	maxDigits = 3
)

// marker is a citation as a model wrote it.
type marker struct {
	ranges []numberRange
	length int
	// next is the character behind it, zero at the end of the answer.
	next rune
	// foreign says that it was not written in ASCII's brackets.
	foreign bool
}

// numberRange is the numbers from first to last.
type numberRange struct{ first, last int }

// closings are the brackets that markers are written in.
var closings = map[rune]string{'[': "]", '［': "］", '【': "】"}

// opens reports whether a text begins with a bracket of a marker.
func opens(text string) bool {
	return text[0] == '[' || strings.HasPrefix(text, "［") || strings.HasPrefix(text, "【")
}

// markerOf reads the marker that a text begins with: "[1]", "[1, 2]", "[1-3]",
// "[^1]", "[source 1]", or "【1†source】". A link whose text is a number is none.
func markerOf(text string, final bool) (marker, verdict) {
	open, size := utf8.DecodeRuneInString(text)
	closing := closings[open]
	window := text[size:min(len(text), maxMarker)]
	at := strings.Index(window, closing)
	if at < 0 {
		if final || size+len(window) >= maxMarker || !mayBecome(window) {
			return marker{}, prose
		}
		return marker{}, wait
	}
	m := marker{length: size + at + len(closing), foreign: open != '['}
	inside := window[:at]
	ranges, ok := numbersIn(inside)
	if !mayBecome(inside) || !ok && (open != '【' || !beginsNumber(inside)) {
		return marker{}, prose
	}
	m.ranges = ranges
	if m.length == len(text) && !final {
		return marker{}, wait
	}
	if m.length < len(text) {
		m.next, _ = utf8.DecodeRuneInString(text[m.length:])
	}
	if !m.foreign && m.next == '(' {
		return marker{}, prose
	}
	return m, isMarker
}

// nouns are words that models write before a number.
var nouns = []string{"passage ", "passages ", "source ", "sources "}

// mayBecome reports whether a text can be the beginning of a marker's inside.
// It then holds for all that the text begins with, too.
func mayBecome(inside string) bool {
	head, _, _ := strings.Cut(inside, "†")
	head = strings.ToLower(strings.TrimLeft(head, " "))
	for _, noun := range nouns {
		if strings.HasPrefix(noun, head) {
			return true
		}
		head = strings.TrimPrefix(head, noun)
	}
	return strings.Trim(head, "0123456789^,;:、， -–—") == ""
}

func beginsNumber(inside string) bool {
	return inside != "" && inside[0] >= '0' && inside[0] <= '9'
}

var dashes = strings.NewReplacer("–", "-", "—", "-", "、", ",", "，", ",", ";", ",")

// numbersIn reads the inside of a marker.
func numbersIn(inside string) ([]numberRange, bool) {
	inside, _, _ = strings.Cut(inside, "†")
	inside = strings.ToLower(strings.Trim(inside, " "))
	for _, noun := range nouns {
		inside = strings.TrimPrefix(inside, noun)
	}
	inside = dashes.Replace(strings.TrimPrefix(inside, "^"))
	var ranges []numberRange
	for _, item := range strings.FieldsFunc(spaceless(inside), func(r rune) bool { return r == ',' || r == ' ' }) {
		first, last, ranged := strings.Cut(item, "-")
		if !ranged {
			last = first
		}
		a, okA := number(strings.TrimPrefix(first, "^"))
		b, okB := number(strings.TrimPrefix(last, "^"))
		if !okA || !okB {
			return nil, false
		}
		ranges = append(ranges, numberRange{min(a, b), max(a, b)})
	}
	return ranges, len(ranges) > 0 && (len(ranges) == 1 && ranges[0] == numberRange{} || !fromZero(ranges))
}

// spaceless has no spaces around the dashes of ranges.
func spaceless(inside string) string {
	return strings.ReplaceAll(strings.ReplaceAll(inside, " -", "-"), "- ", "-")
}

// fromZero reports whether a list is none of passages, which count from 1, but
// an interval or a class of characters, such as "[0, 1]" or "[0-9]".
func fromZero(ranges []numberRange) bool {
	for _, r := range ranges {
		if r.first == 0 {
			return true
		}
	}
	return false
}

func number(digits string) (int, bool) {
	if digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// hasBracket reports whether a text has a bracket that may begin a marker.
func hasBracket(text string) bool { return strings.ContainsAny(text, "[［【") }
