package markdown

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// marker is a citation in the text of an answer, such as [1].
var marker = regexp.MustCompile(`\[(\d{1,3})\]`)

// WithCitations puts what chip makes of a number in the place of each marker, such as
// [1], in HTML that [Render] made. It is HTML and not escaped. A marker stays as it is
// in code and in links, and where chip makes nothing of its number.
func WithCitations(rendered string, chip func(number int) string) string {
	var out strings.Builder
	within := 0 // code and links that are open
	tokens := html.NewTokenizer(strings.NewReader(rendered))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return out.String()
		}
		raw := string(tokens.Raw())
		switch kind {
		case html.StartTagToken:
			if keeps(tokens) {
				within++
			}
		case html.EndTagToken:
			if keeps(tokens) {
				within--
			}
		case html.TextToken:
			if within == 0 {
				raw = marker.ReplaceAllStringFunc(raw, func(found string) string {
					number, err := strconv.Atoi(found[1 : len(found)-1])
					if made := chip(number); err == nil && made != "" {
						return made
					}
					return found
				})
			}
		}
		out.WriteString(raw)
	}
}

// keeps reports whether markers within the element are none.
func keeps(tokens *html.Tokenizer) bool {
	name, _ := tokens.TagName()
	switch string(name) {
	case "a", "code", "pre":
		return true
	}
	return false
}
