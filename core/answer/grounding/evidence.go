package grounding

import (
	"slices"
	"strconv"
	"strings"

	"parley/core/answer/prompt"
	"parley/core/retrieval"
	"parley/core/retrieval/lexical"
)

// evidence is what passages hold, to compare sentences with.
type evidence struct {
	passages []passageFacts
	// joined are pairs of neighboring passages.
	joined [][2]int
	// names are terms that a sentence may use as names though no passage has
	// them: those of the question, and the chatbot's own name.
	names map[string]bool
	// threshold is the share of a sentence's words that one of them must hold.
	threshold float64
}

// passageFacts are the parts of a passage that a sentence is compared with.
type passageFacts struct {
	document string
	ordinal  int
	terms    map[string]bool
	numbers  map[string]bool
	// lines are the text's lines, without list markers and other leads.
	lines map[string]bool
	text  string
	url   string
}

func newEvidence(threshold float64, found []retrieval.Result) *evidence {
	e := &evidence{threshold: threshold, names: map[string]bool{}}
	e.add(found)
	return e
}

func (e *evidence) add(found []retrieval.Result) {
	for _, f := range found {
		facts := factsOf(f.Passage)
		for i, other := range e.passages {
			apart := facts.ordinal - other.ordinal
			if facts.document == other.document && (apart == 1 || apart == -1) {
				e.joined = append(e.joined, [2]int{i, len(e.passages)})
			}
		}
		e.passages = append(e.passages, facts)
	}
}

func factsOf(p retrieval.Passage) passageFacts {
	text := prompt.TextOf(p)
	facts := passageFacts{
		document: p.DocumentID, ordinal: p.Ordinal, text: text, url: p.URL,
		terms: setOf(lexical.Terms(text, "")), numbers: setOf(numbersOf(text)), lines: map[string]bool{},
	}
	for number, word := range numberWords {
		if facts.terms[word] {
			facts.numbers[number] = true
		}
	}
	for line := range strings.Lines(text) {
		facts.lines[codeOf(line)] = true
	}
	return facts
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, item := range list {
		set[item] = true
	}
	return set
}

// support says how far passages support a text.
type support int

const (
	// neutral says that the unit claims nothing that needs support.
	neutral support = iota
	supported
	// weak is less than it takes.
	weak
	// none is next to nothing, or a number, a name or an address that no
	// passage has.
	none
)

// of returns the support of a sentence.
func (e *evidence) of(text string) support { return e.ofClaims(claimsOf(text)) }

// maxAnnounced is how many words announce something without saying anything,
// and maxCounted up to which number they may count what they announce.
const maxAnnounced, maxCounted = 4, 12

// ofAnnouncement returns the support of a heading, or of a sentence that ends
// with a colon. It never supports anything before it.
func (e *evidence) ofAnnouncement(text string) support {
	claims := claimsOf(text)
	claims.numbers = slices.DeleteFunc(claims.numbers, func(number string) bool {
		n, err := strconv.Atoi(number)
		return err == nil && n <= maxCounted
	})
	if len(claims.terms) <= maxAnnounced && e.known(claims) {
		return neutral
	}
	if s := e.ofClaims(claims); s != supported {
		return s
	}
	return neutral
}

func (e *evidence) ofClaims(claims claims) support {
	if len(claims.terms) == 0 && len(claims.numbers) == 0 && len(claims.addresses) == 0 {
		return neutral
	}
	if !e.known(claims) {
		return none
	}
	held := 0.0
	for i := range e.passages {
		held = max(held, e.share(claims, i, i))
	}
	for _, pair := range e.joined {
		held = max(held, e.share(claims, pair[0], pair[1]))
	}
	switch {
	case held >= e.threshold:
		return supported
	case held >= weakThreshold:
		return weak
	}
	return none
}

// known reports whether each number, name and address stands in a passage.
func (e *evidence) known(c claims) bool {
	for _, number := range c.numbers {
		if !slices.ContainsFunc(e.passages, func(p passageFacts) bool { return p.numbers[number] }) {
			return false
		}
	}
	for _, name := range c.names {
		if !e.names[name] && !slices.ContainsFunc(e.passages, func(p passageFacts) bool { return p.terms[name] }) {
			return false
		}
	}
	for _, address := range c.addresses {
		if !slices.ContainsFunc(e.passages, func(p passageFacts) bool {
			return strings.Contains(p.text, address) || strings.HasPrefix(p.url, address)
		}) {
			return false
		}
	}
	return true
}

// share is how much of a sentence's words two passages hold, or one twice. It
// is at most weak if they lack one of its numbers.
func (e *evidence) share(c claims, a, b int) float64 {
	p, q := e.passages[a], e.passages[b]
	held := 0
	for _, term := range c.terms {
		if p.terms[term] || q.terms[term] {
			held++
		}
	}
	share := float64(held) / float64(max(1, len(c.terms)))
	for _, number := range c.numbers {
		if !p.numbers[number] && !q.numbers[number] {
			return min(share, weakThreshold)
		}
	}
	if len(c.terms) == 0 { // numbers and addresses are all there is
		return 1
	}
	return share
}

// ofCode returns the support of a block of code, which is that of the passage
// with most of its lines.
func (e *evidence) ofCode(block string) support {
	lines := strings.Split(strings.Trim(block, "\n"), "\n")
	var own []string
	for _, line := range lines[1:] {
		if code := codeOf(line); len(code) > 1 && strings.Trim(code, "`~") != "" {
			own = append(own, code)
		}
	}
	if len(own) == 0 {
		return neutral
	}
	for _, p := range e.passages {
		held := 0
		for _, line := range own {
			if p.lines[line] {
				held++
			}
		}
		if float64(held) >= enoughCode*float64(len(own)) {
			return supported
		}
	}
	return none
}

// enoughCode is the share of its lines that a passage must have of a block of
// code.
const enoughCode = 0.6

func codeOf(line string) string {
	return strings.Join(strings.Fields(strings.Trim(line, "> \t\r\n")), " ")
}
