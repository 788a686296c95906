package ground

import (
	"slices"
	"strconv"
	"strings"

	"parley/text/language"
	"parley/text/lexical"
	"parley/text/passage"
	"parley/text/shown"
)

// evidence is what passages hold, to compare sentences with.
type evidence struct {
	passages []passageFacts
	// languages has each language of the passages once.
	languages []language.Code
	// joined are pairs of neighboring passages.
	joined [][2]int
	// allowed are texts whose terms a sentence may use as names though no passage has
	// them: the question, and the chatbot's own name. names are these terms, as they
	// are in each language.
	allowed []string
	names   map[language.Code]map[string]bool
	// alphabets has the alphabets of the passages and of the allowed texts.
	alphabets shown.Alphabets
	// threshold is the share of a sentence's words that one of them must hold.
	threshold float64
}

func newEvidence(threshold float64, found []passage.Passage, allowed []string) *evidence {
	e := &evidence{threshold: threshold, allowed: allowed, names: map[language.Code]map[string]bool{}, alphabets: shown.Alphabets{}}
	for _, text := range allowed {
		e.alphabets.Add(text)
	}
	e.add(found)
	return e
}

func (e *evidence) add(found []passage.Passage) {
	otherwise := e.languageOf(found)
	for _, f := range found {
		facts := factsOf(f, otherwise)
		for i, other := range e.passages {
			apart := facts.ordinal - other.ordinal
			if facts.document == other.document && (apart == 1 || apart == -1) && facts.in == other.in {
				e.joined = append(e.joined, [2]int{i, len(e.passages)})
			}
		}
		e.passages = append(e.passages, facts)
		e.alphabets.Add(facts.text)
		if !slices.Contains(e.languages, facts.in) {
			e.languages = append(e.languages, facts.in)
		}
	}
}

// languageOf returns the language to assume for passages that do not tell theirs: the
// question's language or, if the question does not tell either, the language of all
// passages together.
func (e *evidence) languageOf(found []passage.Passage) language.Code {
	if len(e.allowed) > 0 {
		if in := language.Of(e.allowed[0]); in != "" {
			return in
		}
	}
	var all strings.Builder
	for _, f := range found {
		all.WriteString(f.Text)
		all.WriteString("\n")
	}
	return language.Of(all.String())
}

// named are the names that a sentence may use, as they are in a language.
func (e *evidence) named(in language.Code) map[string]bool {
	if known, ok := e.names[in]; ok {
		return known
	}
	var terms []string
	for _, text := range e.allowed {
		terms = append(terms, lexical.Terms(text, in)...)
	}
	e.names[in] = setOf(terms)
	return e.names[in]
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
	supported support = iota
	// neutral says that the unit claims nothing that needs support.
	neutral
	// weak is less than it takes.
	weak
	// none is next to nothing, or a number, a name or an address that no
	// passage has, or the contrary of what passages say.
	none
)

// of returns the support of a sentence: that by the passages of the language in which
// they support it most.
func (e *evidence) of(text string) support {
	return e.most(text, func(c *claims, in language.Code) support { return e.ofClaims(c, in) })
}

func (e *evidence) most(text string, of func(*claims, language.Code) support) support {
	if shown.Overrides(text) || strings.Contains(text, struck) && !e.has(struck) {
		return none
	}
	own := addresses.FindAllString(text, -1)
	text = withoutMarkers(shown.Answer(addresses.ReplaceAllString(text, "")))
	languages := e.languages
	if len(languages) == 0 {
		languages = []language.Code{""}
	}
	best := none
	for _, in := range languages {
		c := claimsOf(text, in)
		c.addAddresses(own)
		best = min(best, of(c, in))
	}
	return best
}

// maxAnnounced is how many words announce something without saying anything,
// and maxCounted up to which number they may count what they announce.
const maxAnnounced, maxCounted = 4, 12

// ofAnnouncement returns the support of a heading, or of a sentence that ends
// with a colon. It never supports anything before it.
func (e *evidence) ofAnnouncement(text string) support {
	return e.most(text, func(c *claims, in language.Code) support {
		c.numbers = slices.DeleteFunc(c.numbers, func(q quantity) bool {
			n, err := strconv.Atoi(q.value)
			return err == nil && n <= maxCounted && len(q.keys) == 0
		})
		if len(c.terms) <= maxAnnounced && e.known(c, in) {
			return neutral
		}
		if s := e.ofClaims(c, in); s != supported {
			return s
		}
		return neutral
	})
}

// ofClaims returns the support by the passages of a language.
func (e *evidence) ofClaims(c *claims, in language.Code) support {
	if len(c.terms) == 0 && len(c.numbers) == 0 && len(c.dates) == 0 && len(c.addresses) == 0 {
		return neutral
	}
	if !e.known(c, in) {
		return none
	}
	held := 0.0
	for i := range e.passages {
		if e.passages[i].in == in {
			held = max(held, e.share(c, i, i))
		}
	}
	for _, pair := range e.joined {
		if e.passages[pair[0]].in == in {
			held = max(held, e.share(c, pair[0], pair[1]))
		}
	}
	switch {
	case held < weakThreshold || e.contradicted(c, in):
		return none
	case held < e.threshold:
		return weak
	}
	return supported
}

// struck begins and ends what Markdown strikes out.
const struck = "~~"

// known reports whether each number, date, name and address stands in a passage, and each
// word is what it seems to be.
func (e *evidence) known(c *claims, in language.Code) bool {
	if e.alphabets.Disguise(c.words, e.has) {
		return false
	}
	for _, number := range c.numbers {
		if !e.any(func(p *passageFacts) bool { return p.in == in && p.holds(number) }) {
			return false
		}
	}
	for _, d := range c.dates {
		if !e.any(func(p *passageFacts) bool { return p.in == in && p.holdsDate(d) }) {
			return false
		}
	}
	for _, name := range c.names {
		if !e.named(in)[name] && !e.any(func(p *passageFacts) bool { return p.terms[name] }) {
			return false
		}
	}
	for _, address := range c.addresses {
		if !e.any(func(p *passageFacts) bool {
			return strings.Contains(p.text, address) || strings.HasPrefix(p.url, address)
		}) {
			return false
		}
	}
	return true
}

// has reports whether a text stands in a passage.
func (e *evidence) has(text string) bool {
	return e.any(func(p *passageFacts) bool { return strings.Contains(p.text, text) })
}

func (e *evidence) any(of func(*passageFacts) bool) bool {
	for i := range e.passages {
		if of(&e.passages[i]) {
			return true
		}
	}
	return false
}

// share is how much of a sentence's words two passages hold, or one twice. It
// is at most weak if they lack one of its numbers.
func (e *evidence) share(c *claims, a, b int) float64 {
	p, q := &e.passages[a], &e.passages[b]
	held := 0
	for _, term := range c.terms {
		if p.terms[term] || q.terms[term] {
			held++
		}
	}
	share := float64(held) / float64(max(1, len(c.terms)))
	for _, number := range c.numbers {
		if !p.holds(number) && !q.holds(number) {
			return min(share, weakThreshold)
		}
	}
	for _, d := range c.dates {
		if !p.holdsDate(d) && !q.holdsDate(d) {
			return min(share, weakThreshold)
		}
	}
	if len(c.terms) == 0 { // numbers and addresses are all there is
		return 1
	}
	return share
}

// ofCode returns supported if one passage has enough of the code block's lines (see
// enoughCode), none if no passage has, and neutral if the block has no code to look for.
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
