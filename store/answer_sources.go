package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/core/chat"
)

// answerSource is a [chat.Source] as a column of JSON keeps it. Its names are
// short, since every answer has several of them.
type answerSource struct {
	Number      int      `json:"n"`
	Cited       bool     `json:"c,omitempty"`
	DocumentID  string   `json:"d"`
	Title       string   `json:"t,omitempty"`
	URL         string   `json:"u,omitempty"`
	Place       string   `json:"p,omitempty"`
	HeadingPath []string `json:"h,omitempty"`
	Start       int      `json:"s,omitempty"`
	End         int      `json:"e,omitempty"`
	ContentHash string   `json:"x,omitempty"`
	Version     int      `json:"v,omitempty"`
}

// sourcesJSON is empty where there are no sources.
func sourcesJSON(sources []chat.Source) string {
	if len(sources) == 0 {
		return ""
	}
	kept := make([]answerSource, len(sources))
	for i, source := range sources {
		kept[i] = answerSource(source)
	}
	text, err := json.Marshal(kept)
	if err != nil {
		panic(err) // of numbers, texts and lists of them there is none
	}
	return string(text)
}

// parseSources reads what sourcesJSON wrote.
func parseSources(text string) ([]chat.Source, error) {
	if text == "" {
		return nil, nil
	}
	var kept []answerSource
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, fmt.Errorf("reading the sources of an answer: %w", err)
	}
	sources := make([]chat.Source, len(kept))
	for i, source := range kept {
		sources[i] = chat.Source(source)
	}
	return sources, nil
}

// documentsOf are the documents of sources, each once.
func documentsOf(sources []chat.Source) []string {
	ids := make([]string, 0, len(sources))
	for _, source := range sources {
		if !slices.Contains(ids, source.DocumentID) {
			ids = append(ids, source.DocumentID)
		}
	}
	return ids
}

// spaced puts each word between spaces, so that one can be looked for.
func spaced(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ") + " "
}
