package target

import "strings"

// A Pattern matches targets: "*" stands for any octets, "$" at the end for the end
// of the target. Without it, anything may follow (RFC 9309, section 2.2.3). All
// else is compared octet by octet.
type Pattern struct {
	text string
	end  bool
}

// special maps the special characters of a pattern to their form in a target.
var special = strings.NewReplacer("*", "%2A", "$", "%24")

// Compile reads a pattern. Every text is one.
func Compile(text string) Pattern {
	text, end := strings.CutSuffix(Canonical(text), "$")
	return Pattern{text: strings.ReplaceAll(text, "$", "%24"), end: end}
}

// Len returns how specific the pattern is, in octets.
func (p Pattern) Len() int {
	if p.end {
		return len(p.text) + 1
	}
	return len(p.text)
}

// A Subject is a target prepared for comparison.
type Subject struct{ text string }

// For returns the subject of a path with its query.
func For(target string) Subject {
	return Subject{special.Replace(Canonical(target))}
}

// Matches reports whether the pattern matches the subject. It visits each octet of
// the subject a few times at most, whatever the pattern is: it searches each part
// between two stars from where the part before it ended.
func (p Pattern) Matches(s Subject) bool {
	part, more, stars := strings.Cut(p.text, "*")
	rest, ok := strings.CutPrefix(s.text, part)
	if !ok {
		return false
	}
	for stars {
		part, more, stars = strings.Cut(more, "*")
		if !stars && p.end {
			return strings.HasSuffix(rest, part)
		}
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return !p.end || rest == ""
}
