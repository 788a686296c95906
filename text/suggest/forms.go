package suggest

import (
	"regexp"
	"strings"

	"parley/text/language"
)

// English headings of these forms say which question they answer.
var (
	// "How to change a tube" and "What to bring".
	howTo   = regexp.MustCompile(`^(?i:how to)\s+(.+)$`)
	whichTo = regexp.MustCompile(`^(?i:(what|who|where|when) to)\s+(.+)$`)
	// "What cannot be returned"; of three words it needs what stands around it.
	subjectless = regexp.MustCompile(`^(?:What|Who) (?:is|are|can|cannot|must|may|will|happens|counts)( [a-z-]+){2,4}$`)
	// "What the warranty does not cover", and "What an inspection includes".
	whatDoes = regexp.MustCompile(`^What ((?:the|an?|our) [a-z' -]+?) (does|do|can|must|may|will)( not)? ([a-z]+)$`)
	whatIts  = regexp.MustCompile(`^What ((?:the|an?) [a-z-]+) ([a-z]+s)$`)
	// "Rotate the secret".
	imperative = regexp.MustCompile(`^([A-Z]?[a-z]{2,}) (the|an?|your|our) (.+)$`)
	articles   = language.English.List("determiners")
	// noOrders are imperatives that nobody needs help with.
	noOrders = language.English.List("no_orders")
	// gerund begins headings such as "Selling your bike".
	gerund = regexp.MustCompile(`^[A-Z]?[a-z]{2,}ing$`)
	// notGerunds end like one.
	notGerunds = regexp.MustCompile(`(?i)^(king|ring|spring|string|thing|nothing|something|everything|anything|wing|evening|morning|during|ceiling|pudding|wedding|building|clothing|housing|meeting|training|parking|being|according|including)$`)
	// abstract words are no names.
	abstract = regexp.MustCompile(`(tion|sion|ment)$`)
)

// leastAbstract is how long such a word is, so that Clement remains a name.
const leastAbstract = 8

func isGerund(word string) bool { return gerund.MatchString(word) && !notGerunds.MatchString(word) }

// askedByForm is the question that a heading of a known form answers, or empty.
func (w wording) askedByForm(heading string) string {
	if unnamed.MatchString(heading) {
		return ""
	}
	if match := howTo.FindStringSubmatch(heading); match != nil {
		return w.howDoI(match[1])
	}
	if match := whichTo.FindStringSubmatch(heading); match != nil {
		return large(match[1]) + " should I " + toAsker(match[2]) + "?"
	}
	if subjectless.MatchString(heading) {
		return heading + "?"
	}
	if match := whatDoes.FindStringSubmatch(heading); match != nil {
		return "What " + match[2] + " " + toAsker(match[1]) + match[3] + " " + match[4] + "?"
	}
	if match := whatIts.FindStringSubmatch(heading); match != nil && !strings.HasSuffix(match[2], "ss") {
		return "What does " + match[1] + " " + withoutS(match[2]) + "?"
	}
	first, rest, _ := strings.Cut(heading, " ")
	if imperative.MatchString(heading) && isOrder(strings.ToLower(first)) && !perUnit.MatchString(heading) {
		return w.howDoI(heading)
	}
	if w.isAct(heading) && !clause.MatchString(heading) {
		if verb := w.verbOf(strings.ToLower(first)); verb != "" {
			return w.howDoI(verb + " " + rest)
		}
	}
	return ""
}

// isOrder reports whether a word before an article may be a verb.
func isOrder(word string) bool {
	isPlural := strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss")
	return !isPlural && !noNoun[word] && !noOrders[word] && !isGerund(word)
}

// perUnit is no verb with an object: "Sale a day".
var perUnit = regexp.MustCompile(`^\S+ an? (second|minute|hour|day|night|week|month|quarter|year|person|head|piece|mile)\b`)

// isAct reports whether a heading begins with a gerund that has an object or a place:
// "Selling your bike" is an act, and "Opening hours" are none.
func (w wording) isAct(heading string) bool {
	first, rest, _ := strings.Cut(heading, " ")
	second, _, _ := strings.Cut(rest, " ")
	return isGerund(first) && (behindActs[strings.ToLower(second)] || isCapitalized(second) && w.isName(strings.ToLower(second)))
}

var behindActs = language.English.List("behind_acts")

// unnamed words stand for what is not named, or mean those who write.
var unnamed = regexp.MustCompile(`(?i)\b(it|we|they|them|this|that|these|those|here|there)\b`)

func (w wording) howDoI(what string) string {
	what, _ = w.within(what, true)
	return "How do I " + toAsker(what) + "?"
}

// withoutS is a verb of the third person without its ending.
func withoutS(verb string) string {
	for _, ending := range []string{"ches", "shes", "sses", "xes", "zes", "oes"} {
		if strings.HasSuffix(verb, ending) {
			return strings.TrimSuffix(verb, "es")
		}
	}
	return strings.TrimSuffix(verb, "s")
}

// verbOf is the verb of a gerund, or empty if neither the texts nor the list of verbs has
// it: "measuring" is of "measure", and "stopping" of "stop".
func (w wording) verbOf(gerund string) string {
	stem := strings.TrimSuffix(gerund, "ing")
	forms := []string{stem, stem + "e"}
	if n := len(stem); n > 2 && stem[n-1] == stem[n-2] {
		forms = []string{stem[:n-1], stem}
	}
	for _, isKnown := range []func(string) bool{func(form string) bool { return verbs[form] }, func(form string) bool { return w.common[form] > 0 }} {
		for _, form := range forms {
			if len(form) > 2 && isKnown(form) {
				return form
			}
		}
	}
	return ""
}

// verbs are what customers and users do.
var verbs = language.English.List("verbs")

// toAsker has what a business says to its customers as these say it: your bike is theirs,
// and "us" is whom they ask.
func toAsker(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if other := asker[strings.ToLower(word)]; other != "" {
			words[i] = other
		}
	}
	return strings.Join(words, " ")
}

var asker = map[string]string{"your": "my", "yours": "mine", "yourself": "myself", "our": "your", "us": "you", "ourselves": "yourselves"}

// large begins a text with a capital.
func large(text string) string { return strings.ToUpper(text[:1]) + strings.ToLower(text[1:]) }
