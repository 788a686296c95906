package suggest

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/core/language"
)

var (
	howTo = regexp.MustCompile(`^(?i:how to)\s+(.+)$`)
	// gerund begins headings such as "Selling your bike".
	gerund = regexp.MustCompile(`^[A-Z]?[a-z]{2,}ing$`)
	// notGerunds end like one.
	notGerunds = regexp.MustCompile(`(?i)^(king|ring|spring|string|thing|nothing|something|everything|anything|wing|evening|morning|during|ceiling|pudding|wedding|building|clothing|housing|meeting|training|parking|being|according|including)$`)
	// phrase is a noun or a few, such as "Warranty of the ProMax".
	phrase = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}'’&-]*( [\p{L}\p{N}&][\p{L}\p{N}'’&-]*){0,5}$`)
	// clause has a verb, and so is no noun.
	clause = regexp.MustCompile(`(?i)\b(is|are|was|were|can|can't|cannot|must|should|will|won't|do|does|don't|has|have|we|you|i|if|when|which|who)\b`)
)

// interrogatives begin questions.
var interrogatives = regexp.MustCompile(`(?i)^(who|what|when|where|which|whose|why|how|is|are|do|does|did|can|could|may|will|would|should|was|were|have|has)\b`)

// shortText is a length, in bytes, below which a text says nothing of its language.
const shortText = 200

// ask makes a question of a heading, or none where no person would ask so.
func ask(heading, text string, in language.Code) string {
	heading = strings.TrimRight(heading, ".:!;, ")
	if in == "" && len(text) < shortText && isASCII(heading) {
		in = language.English
	}
	if in == "" || !phrase.MatchString(heading) {
		return ""
	}
	if in != language.English {
		if len(strings.Fields(heading)) > mostWords || utf8.RuneCountInString(heading) > mostPhrase || beginsAsking(heading, in) && !hasUnspaced(heading) {
			return ""
		}
		return strings.ReplaceAll(language.PhrasesIn(in).About, "{subject}", heading)
	}
	if match := howTo.FindStringSubmatch(heading); match != nil {
		return "How do I " + uncapitalized(match[1], text, true) + "?"
	}
	if clause.MatchString(heading) {
		return ""
	}
	first, rest, _ := strings.Cut(heading, " ")
	if gerund.MatchString(first) && !notGerunds.MatchString(first) && rest != "" {
		return "How does " + uncapitalized(heading, text, true) + " work?"
	}
	return "What should I know about " + uncapitalized(heading, text, false) + "?"
}

// mostWords and mostPhrase, in characters, are how long a phrase is in languages whose
// verbs are not known.
const mostWords, mostPhrase = 4, 40

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// uncapitalized is a heading within a sentence: its first word begins small if it
// is known to be no name, or if the text has it so.
func uncapitalized(heading, text string, noName bool) string {
	first, rest, _ := strings.Cut(heading, " ")
	if small := strings.ToLower(first); utf8.RuneCountInString(first) > 1 && first != strings.ToUpper(first) && isCapitalized(first) && (noName || hasWord(text, small)) {
		return strings.TrimSpace(small + " " + rest)
	}
	return heading
}

// isCapitalized says that a word is small but for its first letter.
func isCapitalized(word string) bool {
	_, size := utf8.DecodeRuneInString(word)
	return !strings.ContainsFunc(word[size:], unicode.IsUpper)
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

func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
		at = end
	}
}
