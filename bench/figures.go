package bench

import (
	"fmt"
	"os"
	"strings"
)

// Place is where a Markdown file has the figures of one part of the benchmark:
// between the marks <!-- place --> and <!-- /place -->.
type Place string

// Summary is the page with the table of results, ResultsPlace.
const Summary = "docs/performance.md"

// The parts of the benchmark, and the table of results in [Summary].
const (
	ResultsPlace    Place = "results"
	ChatPlace       Place = "figures"
	ComparisonPlace Place = "comparison"
	RetrievalPlace  Place = "retrieval"
	PagesPlace      Place = "pages"
	ScalePlace      Place = "scale"
	HeldPlace       Place = "held"
)

func (p Place) start() string { return "<!-- " + string(p) + " -->" }
func (p Place) end() string   { return "<!-- /" + string(p) + " -->" }

// WriteFigures replaces the figures in a Markdown file.
func WriteFigures(path string, place Place, figures string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	written, err := replaceFigures(string(page), place, figures)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(written), 0o644)
}

func replaceFigures(page string, place Place, figures string) (string, error) {
	before, rest, ok := strings.Cut(page, place.start())
	if !ok {
		return "", place.missing()
	}
	_, after, ok := strings.Cut(rest, place.end())
	if !ok {
		return "", place.missing()
	}
	return before + place.start() + "\n\n" + figures + "\n" + place.end() + after, nil
}

func (p Place) missing() error {
	return fmt.Errorf("there is no place for the figures: put them between %s and %s", p.start(), p.end())
}
