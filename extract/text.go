package extract

import (
	"regexp"
	"strings"
)

// readText takes plain text as it is.
func readText(doc *document, in Input) error {
	doc.raw(decode(in.Body, in.ContentType, ""))
	return nil
}

// readMarkdown takes Markdown as it is. Its title is the front matter's, else
// its first heading of level one.
func readMarkdown(doc *document, in Input) error {
	text := clean(decode(in.Body, in.ContentType, ""))
	matter, text := frontMatter(text)
	doc.title = matter
	if doc.title == "" {
		doc.title = firstHeading(text)
	}
	doc.raw(text)
	return nil
}

var titleLine = regexp.MustCompile(`(?mi)^title:[ \t]*(.+)$`)

// frontMatter cuts YAML front matter off a text and returns its title.
func frontMatter(text string) (title, rest string) {
	if !strings.HasPrefix(text, "---\n") {
		return "", text
	}
	matter, rest, found := strings.Cut(text[4:], "\n---\n")
	if !found || len(matter) > 64<<10 || !strings.Contains(matter, ":") {
		return "", text
	}
	if match := titleLine.FindStringSubmatch(matter); match != nil {
		title = strings.Trim(strings.TrimSpace(match[1]), `"'`)
	}
	return title, rest
}

// firstHeading returns the first heading of level one before any other, in
// the first lines of a text.
func firstHeading(text string) string {
	lines := strings.SplitN(text, "\n", 201)
	for i, at := range lines[:min(len(lines), 200)] {
		switch {
		case strings.HasPrefix(at, "```"), strings.HasPrefix(at, "~~~"), strings.HasPrefix(at, "## "):
			return ""
		case strings.HasPrefix(at, "# "):
			return unmark(strings.Trim(at, "# "))
		case i > 0 && at != "" && strings.Trim(at, "=") == "":
			return unmark(lines[i-1])
		}
	}
	return ""
}
