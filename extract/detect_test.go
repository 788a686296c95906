package extract

import (
	"testing"

	"parley/core/fault"
	"parley/core/knowledge"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Input
		want knowledge.Kind
	}{
		{"a declared kind is binding", Input{Kind: knowledge.Text, Name: "a.html", Body: []byte("<html>")}, knowledge.Text},
		{"bytes outweigh a name", Input{Name: "a.docx", Body: prices()}, knowledge.XLSX},
		{"bytes outweigh a content type", Input{ContentType: "text/html", Body: plainPDF()}, knowledge.PDF},
		{"a content type outweighs a name", Input{Name: "page.txt", ContentType: "text/html; charset=utf-8", Body: []byte("hello")}, knowledge.HTML},
		{"a name outweighs the content type text/plain", Input{Name: "a.md", ContentType: "text/plain", Body: []byte("hello")}, knowledge.Markdown},
		{"a page is detected by its bytes", Input{Body: []byte("\n <!DOCTYPE html><p>")}, knowledge.HTML},
		{"a book is detected by its bytes", Input{Body: novel()}, knowledge.EPUB},
		{"a table with a column of questions is read as pairs", Input{Name: "a.csv", Body: []byte("question;answer\na;b\n")}, knowledge.Pairs},
		{"a table without one is read as a table", Input{Name: "a.csv", Body: []byte("name;answer\na;b\n")}, knowledge.CSV},
		{"JSON of another shape is read as text", Input{Name: "a.json", Body: []byte(`{"a":1}`)}, knowledge.Text},
		{"anything else is read as text", Input{Body: []byte("hello")}, knowledge.Text},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := Detect(c.in); err != nil || got != c.want {
				t.Errorf("got %q and %v, want %q", got, err, c.want)
			}
		})
	}
	t.Run("an unknown kind is refused", func(t *testing.T) {
		if _, err := Detect(Input{Kind: "tape", Body: []byte("x")}); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v", err)
		}
	})
}
