package ground

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
	"parley/text/lexical"
)

// clause is a part of a sentence between commas, or words such as "but".
type clause struct {
	terms []string
	cues  []cue
}

// cue is a word that denies or restricts, with the terms that it concerns.
type cue struct {
	kind   language.Cue
	window []string
}

const (
	// windowBehind and windowBefore are how many terms a cue concerns on a side, and
	// pairsOfWord how many more that is where terms are pairs of letters.
	windowBehind, windowBefore = 4, 3
	pairsOfWord                = 2
)

// item is a term or a cue, as they follow one another.
type item struct {
	term string
	cue  language.Cue
	// isPair says that the term is a pair of letters.
	isPair bool
}

// reader makes clauses of tokens.
type reader struct {
	in      language.Code
	cues    *language.Cues
	items   []item
	clauses []clause
}

func clausesOf(tokens []token, in language.Code) []clause {
	r := reader{in: in, cues: language.CuesIn(in)}
	for at := 0; at < len(tokens); {
		at += r.read(tokens, at)
	}
	r.close()
	return r.clauses
}

// read takes a token, or more, and returns how many.
func (r *reader) read(tokens []token, at int) int {
	t := tokens[at]
	switch t.kind {
	case runToken:
		r.run(t.text)
	case numberToken:
		r.items = append(r.items, item{term: t.text})
	case signToken:
		if first, _ := utf8.DecodeRuneInString(t.text); partsClauses(first) {
			r.close()
		}
	case wordToken:
		kind, n := r.cues.Of(wordsFrom(tokens, at))
		if n > 0 {
			r.mark(kind)
			// A hint is a word of the text as well.
			if kind != language.Hints {
				return n
			}
		}
		if term := lexical.TermOf(t.text, r.in); term != "" {
			r.items = append(r.items, item{term: term})
		}
	}
	return 1
}

func (r *reader) mark(kind language.Cue) {
	switch kind {
	case language.Idle:
	case language.Parts:
		r.close()
	default:
		r.items = append(r.items, item{cue: kind})
	}
}

// run reads letters that no spaces part: their pairs, and the cues between.
func (r *reader) run(text string) {
	before := ""
	for at := 0; at < len(text); {
		kind, n := r.cues.Within(text[at:], at == 0)
		if n > 0 {
			r.mark(kind)
			if kind != language.Hints {
				before = ""
				at += n
				continue
			}
		}
		n = letterLength(text[at:])
		letter := text[at : at+n]
		if before != "" && len(before)+n <= lexical.MaxTerm {
			r.items = append(r.items, item{term: before + letter, isPair: true})
		}
		before = letter
		at += n
	}
}

// letterLength is the length of a letter with its marks.
func letterLength(text string) int {
	_, end := utf8.DecodeRuneInString(text)
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsMark(r) {
			break
		}
		end += size
	}
	return end
}

func partsClauses(r rune) bool {
	return strings.ContainsRune(",;:.!?()[]|–—、，；：。！？（）،؛؟", r)
}

// close ends a clause.
func (r *reader) close() {
	var c clause
	for at, it := range r.items {
		if it.cue == language.NoCue {
			c.terms = append(c.terms, it.term)
			continue
		}
		if window := r.window(at, it.cue); len(window) > 0 {
			c.cues = append(c.cues, cue{it.cue, window})
		}
	}
	if len(c.terms) > 0 {
		r.clauses = append(r.clauses, c)
	}
	r.items = r.items[:0]
}

// window returns the terms that a cue concerns, the nearest first.
func (r *reader) window(at int, kind language.Cue) []string {
	behind, before := r.near(at, 1, windowBehind), r.near(at, -1, windowBefore)
	switch {
	case kind == language.Hints || r.cues.Side == language.Around:
		return append(behind, before...)
	case r.cues.Side == language.Before && len(before) > 0:
		return before
	case len(behind) > 0:
		return behind
	}
	return before
}

func (r *reader) near(at, step, most int) []string {
	var terms []string
	for i := at + step; i >= 0 && i < len(r.items); i += step {
		it := r.items[i]
		if it.cue != language.NoCue {
			continue
		}
		limit := most
		if it.isPair {
			limit *= pairsOfWord
		}
		if len(terms) >= limit {
			break
		}
		terms = append(terms, it.term)
	}
	return terms
}

// concerns reports whether two cues are about the same: they share at least half of the
// terms that the one with fewer concerns.
func (c cue) concerns(other cue) bool {
	few, many := c.window, other.window
	if len(few) > len(many) {
		few, many = many, few
	}
	shared := 0
	for _, term := range few {
		if slices.Contains(many, term) {
			shared++
		}
	}
	return 2*shared >= len(few)
}

func denies(kind language.Cue) bool { return kind == language.Denies || kind == language.Excepts }
