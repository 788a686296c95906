package quote

import (
	"strings"
	"sync"

	"parley/text/language"
)

var (
	// measures are English words that ask with "how" before them, and say nothing then.
	measures = wordSet(`big deep early far fast heavy high large late long many much often old small soon tall wide`)
	// takes are words that ask how long something takes.
	takes = wordSet(`take takes taking`)
	// moving are English words that mean to return something, with "back" after them.
	moving = wordSet(`bring give hand send ship take`)
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// alike has the English words that mean the same as a word.
var alike = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, group := range language.English.Lines("alike") {
		for word := range strings.FieldsSeq(group) {
			all[word] = append(all[word], strings.Fields(group)...)
		}
	}
	return all
})
