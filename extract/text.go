package extract

import (
	"regexp"
	"strings"

	"parley/core/knowledge"
	"parley/extract/document"
)

// readText takes plain text unchanged.
func readText(doc *document.Document, in Input) error {
	text, err := document.Decode(in.Body, in.ContentType, "")
	if err != nil {
		return err
	}
	doc.Raw(text)
	return nil
}

// readMarkdown takes Markdown unchanged. Its title comes from the front matter,
// or else from its first heading of level one.
func readMarkdown(doc *document.Document, in Input) error {
	text, err := document.Decode(in.Body, in.ContentType, "")
	if err != nil {
		return err
	}
	title, more, text := frontMatter(document.Clean(text))
	if doc.Title = title; more {
		doc.Notes.Add(knowledge.NoteProperties, 1)
	}
	if doc.Title == "" {
		doc.Title = firstHeading(text)
	}
	doc.Raw(text)
	return nil
}

var titleLine = regexp.MustCompile(`(?mi)^title:[ \t]*(.+)$`)

// frontMatter cuts YAML front matter from a text and returns its title, and whether it says more.
func frontMatter(text string) (title string, more bool, rest string) {
	if !strings.HasPrefix(text, "---\n") {
		return "", false, text
	}
	matter, rest, found := strings.Cut(text[4:], "\n---\n")
	if !found || len(matter) > 64<<10 || !strings.Contains(matter, ":") {
		return "", false, text
	}
	if match := titleLine.FindStringSubmatch(matter); match != nil {
		title = strings.Trim(strings.TrimSpace(match[1]), `"'`)
	}
	return title, strings.TrimSpace(titleLine.ReplaceAllString(matter, "")) != "", rest
}

// firstHeading returns a heading of level one that comes before any other
// heading, within the first lines of a text.
func firstHeading(text string) string {
	lines := strings.SplitN(text, "\n", 201)
	for i, at := range lines[:min(len(lines), 200)] {
		switch {
		case strings.HasPrefix(at, "```"), strings.HasPrefix(at, "~~~"), strings.HasPrefix(at, "## "):
			return ""
		case strings.HasPrefix(at, "# "):
			return document.Unmark(strings.Trim(at, "# "))
		case i > 0 && at != "" && strings.Trim(at, "=") == "":
			return document.Unmark(lines[i-1])
		}
	}
	return ""
}
