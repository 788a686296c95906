package suggest

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
)

var (
	// phrase is a noun or a few, such as "Warranty of the ProMax".
	phrase = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}'’&-]*( [\p{L}\p{N}&][\p{L}\p{N}'’&-]*){0,5}$`)
	// clause has a verb or a pronoun, and so is no noun.
	clause = regexp.MustCompile(`(?i)\b(is|are|was|were|can|can't|cannot|must|should|will|won't|do|does|don't|has|have|we|you|i|if|when|which|who|it|they|them|this|that|these|those|here|there|to know)\b`)
	// noNoun are words that no noun begins with, if another word follows.
	noNoun = language.English.List("no_nouns")
)

// notAlone are words that are no nouns if none follows, and behindParticiples what follows
// those: "Damaged in transit".
var notAlone, behindParticiples = language.English.List("not_alone"), language.English.List("behind_participles")

// interrogatives begin questions.
var interrogatives = regexp.MustCompile(`(?i)^(who|what|when|where|which|whose|why|how|is|are|do|does|did|can|could|may|will|would|should|was|were|have|has)\b`)

// shortText is a length, in bytes, below which a text says nothing of its language.
const shortText = 200

// ask makes a question of a heading, or none where no person would ask so. What may have a
// capital that it should not have comes as late as what is made of a title.
func ask(heading string, size int, in language.Code, w wording) (question string, kind int) {
	heading = strings.TrimRight(heading, ".:!;, ")
	if in == "" && size < shortText && isASCII(heading) {
		in = language.English
	}
	if in == "" || !phrase.MatchString(heading) {
		return "", made
	}
	if in != language.English {
		if len(strings.Fields(heading)) > mostWords || utf8.RuneCountInString(heading) > mostPhrase || beginsAsking(heading, in) && !hasUnspaced(heading) {
			return "", made
		}
		return strings.ReplaceAll(language.PhrasesIn(in).About, "{subject}", heading), made
	}
	if question := w.askedByForm(heading); question != "" {
		return question, natural
	}
	if clause.MatchString(heading) {
		return "", made
	}
	first, _, _ := strings.Cut(heading, " ")
	subject, isKnown := w.within(heading, isGerund(first))
	switch {
	case w.isAct(heading):
		return "How does " + toAsker(subject) + " work?", made
	case !isNoun(heading):
		return "", made
	case !isKnown:
		return "What should I know about " + toAsker(subject) + "?", ofTitle
	}
	return "What should I know about " + toAsker(subject) + "?", made
}

// mostWords and mostPhrase, in characters, are how long a phrase is in languages whose
// verbs are not known.
const mostWords, mostPhrase = 4, 40

// isNoun reports whether an English heading may be a noun with what belongs to it.
func isNoun(heading string) bool {
	first, rest, _ := strings.Cut(heading, " ")
	second, _, _ := strings.Cut(rest, " ")
	if !phrase.MatchString(heading) || clause.MatchString(heading) || articles[second] {
		return false
	}
	if rest == "" {
		return !notAlone[strings.ToLower(first)]
	}
	return !noNoun[strings.ToLower(first)] && !(strings.HasSuffix(first, "ed") && behindParticiples[second])
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// What first sentences say, and what they answer.
var (
	opens  = regexp.MustCompile(`^(We|Our|The)( [a-z][a-z'’-]*){0,3}? (open|opens|are open|is open)\b.*\b(at|from|between|until|\d)`)
	costs  = regexp.MustCompile(`^((?:An?|The|Our) [a-z][a-z' -]{2,40}?) (costs?|is priced at) [^a-z]{0,3}(\d|free|nothing|about|from)`)
	lasts  = regexp.MustCompile(`^((?:An? )?[A-Za-z][a-z][a-z' -]{2,40}?) (takes?) (?:about |around |up to |at most |between |usually )?(\d|one|two|three|four|five|six|seven|eight|nine|ten|an?\b)`)
	isThis = regexp.MustCompile(`^((?:The )?[A-Z][\p{L}\p{N}.-]*(?: [A-Z][\p{L}\p{N}.-]*){0,3}) (is|are) (an?|the|our|your) \p{L}`)
	// pronouns stand for what is not named.
	pronouns = regexp.MustCompile(`^(It|This|That|These|Those|There|Here|He|She|They|We|You|I|If|When|What|Which|Who|All|Each|Every|Both|Most|Some|Any|One|No|Not|Please|Note|Yes)\b`)
)

// answered is the question that a first sentence answers, or empty.
func answered(sentence string) string {
	if pronouns.MatchString(sentence) && !strings.HasPrefix(sentence, "We ") {
		return ""
	}
	if opens.MatchString(sentence) {
		return "When are you open?"
	}
	if match := costs.FindStringSubmatch(sentence); match != nil && !clause.MatchString(match[1]) {
		verb := "does "
		if match[2] == "cost" {
			verb = "do "
		}
		return "How much " + verb + small(match[1]) + " cost?"
	}
	if match := lasts.FindStringSubmatch(sentence); match != nil && !clause.MatchString(match[1]) {
		verb := "does "
		if match[2] == "take" {
			verb = "do "
		}
		return "How long " + verb + small(match[1]) + " take?"
	}
	if match := isThis.FindStringSubmatch(sentence); match != nil {
		subject := match[1]
		if strings.HasPrefix(subject, "The ") {
			subject = small(subject)
		}
		return "What " + match[2] + " " + subject + "?"
	}
	return ""
}

// small begins a text with a small letter.
func small(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(r)) + text[size:]
}

// dangling words point to what was said before.
var dangling = regexp.MustCompile(`(?i)\b(this|that|these|those|he|she|above|below|following)\b`)
