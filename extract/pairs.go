package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
	"parley/internal/separated"
)

// pair is a question with its answer.
type pair struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// readPairs reads questions and answers: a CSV with the columns question and
// answer, a JSON array of objects with these names, or one object per line
// (JSON Lines). Each question becomes a heading with its answer below.
func readPairs(doc *document.Document, in Input) error {
	text, err := document.Decode(in.Body, in.ContentType, "")
	if err != nil {
		return err
	}
	next := pairsOf(text)
	if next == nil {
		return fault.New(fault.Invalid, "This file holds no questions and answers. Add a CSV file with the columns question and answer, or JSON objects with these names.")
	}
	found := false
	for n := 1; doc.Err == nil; n++ {
		p, err := next()
		if errors.Is(err, io.EOF) {
			if !found {
				return fault.New(fault.Invalid, "This file holds no question with its answer. Add a CSV file with the columns question and answer, or JSON objects with these names.")
			}
			return nil
		}
		if err != nil {
			return fault.Wrap(fault.Invalid, err, "Parley cannot read question %d of this file. Correct it, and add the file again.", n)
		}
		if n > doc.Limits.Rows {
			return fault.New(fault.TooLarge, "This file has more than %s. Split it, and add its parts.", document.Count(doc.Limits.Rows, "question"))
		}
		if document.Line(p.Question) == "" || document.Line(p.Answer) == "" {
			doc.Notes.Add(knowledge.NoteRow, 1)
			continue
		}
		found = true
		doc.Heading(2, document.Escape(document.Line(p.Question)))
		doc.Block(strings.TrimSpace(p.Answer))
	}
	return doc.Err
}

// isPairs reports whether the start of a text holds questions and answers.
func isPairs(in Input) bool {
	start := in.Body
	if cut := bytes.IndexByte(start[min(len(start), 64<<10):], '\n'); cut >= 0 {
		start = start[:64<<10+cut]
	}
	text, err := document.Decode(start, in.ContentType, "")
	if err != nil {
		return false
	}
	next := pairsOf(text)
	if next == nil {
		return false
	}
	p, err := next()
	return err == nil && p.Question != "" && p.Answer != ""
}

// pairsOf returns a function that reads one pair after another until [io.EOF], or
// nil if the text cannot hold pairs.
func pairsOf(text string) func() (pair, error) {
	switch start := strings.TrimLeft(text, " \t\r\n"); {
	case strings.HasPrefix(start, "["):
		return arrayPairs(start[1:])
	case strings.HasPrefix(start, "{"):
		lines := json.NewDecoder(strings.NewReader(start))
		return func() (p pair, err error) { return p, lines.Decode(&p) }
	}
	return csvPairs(text)
}

// arrayPairs reads the elements of an array one at a time.
func arrayPairs(text string) func() (pair, error) {
	elements := json.NewDecoder(strings.NewReader("[" + text))
	if _, err := elements.Token(); err != nil {
		return nil
	}
	return func() (p pair, err error) {
		if !elements.More() {
			return p, io.EOF
		}
		return p, elements.Decode(&p)
	}
}

func csvPairs(text string) func() (pair, error) {
	text, comma := delimiter(text, false)
	rows := separated.New(text, comma, document.MaxColumns+1)
	question, answer := -1, -1
	for range headOf(text, comma).before + 1 {
		header, _, ok := rows.Next()
		if !ok || len(header) > document.MaxColumns {
			return nil
		}
		if question, answer = pairColumns(header); question >= 0 && answer >= 0 {
			break
		}
	}
	if question < 0 || answer < 0 {
		return nil
	}
	return func() (pair, error) {
		cells, _, ok := rows.Next()
		if !ok {
			return pair{}, io.EOF
		}
		if len(cells) <= max(question, answer) {
			return pair{}, nil
		}
		return pair{cells[question], cells[answer]}, nil
	}
}

// pairColumns returns which columns hold the questions and the answers, or -1.
func pairColumns(header []string) (question, answer int) {
	question, answer = -1, -1
	for i, name := range header {
		switch strings.ToLower(document.Line(name)) {
		case "question":
			question = i
		case "answer":
			answer = i
		}
	}
	return question, answer
}
