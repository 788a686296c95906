package measure

import (
	"regexp"
	"strconv"
	"strings"

	"parley/core/retrieval"
	"parley/text/ground"
	"parley/text/sentence"
)

// Contradictions counts sentences that are right and pass unchanged, and of the wrong ones
// made of them those that do not.
type Contradictions struct {
	// References are sentences of reference answers, Quotes some of the relevant
	// passages.
	References Share `json:"references_pass"`
	Quotes     Share `json:"quotes_pass"`
	// The others are wrong sentences that are dropped, by what was changed. A sentence that
	// does not pass itself is not changed.
	Negated    Share `json:"negated_dropped"`
	Affirmed   Share `json:"affirmed_dropped"`
	Restricted Share `json:"restricted_dropped"`
	Numbers    Share `json:"numbers_dropped"`
	Units      Share `json:"units_dropped"`
}

// change makes a sentence say something else, or returns it as it is.
type change struct {
	count func(*Contradictions) *Share
	of    func(sentence string) string
}

var changes = []change{
	{func(c *Contradictions) *Share { return &c.Negated }, negated},
	{func(c *Contradictions) *Share { return &c.Affirmed }, affirmed},
	{func(c *Contradictions) *Share { return &c.Restricted }, restricted},
	{func(c *Contradictions) *Share { return &c.Numbers }, otherNumber},
	{func(c *Contradictions) *Share { return &c.Units }, otherUnit},
}

// contradict measures the sentences of an answer, and of its passages.
func (f *Contradictions) contradict(c groundingCase, threshold float64) {
	relevant := retrieval.Plain(c.relevant)
	passes := func(text string) bool {
		return ground.Measure(c.question, text, relevant, "No answer.", threshold).Text == text
	}
	sentence.Each(strings.Join(strings.Fields(c.answer), " "), func(text string) { f.change(&f.References, text, passes) })
	for _, text := range quotesOf(c.relevant) {
		f.change(&f.Quotes, text, passes)
	}
}

func (f *Contradictions) change(right *Share, text string, passes func(string) bool) {
	if !hasWords(text) {
		return
	}
	ok := passes(text)
	right.count(ok)
	if !ok {
		return
	}
	for _, change := range changes {
		if wrong := change.of(text); wrong != text {
			change.count(f).count(!passes(wrong))
		}
	}
}

// quotesOf are up to three whole sentences of each passage.
func quotesOf(passages []retrieval.Result) (quotes []string) {
	for _, p := range passages {
		n := 0
		for line := range strings.Lines(p.Text) {
			sentence.Each(strings.TrimSpace(line), func(text string) {
				if n < 3 && hasWords(text) && strings.HasSuffix(text, ".") && text[0] >= 'A' && text[0] <= 'Z' && !strings.ContainsAny(text, "`{}<>|[]") {
					quotes = append(quotes, text)
					n++
				}
			})
		}
	}
	return quotes
}

// hasWords reports whether a text has as many words as a sentence has.
func hasWords(text string) bool {
	n := len(strings.Fields(text))
	return n >= 5 && n <= 60
}

var (
	auxiliary = regexp.MustCompile(`\b(is|are|was|were|can|could|will|would|should|must|may)\b( not\b|n't)?`)
	// denials are what is taken out of a sentence, and what takes its place.
	denials = []struct {
		of *regexp.Regexp
		by string
	}{
		{regexp.MustCompile(`\bcannot\b|\bcan't\b|\bcan’t\b`), "can"},
		{regexp.MustCompile(`\b(?:do|does|did)(?: not|n't|n’t) `), ""},
		{regexp.MustCompile(`\b(is|are|was|were|could|will|would|should|must|may)(?: not|n't|n’t)\b`), "$1"},
		{regexp.MustCompile(`\bwon't\b|\bwon’t\b`), "will"},
		{regexp.MustCompile(`\bnever\b`), "always"},
		{regexp.MustCompile(`\bwithout\b`), "with"},
		{regexp.MustCompile(`\bunless\b`), "if"},
		{regexp.MustCompile(`\bno longer\b`), "still"},
		{regexp.MustCompile(`\bno\b`), "every"},
	}
	hasDenial = regexp.MustCompile(`(?i)\b(not|no|never|without|unless|only|cannot|nor)\b|n't\b|n’t\b`)
	// figure is a number that is no part of a name.
	figure = regexp.MustCompile(`(^|[\s($€])(\d+)\b`)
	// units are exchanged in pairs.
	units = []struct{ a, b string }{
		{"minute", "hour"}, {"day", "week"}, {"second", "month"}, {"MB", "GB"}, {"KB", "TB"}, {"USD", "EUR"}, {"percent", "dollars"}, {"ms", "min"},
	}
)

// negated denies the first verb of a sentence that denies nothing.
func negated(text string) string {
	if hasDenial.MatchString(text) {
		return text
	}
	return first(text, auxiliary, "$1 not")
}

// affirmed takes the first denial out of a sentence with one.
func affirmed(text string) string {
	for _, d := range denials {
		if len(hasDenial.FindAllString(text, -1)) == 1 && d.of.MatchString(text) {
			return first(text, d.of, d.by)
		}
	}
	return text
}

// restricted says "only" behind the first verb of a sentence that restricts and denies
// nothing.
func restricted(text string) string {
	if hasDenial.MatchString(text) {
		return text
	}
	return first(text, auxiliary, "$1 only")
}

// first replaces the first match.
func first(text string, of *regexp.Regexp, by string) string {
	at := of.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	return text[:at[0]] + string(of.ExpandString(nil, by, text, at)) + text[at[1]:]
}

// otherNumber adds seven to each number.
func otherNumber(text string) string {
	return figure.ReplaceAllStringFunc(text, func(found string) string {
		at := figure.FindStringSubmatchIndex(found)
		n, _ := strconv.Atoi(found[at[4]:at[5]])
		return found[:at[4]] + strconv.Itoa(n+7)
	})
}

// otherUnit exchanges the units behind numbers.
func otherUnit(text string) string {
	for _, u := range units {
		for _, pair := range [...][2]string{{u.a, u.b}, {u.b, u.a}} {
			of := regexp.MustCompile(`(\d[\d,.]*[ -]?)` + pair[0] + `(s?)\b`)
			if of.MatchString(text) {
				return of.ReplaceAllString(text, "${1}"+pair[1]+"$2")
			}
		}
	}
	if strings.Contains(text, "$") {
		return strings.ReplaceAll(text, "$", "€")
	}
	return text
}
