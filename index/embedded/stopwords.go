package embedded

import "strings"

// stopWords are English words that say nothing about what a question is about.
// Common words of other languages are left to BM25, which weighs them low.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		a about after all also am an and any are as at be because been but by
		can could d did do does doing don for from had has have having he her
		here him his how i if in into is it its just let like ll m may me might
		more most my no not of on or our please re s she should so some such t
		tell than that the their them then there these they this those to up us
		ve was we were what when where which while who whom why will with would
		you your`) {
		set[word] = true
	}
	return set
}()

func isStopWord(term string) bool { return stopWords[term] }
