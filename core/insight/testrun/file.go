package testrun

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/core/fault"
	"parley/internal/plain"
	"parley/internal/separated"
)

// Format is how test questions stand in a file.
type Format string

// The formats: a row, or a line, for each question.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// MaxFile is how many bytes a file of test questions has at most.
const MaxFile = 2 << 20

// ErrTooLarge refuses a larger one.
var ErrTooLarge = &fault.Error{Kind: fault.TooLarge, Field: "file", Message: fmt.Sprintf("The file is larger than %d MiB. Take out what is no question, or import its parts.", MaxFile>>20)}

// columns are the columns of a CSV file, and the field names of a JSON file.
var columns = []string{"question", "expects", "says", "answer", "document"}

// line is a question in a file. Text and Target are what the files of the lab's eval call
// the question and its answer.
type line struct {
	Question string `json:"question"`
	Expects  string `json:"expects"`
	Says     string `json:"says,omitempty"`
	Answer   string `json:"answer,omitempty"`
	Document string `json:"document,omitempty"`
	Text     string `json:"text,omitempty"`
	Target   string `json:"target,omitempty"`
}

func (l line) wanted() Wanted {
	w := Wanted{
		Question: cmp.Or(l.Question, l.Text), Expects: Expectation(strings.ToLower(strings.TrimSpace(l.Expects))), Expected: l.Says,
		Reference: cmp.Or(l.Answer, l.Target), Document: l.Document,
	}
	if w.Expects == "" {
		w.Expects = AnAnswer
		if strings.TrimSpace(w.Expected) != "" {
			w.Expects = AText
		}
	}
	return w
}

func lineOf(w Wanted) line {
	return line{Question: w.Question, Expects: string(w.Expects), Says: w.Expected, Answer: w.Reference, Document: w.Document}
}

// maxInFile is how many questions a file has at most, and maxColumns how many columns are
// looked at.
const (
	maxInFile  = 5_000
	maxColumns = 100
)

// Read reads questions from a file: JSON Lines if it begins with a brace, a JSON list if it
// begins with a bracket, otherwise CSV with a row of names, with commas, semicolons or
// tabs.
func Read(file []byte) (wanted []Wanted, err error) {
	text := bytes.TrimSpace(bytes.TrimPrefix(file, []byte("\ufeff")))
	switch {
	case len(file) > MaxFile:
		return nil, ErrTooLarge
	case len(text) == 0:
		return nil, fault.InField("file", "The file is empty.")
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return nil, fault.InField("file", "The file is not UTF-8 text. Save it as CSV in UTF-8.")
	}
	for l, err := range linesOf(text) {
		if err != nil {
			return nil, err
		}
		if len(wanted) == maxInFile {
			return nil, fault.InField("file", "The file has more than %d questions. Import its parts.", maxInFile)
		}
		wanted = append(wanted, l.wanted())
	}
	return wanted, nil
}

func linesOf(text []byte) iter.Seq2[line, error] {
	switch text[0] {
	case '{':
		return jsonLines(text)
	case '[':
		return jsonList(text)
	}
	return rows(string(text))
}

func jsonLines(text []byte) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		number := 0
		for one := range bytes.Lines(text) {
			number++
			if len(bytes.TrimSpace(one)) == 0 {
				continue
			}
			var l line
			err := json.Unmarshal(one, &l)
			if err != nil {
				err = fault.InField("file", `Line %d is not a JSON object such as {"question": "When do you open?", "answer": "At ten."}.`, number)
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

func jsonList(text []byte) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		decoder := json.NewDecoder(bytes.NewReader(text))
		_, err := decoder.Token()
		for err == nil && decoder.More() {
			var l line
			if err = decoder.Decode(&l); err == nil && !yield(l, nil) {
				return
			}
		}
		if err == nil {
			if _, err = decoder.Token(); err == nil {
				if _, more := decoder.Token(); more == io.EOF {
					return
				}
			}
		}
		yield(line{}, fault.InField("file", `The file is not a JSON list of objects such as {"question": "When do you open?", "answer": "At ten."}.`))
	}
}

func rows(text string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		comma := ','
		head, _, _ := strings.Cut(text, "\n")
		for _, other := range ";\t" {
			if strings.ContainsRune(head, other) && !strings.ContainsRune(head, ',') {
				comma = other
			}
		}
		all := separated.New(text, comma, maxColumns)
		first, _, _ := all.Next()
		names := make([]string, len(first))
		for i, name := range first {
			names[i] = strings.ToLower(strings.TrimSpace(name))
		}
		if !slices.Contains(names, "question") {
			yield(line{}, fault.InField("file", "The first row must name the columns: question, and where you want them expects, says, answer and document."))
			return
		}
		for {
			cells, number, ok := all.Next()
			switch {
			case !ok:
				return
			case all.Unclosed():
				yield(line{}, fault.InField("file", "Line %d is not CSV. Check its quotation marks, or save the file as UTF-8 CSV again.", number))
				return
			}
			of := map[string]string{}
			for i, cell := range cells[:min(len(cells), len(names))] {
				of[names[i]] = unescapeCell(cell)
			}
			if !yield(line{Question: of["question"], Expects: of["expects"], Says: of["says"], Answer: of["answer"], Document: of["document"]}, nil) {
				return
			}
		}
	}
}

// unescapeCell removes the prefix that [plain.Cell] puts before a cell.
func unescapeCell(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && plain.Cell(rest) == cell {
		return rest
	}
	return cell
}

// Write returns questions as a file, which [Read] reads.
func Write(questions []Question, as Format) string {
	var out strings.Builder
	if as == JSONL {
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		for _, q := range questions {
			_ = encoder.Encode(lineOf(q.Wanted)) // of texts, to memory
		}
		return out.String()
	}
	rows := csv.NewWriter(&out)
	_ = rows.Write(columns) // to memory
	for _, q := range questions {
		l := lineOf(q.Wanted)
		cells := []string{l.Question, l.Expects, l.Says, l.Answer, l.Document}
		for i, cell := range cells {
			cells[i] = plain.Cell(cell)
		}
		_ = rows.Write(cells)
	}
	rows.Flush()
	return out.String()
}
