package testrun

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/core/fault"
	"parley/internal/plain"
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

// Read reads questions from a file: JSON Lines if it begins with a brace, a JSON list if it
// begins with a bracket, otherwise CSV with a row of names, with commas, semicolons or
// tabs.
func Read(file []byte) ([]Wanted, error) {
	text := bytes.TrimSpace(bytes.TrimPrefix(file, []byte("\ufeff")))
	switch {
	case len(file) > MaxFile:
		return nil, ErrTooLarge
	case len(text) == 0:
		return nil, fault.InField("file", "The file is empty.")
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return nil, fault.InField("file", "The file is not UTF-8 text. Save it as CSV in UTF-8.")
	case text[0] == '{':
		return readLines(text)
	case text[0] == '[':
		return readList(text)
	}
	return readRows(text)
}

func readLines(text []byte) (wanted []Wanted, err error) {
	number := 0
	for one := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(one)) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(one, &l); err != nil {
			return nil, fault.InField("file", `Line %d is not a JSON object such as {"question": "When do you open?", "answer": "At ten."}.`, number)
		}
		wanted = append(wanted, l.wanted())
	}
	return wanted, nil
}

func readList(text []byte) ([]Wanted, error) {
	var lines []line
	if err := json.Unmarshal(text, &lines); err != nil {
		return nil, fault.InField("file", `The file is not a JSON list of objects such as {"question": "When do you open?", "answer": "At ten."}.`)
	}
	wanted := make([]Wanted, len(lines))
	for i, l := range lines {
		wanted[i] = l.wanted()
	}
	return wanted, nil
}

func readRows(text []byte) (wanted []Wanted, err error) {
	head, _, _ := bytes.Cut(text, []byte("\n"))
	rows := csv.NewReader(bytes.NewReader(text))
	rows.FieldsPerRecord = -1
	for _, comma := range ";\t" {
		if bytes.ContainsRune(head, comma) && !bytes.ContainsRune(head, ',') {
			rows.Comma = comma
		}
	}
	names, err := rows.Read()
	if err != nil {
		return nil, errNoCSV(err)
	}
	for i, name := range names {
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	if !slices.Contains(names, "question") {
		return nil, fault.InField("file", "The first row must name the columns: question, and where you want them expects, says, answer and document.")
	}
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return wanted, nil
		}
		if err != nil {
			return nil, errNoCSV(err)
		}
		of := map[string]string{}
		for i, cell := range cells[:min(len(cells), len(names))] {
			of[names[i]] = unescapeCell(cell)
		}
		wanted = append(wanted, line{Question: of["question"], Expects: of["expects"], Says: of["says"], Answer: of["answer"], Document: of["document"]}.wanted())
	}
}

func errNoCSV(err error) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return fault.InField("file", "Line %d is not CSV. Check its quotation marks, or save the file as UTF-8 CSV again.", wrong.Line)
	}
	return fault.InField("file", "The file is neither CSV nor JSON Lines.")
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
