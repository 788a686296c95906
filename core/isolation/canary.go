package isolation

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"parley/internal/id"
)

// Canary is a text of a throw-away workspace. Its call is a word to search for, which a
// request may have. Its secret is in no request, so an answer to somebody else that has it
// comes from where it must not.
type Canary struct{ Place, Call, Secret string }

// secretLen is how many letters of a secret follow the tag.
const secretLen = 8

// Finder finds one workspace's data in answers.
type Finder struct {
	tag   string
	words *regexp.Regexp
	// numbers are the public identifiers of rows that have numbers.
	numbers []string
}

func newFinder(tag string, numbers []string) *Finder {
	return &Finder{tag, regexp.MustCompile(`[a-z0-9_]*` + tag + `[a-z0-9]*`), numbers}
}

// In returns the workspace's data in an answer that was not part of the request.
func (f *Finder) In(answer, sent string) (found []string) {
	answer, sent = strings.ToLower(answer), strings.ToLower(sent)
	if strings.Contains(answer, f.tag) {
		found = f.words.FindAllString(answer, -1)
	}
	for _, number := range f.numbers {
		if strings.Contains(answer, number) {
			found = append(found, number)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return slices.DeleteFunc(found, func(word string) bool { return strings.Contains(sent, word) })
}

// words makes the canaries of a workspace.
type words struct {
	random io.Reader
	tag    string
	made   []Canary
}

func (w *words) add(place, call string) Canary {
	c := Canary{Place: place, Call: call, Secret: w.tag + id.NewTag(w.random)[:secretLen]}
	w.made = append(w.made, c)
	return c
}
