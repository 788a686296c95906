package language

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cue is what a word does to what its sentence claims.
type Cue uint8

// The cues.
const (
	NoCue Cue = iota
	// Denies is "not", "no", "never".
	Denies
	// Excepts is "without", "except", "unless": it denies what stands behind it, and
	// a second denial takes it back.
	Excepts
	// Restricts is "only".
	Restricts
	// Hints is a word that may say the same as one of the others, such as "unable".
	Hints
	// Idle is a phrase in which such a word does nothing: "not only".
	Idle
	// Parts begins another clause: "but", "if".
	Parts
)

// Side says where the words stand that a cue belongs to.
type Side uint8

// The sides.
const (
	Behind Side = iota
	Before
	Around
)

// Cues are the words of a language that change what a sentence claims, and those that make
// a quantity of a number. Words are folded: see [Fold].
type Cues struct {
	Side Side
	// Comma says that a comma stands before decimals, and Spaces that a space may stand
	// between thousands.
	Comma, Spaces bool

	cues     lexicon[Cue]
	endings  []ending
	measures lexicon[string]
	numbers  lexicon[int]
	months   map[string]int
}

type ending struct {
	text string
	cue  Cue
}

// CuesIn returns the cues of a language, or the English ones if the language is not known.
// In words, an underscore is a space, and ^ begins one that is no part of a longer one.
func CuesIn(code Code) *Cues { return cues(code.OrEnglish()) }

// cueNames are the names of lines that hold cues. In this order the first one has a word
// that several hold.
var cueNames = []struct {
	name string
	cue  Cue
}{{"idle", Idle}, {"not", Denies}, {"without", Excepts}, {"only", Restricts}, {"soft", Hints}, {"break", Parts}}

var cues = Once(func(code Code) *Cues {
	c := &Cues{months: map[string]int{}}
	lines := maps.Collect(code.Named("cues"))
	c.Side = map[string]Side{"after": Behind, "before": Before, "both": Around}[lines["side"]]
	c.Comma = lines["decimal"] == ","
	c.Spaces = lines["groups"] == "spaces"
	for _, line := range cueNames {
		for _, word := range strings.Fields(lines[line.name]) {
			c.cues.add(word, line.cue)
		}
	}
	for name, cue := range map[string]Cue{"not_endings": Denies, "without_endings": Excepts} {
		for _, word := range strings.Fields(lines[name]) {
			c.endings = append(c.endings, ending{Fold(word), cue})
		}
	}
	slices.SortFunc(c.endings, func(a, b ending) int { return len(b.text) - len(a.text) })
	c.addNumbers(lines)
	for name, words := range code.Named("cues") {
		if !settings[name] {
			for _, word := range strings.Fields(words) {
				c.measures.add(word, name)
			}
		}
	}
	return c
})

// settings are the names of lines that hold no units.
var settings = map[string]bool{
	"side": true, "decimal": true, "groups": true, "not": true, "not_endings": true, "without": true, "without_endings": true, "only": true, "soft": true,
	"idle": true, "break": true, "months": true, "numbers": true, "tens": true,
}

// addNumbers reads words in the order of their numbers, with a bar between different words
// of one number.
func (c *Cues) addNumbers(lines map[string]string) {
	each := func(name string, visit func(place int, word string)) {
		for place, words := range strings.Fields(lines[name]) {
			for _, word := range strings.Split(words, "|") {
				visit(place, word)
			}
		}
	}
	each("numbers", func(place int, word string) { c.numbers.add(word, place) })
	each("tens", func(place int, word string) { c.numbers.add(word, 20+10*place) })
	each("months", func(place int, word string) { c.months[Fold(word)] = place + 1 })
}

// Of returns the cue of the phrase that words, folded, begin with, and of how many of them
// it is.
func (c *Cues) Of(words []string) (cue Cue, length int) {
	if cue, length = c.cues.words(words); length > 0 || len(words) == 0 {
		return cue, length
	}
	for _, e := range c.endings {
		if len(words[0]) > len(e.text) && strings.HasSuffix(words[0], e.text) {
			return e.cue, 1
		}
	}
	return NoCue, 0
}

// Within is Of for a text without spaces between its words. The length is in bytes.
// Begins says that nothing of its run of letters stands before.
func (c *Cues) Within(text string, begins bool) (cue Cue, length int) {
	return c.cues.within(text, begins)
}

// Measure returns the unit, or the factor such as "million", that words begin with.
func (c *Cues) Measure(words []string) (unit string, length int) { return c.measures.words(words) }

// MeasureWithin is Measure for a text without spaces between its words.
func (c *Cues) MeasureWithin(text string) (unit string, length int) {
	return c.measures.within(text, false)
}

// Number returns the number that a word, folded, is a name of.
func (c *Cues) Number(word string) (digits string, ok bool) {
	number, ok := c.numbers.phrases[word]
	return strconv.Itoa(number), ok
}

// NumberWithin is Number for the beginning of a text without spaces between its words.
func (c *Cues) NumberWithin(text string) (digits string, length int) {
	number, length := c.numbers.within(text, false)
	return strconv.Itoa(number), length
}

// Month returns the number of the month that a word, folded, is a name of, or zero.
func (c *Cues) Month(word string) int { return c.months[word] }

// lexicon has values of phrases.
type lexicon[V any] struct {
	phrases map[string]V
	// alone are those that are no part of a longer word, and first the words that
	// phrases of several begin with.
	alone, first map[string]bool
	// most is how many words the longest has, and longest how many bytes.
	most, longest int
}

func (l *lexicon[V]) add(word string, value V) {
	if l.phrases == nil {
		l.phrases, l.alone, l.first = map[string]V{}, map[string]bool{}, map[string]bool{}
	}
	word, alone := strings.CutPrefix(word, "^")
	phrase := Fold(strings.ReplaceAll(word, "_", " "))
	if strings.Contains(word, "_") { // folding drops spaces of words with accents
		parts := strings.Split(word, "_")
		for i := range parts {
			parts[i] = Fold(parts[i])
		}
		phrase = strings.Join(parts, " ")
		l.first[parts[0]] = true
	}
	if _, there := l.phrases[phrase]; there {
		return
	}
	l.phrases[phrase], l.alone[phrase] = value, alone
	l.most = max(l.most, strings.Count(phrase, " ")+1)
	l.longest = max(l.longest, len(phrase))
}

func (l *lexicon[V]) words(words []string) (value V, length int) {
	if len(words) == 0 {
		return value, 0
	}
	if l.first[words[0]] {
		for n := min(l.most, len(words)); n > 1; n-- {
			if found, ok := l.phrases[strings.Join(words[:n], " ")]; ok {
				return found, n
			}
		}
	}
	if found, ok := l.phrases[words[0]]; ok {
		return found, 1
	}
	return value, 0
}

func (l *lexicon[V]) within(text string, begins bool) (value V, length int) {
	for n := min(l.longest, len(text)); n > 0; n-- {
		if n < len(text) && !utf8.RuneStart(text[n]) {
			continue
		}
		found, ok := l.phrases[text[:n]]
		if !ok || l.alone[text[:n]] && (!begins || n < len(text) && text[n] != ' ') {
			continue
		}
		return found, n
	}
	return value, 0
}
