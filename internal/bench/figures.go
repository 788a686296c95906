package bench

import (
	"errors"
	"os"
	"strings"
)

// The marks around the figures in docs/performance.md.
const (
	figuresStart = "<!-- figures -->"
	figuresEnd   = "<!-- /figures -->"
)

var errNoMarks = errors.New("there is no place for the figures: put them between " + figuresStart + " and " + figuresEnd)

// WriteFigures puts figures between the marks of a Markdown file, in place of
// what is there.
func WriteFigures(path, figures string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	written, err := replaceFigures(string(page), figures)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(written), 0o644)
}

func replaceFigures(page, figures string) (string, error) {
	before, rest, ok := strings.Cut(page, figuresStart)
	if !ok {
		return "", errNoMarks
	}
	_, after, ok := strings.Cut(rest, figuresEnd)
	if !ok {
		return "", errNoMarks
	}
	return before + figuresStart + "\n\n" + figures + "\n" + figuresEnd + after, nil
}
