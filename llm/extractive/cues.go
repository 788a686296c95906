package extractive

import "strings"

// cues are what the small words of a question say about its answer.
type cues struct {
	// number says that the question asks for a number, a time or a price.
	number bool
	// negated says that it asks what is not so.
	negated bool
}

func cuesOf(question string) cues {
	return cues{hasAny(question, quantities), hasAny(question, negations)}
}

// quantities are words of questions that ask for a number, a time or a price.
var quantities = wordSet(`many much long old far often tall high big when cost costs price prices fee fees phone number date
wann viel viele lange kostet kosten preis combien quand prix coûte coûtent cuánto cuánta cuántos cuándo precio cuesta quanto quando prezzo costa hoeveel wanneer`)

// negations are words that deny. "Don't" is read as "don" and "t".
var negations = wordSet(`not cannot never don doesn isn aren won nicht kein keine keinen pas jamais nunca niet geen`)

func hasAny(text string, words map[string]bool) bool {
	has := false
	eachWord(text, func(word []byte) { has = has || words[string(word)] })
	return has
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }
