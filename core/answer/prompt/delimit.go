package prompt

import (
	"strconv"
	"strings"

	"parley/core/retrieval"
	"parley/text/clean"
)

// maxSource bounds the title and headings that a passage is introduced with.
const maxSource = 300

// delimited is a passage, whose text is clean, as the model is given it: a
// number to cite it by, where it comes from, and its text, none of which can end
// the passage or begin another.
func delimited(number int, p retrieval.Result) string {
	source, text := sourceName(p.Passage), clean.Defuse(p.Text)
	var b strings.Builder
	b.Grow(len(source) + len(text) + 48)
	b.WriteString(`<passage id="`)
	b.WriteString(strconv.Itoa(number))
	b.WriteString(`" source="`)
	b.WriteString(source)
	b.WriteString("\">\n")
	b.WriteString(text)
	b.WriteString("\n</passage>")
	return b.String()
}

var attribute = strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&quot;")

// sourceName is the title of a passage's document and the headings above it,
// as the value of an attribute.
func sourceName(p retrieval.Passage) string {
	parts := append([]string{p.Title}, p.HeadingPath...)
	if p.Place != "" {
		parts = append(parts, p.Place)
	}
	if name := strings.Join(parts, " › "); len(name) <= maxSource && isSimple(parts) {
		return name
	}
	name := clean.Line(strings.Join(parts, " › "), maxSource)
	return clean.Defuse(attribute.Replace(name))
}

// isSimple reports whether there is nothing to clean and to escape in texts, as
// in most titles and headings.
func isSimple(texts []string) bool {
	for _, text := range texts {
		last := byte(' ') // no space begins a text, or follows another
		for i := range len(text) {
			c := text[i]
			if c < ' ' || c > '~' || c == '<' || c == '>' || c == '"' || c == ' ' && last == ' ' {
				return false
			}
			last = c
		}
		if last == ' ' {
			return false
		}
	}
	return true
}
