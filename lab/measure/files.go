package measure

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"parley/core/fault"
	"parley/lab/evaluation"
	"parley/text/split"
)

// corpusLine is a document of a BEIR-like corpus.
type corpusLine struct {
	ID      string `json:"id"`
	BeirID  string `json:"_id"`
	Title   string `json:"title"`
	Text    string `json:"text"`
	Passage bool   `json:"passage"`
	// Page is the page that the line is a section of, if any.
	Page string `json:"doc"`
}

func (l corpusLine) name() string { return l.ID + l.BeirID }

func (l corpusLine) document() split.Document {
	return split.Document{ID: l.name(), Title: l.Title, Content: l.Text}
}

// queryLine is a question.
type queryLine struct {
	ID      string `json:"id"`
	BeirID  string `json:"_id"`
	Text    string `json:"text"`
	Rewrite string `json:"rewrite"`
	// Target is the reference answer, if there is one.
	Target  string `json:"target"`
	History []struct {
		Speaker string `json:"speaker"`
		Text    string `json:"text"`
	} `json:"history"`
}

func (l queryLine) name() string { return l.ID + l.BeirID }

func readQueries(name string) ([]queryLine, error) {
	var queries []queryLine
	err := readLines(name, func(q queryLine) error {
		queries = append(queries, q)
		return nil
	})
	return queries, err
}

// maxLine bounds a line of a file, in bytes.
const maxLine = 64 << 20

// readLines calls use with each line of a JSON-lines file.
func readLines[Line interface{ name() string }](file string, use func(Line) error) error {
	return scanFile(file, func(number int, line []byte) error {
		var value Line
		if err := json.Unmarshal(line, &value); err != nil || value.name() == "" {
			return fault.New(fault.Invalid, "%s, line %d: not a JSON object with an id.", filepath.Base(file), number)
		}
		return use(value)
	})
}

// readJudgments reads lines of three columns, or of trec_eval's four, with or
// without a header.
func readJudgments(file string) (map[string]evaluation.Judgments, error) {
	judged := map[string]evaluation.Judgments{}
	err := scanFile(file, func(number int, line []byte) error {
		cells := strings.Fields(string(line))
		if len(cells) == 4 { // trec_eval's second column is unused
			cells = append(cells[:1], cells[2:]...)
		}
		if len(cells) != 3 {
			return fault.New(fault.Invalid, "%s, line %d: needs a question id, a document id and a grade.", filepath.Base(file), number)
		}
		grade, err := strconv.Atoi(cells[2])
		if err != nil && number == 1 {
			return nil // the header
		}
		if err != nil {
			return fault.New(fault.Invalid, "%s, line %d: the grade is not a whole number.", filepath.Base(file), number)
		}
		if judged[cells[0]] == nil {
			judged[cells[0]] = evaluation.Judgments{}
		}
		judged[cells[0]][cells[1]] = grade
		return nil
	})
	return judged, err
}

// scanFile calls use with each non-blank line of a file, gzipped or not.
func scanFile(name string, use func(number int, line []byte) error) error {
	file, err := os.Open(filepath.Clean(name))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	content, err := unzipped(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	lines := bufio.NewScanner(content)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for number := 1; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := use(number, line); err != nil {
			return err
		}
	}
	return lines.Err()
}

func unzipped(file io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(file)
	mark, err := buffered.Peek(2)
	if err != nil || mark[0] != 0x1f || mark[1] != 0x8b {
		return buffered, nil //nolint:nilerr // a shorter file is not gzip
	}
	return gzip.NewReader(buffered)
}
