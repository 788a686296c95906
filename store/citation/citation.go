// Package citation is how a JSON column stores the citations of an answer.
package citation

import (
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"parley/core/answer"
	"parley/store"
)

// column is an [answer.Citation] as a JSON column stores it; its place in
// the list is its number. Every answer has several, and their length delays the
// end of an answer. So the names are short, a hash is base64, and a title that
// is also the first heading is stored once.
type column struct {
	Cited       bool     `json:"c,omitempty"`
	Score       float64  `json:"r,omitempty"`
	DocumentID  string   `json:"d"`
	Title       string   `json:"t,omitempty"`
	IsHeading   bool     `json:"i,omitempty"` // the title is the first heading
	URL         string   `json:"u,omitempty"`
	Place       string   `json:"p,omitempty"`
	HeadingPath []string `json:"h,omitempty"`
	Start       int      `json:"s,omitempty"`
	End         int      `json:"e,omitempty"`
	ContentHash []byte   `json:"x,omitempty"`
	Version     int      `json:"v,omitempty"`
	Ordinal     int      `json:"o,omitempty"`
}

func columnOf(s answer.Citation) column {
	hash, err := hex.DecodeString(s.ContentHash)
	if err != nil {
		hash = nil // better an answer without it than no answer
	}
	kept := column{
		Cited: s.Cited, Score: float64(float32(s.Score)), DocumentID: s.DocumentID, Title: s.Title, URL: s.URL, Place: s.Place, HeadingPath: s.HeadingPath,
		Start: s.Start, End: s.End, ContentHash: hash, Version: s.Version, Ordinal: s.Ordinal,
	}
	if len(s.HeadingPath) > 0 && s.HeadingPath[0] == s.Title {
		kept.Title, kept.IsHeading = "", true
	}
	return kept
}

func (s *column) source(number int) answer.Citation {
	source := answer.Citation{
		Number: number, Cited: s.Cited, Score: s.Score, DocumentID: s.DocumentID, Title: s.Title, URL: s.URL, Place: s.Place, HeadingPath: s.HeadingPath,
		Start: s.Start, End: s.End, ContentHash: hex.EncodeToString(s.ContentHash), Version: s.Version, Ordinal: s.Ordinal,
	}
	if s.IsHeading && len(source.HeadingPath) > 0 {
		source.Title = source.HeadingPath[0]
	}
	return source
}

// In is where a column with the sources of an answer goes.
func In(into *[]answer.Citation) sql.Scanner {
	return store.Taking[string](func(sources sql.Null[string]) (err error) {
		*into, err = FromColumn(sources.V)
		return err
	})
}

// ToColumn is empty where there are no sources.
func ToColumn(sources []answer.Citation) string {
	if len(sources) == 0 {
		return ""
	}
	kept := make([]column, len(sources))
	for i, source := range sources {
		kept[i] = columnOf(source)
	}
	text, err := json.Marshal(kept)
	if err != nil {
		panic(err) // of numbers, texts and lists of them there is none
	}
	return string(text)
}

// FromColumn reads what ToColumn wrote.
func FromColumn(text string) ([]answer.Citation, error) {
	if text == "" {
		return nil, nil
	}
	var kept []column
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, fmt.Errorf("reading the sources of an answer: %w", err)
	}
	sources := make([]answer.Citation, len(kept))
	for i := range kept {
		sources[i] = kept[i].source(i + 1)
	}
	return sources, nil
}

// CitedIn reads of what ToColumn wrote only what the statistics count: the
// documents that the answer cites, with their titles and headings. The roller
// does so for every answer, and this takes a quarter of the time of FromColumn.
func CitedIn(text string) (cited []answer.Citation) {
	gjson.Parse(text).ForEach(func(_, source gjson.Result) bool {
		if !source.Get("c").Bool() {
			return true
		}
		c := column{Cited: true, DocumentID: source.Get("d").String(), Title: source.Get("t").String(), IsHeading: source.Get("i").Bool()}
		for _, heading := range source.Get("h").Array() {
			c.HeadingPath = append(c.HeadingPath, heading.String())
		}
		cited = append(cited, c.source(len(cited)+1))
		return true
	})
	return cited
}
