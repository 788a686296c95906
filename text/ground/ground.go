// Package ground holds an answer to its passages: it lets through only what
// they support, sentence by sentence.
//
// It does not own which answers are held to them (package core/answer), or how a text is
// read (packages shown and lexical).
package ground

import (
	"strconv"
	"strings"

	"parley/text/citation"
	"parley/text/passage"
)

// supportThreshold is the share of a sentence's content words that a passage,
// or two that stand side by side, must hold. It was chosen on open questions:
// lab/notebook has how.
const supportThreshold = 0.45

// weakThreshold is the share below which a sentence does not even wait.
const weakThreshold = 0.35

// maxHeld bounds what waits for a sentence that is supported, in bytes. What
// waits is dropped beyond it.
const maxHeld = 64 << 10

// Stage lets through only what the passages support. It compares words, not meanings: docs/answers.md says how far
// that goes.
//
// What is supported goes on at once. A sentence that has next to nothing in
// common with the passages is dropped, as is one with a number, a name or an
// address that none of them has. Anything else waits until something behind it
// is supported, and is dropped if nothing is. If nothing ever was, the answer is
// the text of the owner.
type Stage struct {
	evidence *evidence
	// owner are the sentences of the owner's text, which the model may say.
	owner     map[string]bool
	noAnswer  string
	sentences sentences
	held      []heldUnit
	heldBytes int
	// replaced says that the answer became the owner's text, and dropped how
	// many units were left out.
	replaced bool
	dropped  int
	units    int

	marked map[int]bool
	// line is the last line of which something was sent, and gap the most line
	// ends before a dropped unit since the last unit that was kept.
	line, gap int
	said      bool
	out       strings.Builder
	// gone reports whether nobody waits for the answer any more.
	gone func() bool
}

// New returns a stage for an answer that is made from these passages. If they
// support nothing of the answer, it becomes noAnswer. The answer may use the
// names in the allowed texts, which are the question and the chatbot's name,
// though no passage has them.
func New(passages []passage.Passage, noAnswer string, allowed ...string) *Stage {
	return newAt(supportThreshold, passages, noAnswer, allowed...)
}

func newAt(threshold float64, passages []passage.Passage, noAnswer string, allowed ...string) *Stage {
	g := &Stage{evidence: newEvidence(threshold, passages, allowed), noAnswer: strings.TrimSpace(noAnswer), owner: map[string]bool{}, marked: map[int]bool{}, gone: func() bool { return false }}
	var own sentences
	for _, u := range append(own.write(g.noAnswer), own.end()...) {
		g.owner[citation.Quotable(u.text)] = true
	}
	return g
}

// Until has the stage judge nothing more as soon as nobody waits for the answer, which is
// then worth nothing.
func (g *Stage) Until(gone func() bool) *Stage {
	g.gone = gone
	return g
}

// Cut is what remains of an answer that breaks off: nothing more, as what was
// held back has no support.
func (*Stage) Cut(string) string { return "" }

// Refuted is zero: the stage drops whole sentences.
func (*Stage) Refuted() int { return 0 }

// Dropped counts what no passage supports and was left out, and reports whether
// the owner's text took the place of all of it.
func (g *Stage) Dropped() (units int, replaced bool) { return g.dropped, g.replaced }

// Add tells the stage of passages that the model was given in addition.
func (g *Stage) Add(found []passage.Passage) { g.evidence.add(found) }

// Cites reports whether what went on cites the passage with a number.
func (g *Stage) Cites(number int) bool { return g.marked[number] }

// Write takes a piece of the answer and returns what the reader may have.
func (g *Stage) Write(piece string) string {
	g.take(g.sentences.write(piece))
	return g.flush()
}

// End takes the last piece and returns all that the reader may have.
func (g *Stage) End(last string) string {
	g.take(g.sentences.write(last))
	g.take(g.sentences.end())
	g.dropHeld()
	if !g.said && !g.gone() {
		g.replaced = true
		g.out.WriteString(g.noAnswer)
	}
	return g.flush()
}

func (g *Stage) flush() string {
	text := g.out.String()
	g.out.Reset()
	return text
}

func (g *Stage) take(units []unit) {
	g.units += len(units)
	for _, u := range units {
		if g.gone() {
			return
		}
		support := g.judge(u)
		switch {
		case g.owner[citation.Quotable(u.text)]:
			g.dropHeld()
			g.pass(g.behindGap(u))
		case support == supported:
			for _, earlier := range g.held {
				g.pass(earlier)
			}
			g.held, g.heldBytes = nil, 0
			g.pass(g.behindGap(u))
		case support == none:
			g.drop(u)
		default:
			g.hold(u)
		}
	}
}

// heldUnit is a unit with the most line ends before a unit that was dropped in
// front of it.
type heldUnit struct {
	unit
	gap int
}

func (g *Stage) behindGap(u unit) heldUnit {
	gap := g.gap
	g.gap = 0
	return heldUnit{u, gap}
}

func (g *Stage) hold(u unit) {
	if g.heldBytes += len(u.text) + len(u.lead); g.heldBytes > maxHeld {
		g.dropHeld()
	}
	g.held = append(g.held, g.behindGap(u))
}

func (g *Stage) dropHeld() {
	for _, u := range g.held {
		g.drop(u.unit)
		g.gap = max(g.gap, u.gap)
	}
	g.held, g.heldBytes = nil, 0
}

func (g *Stage) drop(u unit) {
	g.dropped++
	if u.number != g.line {
		g.gap = max(g.gap, strings.Count(u.line, "\n"))
	}
}

// pass writes a unit with what keeps its line what it is.
func (g *Stage) pass(u heldUnit) {
	lead := u.lead
	if u.number != g.line {
		lead = u.line
		if missing := u.gap - strings.Count(lead, "\n"); missing > 0 {
			lead = strings.Repeat("\n", missing) + lead
		}
		g.line = u.number
	}
	if !g.said {
		lead = strings.TrimLeft(lead, "\n")
	}
	g.said = true
	g.out.WriteString(lead)
	g.out.WriteString(u.text)
	for _, marker := range markers.FindAllString(u.text, -1) {
		n, _ := strconv.Atoi(strings.Trim(marker, "[]"))
		g.marked[n] = true
	}
}

// judge returns the support of a unit.
func (g *Stage) judge(u unit) support {
	switch {
	case u.over:
		return none
	case u.kind == codeUnit:
		return g.evidence.ofCode(u.text)
	case u.kind == headingUnit || strings.HasSuffix(strings.TrimRight(u.text, "*_ "), ":"):
		return g.evidence.ofAnnouncement(u.text)
	}
	return g.evidence.of(u.text)
}
