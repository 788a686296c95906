package quote

import (
	"strings"
	"sync"

	"parley/text/language"
)

var (
	// measures are English words that ask with "how" before them, and say nothing then.
	measures = language.English.List("measures")
	// takes are words that ask how long something takes.
	takes = language.English.List("takes")
	// moving are English words that mean to return something, with "back" after them.
	moving = language.English.List("moving")
)

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
