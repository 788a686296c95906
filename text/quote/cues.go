package quote

import (
	"regexp"
	"strings"

	"parley/text/language"
	"parley/text/language/kinds"
)

// cues are what the small words of a question say about its answer.
type cues struct {
	// number says that the question asks for a number, a time or a price.
	number bool
	// negated says that it asks what is not so.
	negated bool
	// defines says that it asks what something is.
	defines bool
	// acts says that it asks how something is done.
	acts bool
	// wants is what kind of answer it asks for, if that is clear.
	wants wanted
	// inflected says that the question is in another language than English, and kinds are
	// its language's.
	inflected bool
	kinds     *kinds.Kinds
}

// wanted is a kind of answer that can be told by how it is written.
type wanted = kinds.Kind

const (
	anything = kinds.Anything
	price    = kinds.Price
	duration = kinds.Duration
	moment   = kinds.Moment
	distance = kinds.Distance
	phone    = kinds.Phone
	email    = kinds.Email
	place    = kinds.Place
)

func cuesOf(question string, wants wanted) cues {
	return cues{number: hasAny(question, quantities), negated: denies(question), wants: wants, acts: acting.MatchString(question), defines: definitions.MatchString(question)}
}

// quantities are words of questions that ask for a number, a time or a price.
var quantities = language.InAny("quantities")

// negations are words that deny. "Don't" is read as "don" and "t".
var negations = language.InAny("negations")

// denies reports whether a question asks what is not so: not "Can I return what I don't like?"
func denies(question string) bool {
	return hasAny(question, negations) && hasAny(disliking.ReplaceAllString(question, " "), negations)
}

// disliking says what somebody thinks of a thing, and not what is not so.
var disliking = regexp.MustCompile(`(?i)\b(?:i|we) (?:don['’]?t|didn['’]?t|do not|did not) (?:like|want|need|use)\b`)

// acting asks how something is done.
var acting = regexp.MustCompile(`(?i)\bhow (?:do|can|could|should|would|must) (?:i|we|you|one)\b|\bhow to\b`)

// definitions ask what something is, in a few words.
var definitions = regexp.MustCompile(`(?i)^\s*what(?:'s|’s| is| are| does) (?:an? |the )?(?:\S+ ){0,2}\S+\s*$`)

// fits reports whether a text may be an answer of the kind that is wanted.
func (c cues) fits(text string) bool {
	return c.wants != anything && c.kinds.Fits(c.wants, text)
}

// address is a number and a name, of which the last word may be "Street".
var address = regexp.MustCompile(`\b[0-9]+[a-z]?,? (?:[A-Z][\w.'’-]* ){1,3}(?i:street|st|avenue|ave|road|rd|square|lane|boulevard|blvd|drive|way|court|place|quay|parade|row)\b`)

// asksPrice reports whether a question asks what something costs without saying so: "How
// much is it?", and not "How much oil does it need?".
func asksPrice(question string) bool {
	before, found := "", false
	eachWord(question, func(word []byte) {
		found = found || before == "how much" && verbsOfPrice[string(word)]
		if before == "how" && string(word) == "much" {
			before = "how much"
		} else {
			before = string(word)
		}
	})
	return found
}

var verbsOfPrice = language.English.List("verbs_of_price")

func hasAny(text string, words map[string]bool) bool {
	has := false
	eachWord(text, func(word []byte) { has = has || words[string(word)] })
	return has
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }
