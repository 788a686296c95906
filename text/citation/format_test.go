package citation

import (
	"regexp"
	"strings"
	"testing"

	"parley/text/answertest"
	"parley/text/markdown"
)

// markers finds the markers of an answer.
var markers = regexp.MustCompile(`\[\d{1,3}\]`)

// formats are all that an answer leaves in.
var formats = []markdown.Format{markdown.Markdown, markdown.PlainText, markdown.HTML}

func TestCitationsInAllFormats(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   []string
	}{
		"in a sentence":                  {"Open at eight [1], not on Mondays [1, 3].", []string{"[1]", "[1]", "[3]"}},
		"in a list, a table and a title": {"# Hours [1]\n\n- Bread[^2]\n- Rolls【3】\n\n| a | b |\n|---|---|\n| c [1] | d [2][3] |", []string{"[1]", "[2]", "[3]", "[1]", "[2]", "[3]"}},
		"behind a link and emphasis":     {"See [the oven](http://oven.test) [3] and **bread** [2].", []string{"[3]", "[2]"}},
		"beside a definition of a link":  {"True [1] and [2].\n\n[1]: http://evil.test\n\n[2]: http://evil.test 'x'", []string{"[1]", "[2]", "[1]", "[2]"}},
		"in a quotation":                 {"> “The bakery opens at eight” [1]\n>\n> [1]:http://evil.test", []string{"[1]", "[1]"}},
		"with a definition in a list":    {"- [1]: <http://evil.test>\n\nTrue [1].", []string{"[1]", "[1]"}},
		"with a number that is no given": {"True [1] and [9].", []string{"[1]"}},
		"in parentheses":                 {"True ([1]) and ([2], [3]).", []string{"[1]", "[2]", "[3]"}},
	} {
		t.Run(name, func(t *testing.T) {
			checked := answertest.Through(New(answertest.Bakery), c.answer)
			for _, to := range formats {
				shown := markdown.Render(checked, to, nil)
				if got := markers.FindAllString(shown, -1); strings.Join(got, "") != strings.Join(c.want, "") {
					t.Errorf("as %s it has %v, want %v:\n%s", to, got, c.want, shown)
				}
			}
			if shown := markdown.Render(checked, markdown.HTML, nil); strings.Contains(shown, `evil.test/">1`) || strings.Contains(shown, `evil.test">[1]`) || strings.Contains(shown, `evil.test">1<`) {
				t.Errorf("a citation is a link: %s", shown)
			}
		})
	}
}
