package browse

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// topics are what people ask about headings that many documents have. A question
// has a word of its heading, by which a search without a model finds it.
var topics = func() map[string]string {
	questions := map[string]string{}
	for _, line := range strings.Split(`When are you open?|opening hours|opening times
What are your business hours?|hours|business hours
What are your office hours?|office hours
What are your hours of operation?|hours of operation|operating hours
How can I contact you?|contact|contact us|contact details|contacting us
What is your address?|address|our address
What is your location?|location|our location
What are your locations?|locations|our locations
Where can I find you?|how to find us|where to find us|find us
Which payment methods are there?|payment|payments|payment methods|payment options
How can I pay?|how to pay
What are the prices?|prices|our prices|price list
How does pricing work?|pricing
What are the costs?|costs
What are the fees?|fees
What are the rates?|rates
How does delivery work?|delivery
How long are delivery times?|delivery times
How does shipping work?|shipping
How do shipping and delivery work?|shipping and delivery|shipping & delivery
How do returns work?|returns|return policy|returns policy|returning goods
How do refunds work?|refunds|refund policy
How do returns and refunds work?|returns and refunds|refunds and returns
How does cancellation work?|cancellation|cancellations|cancellation policy
What does the warranty cover?|warranty
What does the guarantee cover?|guarantee
Where can I park?|parking|car park
How do I get started?|getting started|get started
What are the requirements?|requirements
What are the system requirements?|system requirements
How does the installation work?|installation
How do I sign in?|signing in|sign in
How do I log in?|logging in|log in|login`, "\n") {
		question, headings, _ := strings.Cut(line, "|")
		for _, heading := range strings.Split(headings, "|") {
			questions[heading] = question
		}
	}
	return questions
}()

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

// ask makes a question of a heading, where English knows a natural one. It is not
// good where the heading can only be quoted.
func ask(heading, text string) (question string, good bool) {
	heading = strings.TrimRight(heading, ".:!;, ")
	if question, known := topics[strings.ToLower(strings.ReplaceAll(heading, "’", "'"))]; known {
		return question, true
	}
	quoted := "What does it say about “" + strings.TrimRight(heading, "?") + "”?"
	if !inEnglish(text) {
		return quoted, false
	}
	if match := howTo.FindStringSubmatch(heading); match != nil {
		return "How do I " + uncapitalized(match[1], text, true) + "?", true
	}
	if !phrase.MatchString(heading) || clause.MatchString(heading) {
		return quoted, false
	}
	first, rest, _ := strings.Cut(heading, " ")
	if gerund.MatchString(first) && !notGerunds.MatchString(first) && rest != "" {
		return "How does " + uncapitalized(heading, text, true) + " work?", true
	}
	return "What should I know about " + uncapitalized(heading, text, false) + "?", true
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

// english are words that no English text of some length goes without.
var english = regexp.MustCompile(`(?i)\b(the|and|of|is|are|to|we|you|your|for|with|this)\b`)

// shortText is a length, in bytes, below which a text says nothing of its language.
const shortText = 200

func inEnglish(text string) bool {
	return len(text) < shortText || len(english.FindAllStringIndex(text, 3)) == 3
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

// firstSentence is that of a section: what stands below its headings, or empty if
// that is no sentence.
func firstSentence(text string) string {
	for _, line := range strings.Split(fenced.ReplaceAllString(text, ""), "\n") {
		line = strings.TrimSpace(marks.Replace(links.ReplaceAllString(line, "$1")))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if match := sentence.FindString(line); match != "" && len(match) <= mostSentence {
			return match
		}
		return ""
	}
	return ""
}

// sentence ends with a full stop before a space or the end.
var sentence = regexp.MustCompile(`^[A-Z].*?[.!](?:\s|$)`)

const mostSentence = 300

// selfContained reports whether a heading asks something that is understood
// without what stands around it: "Which lock?" is not.
func selfContained(question string) bool {
	return interrogatives.MatchString(question) && len(strings.Fields(question)) >= 4 && !dangling.MatchString(question)
}

// dangling words point to what was said before.
var dangling = regexp.MustCompile(`(?i)\b(this|that|these|those|he|she|above|below|following)\b`)
