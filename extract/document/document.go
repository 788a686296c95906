// Package document owns what every reader shares: the input with its limits, the
// Markdown that a reader writes with the place of each part, and the failures that
// the document's owner can act on.
//
// It does not own how to read each kind (packages extract, pdf, office and html).
package document

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
)

// Document collects the Markdown of a document while a reader works. It keeps the
// first failure: readers check Err where they could go on for long.
type Document struct {
	Limits Limits
	Title  string
	Text   strings.Builder
	Places []Place
	Page   Page
	Notes  Notes
	Err    error
}

// Notes count what a reader leaves out, by kind.
type Notes map[knowledge.NoteKind]int

// Add counts things that are left out.
func (n *Notes) Add(kind knowledge.NoteKind, count int) {
	if *n == nil {
		*n = Notes{}
	}
	(*n)[kind] += count
}

// AddAll counts what another count has.
func (n *Notes) AddAll(others Notes) {
	for kind, count := range others {
		n.Add(kind, count)
	}
}

// At begins a new place. What the reader writes next comes from there.
func (d *Document) At(page int, name string) {
	if len(d.Places) >= d.Limits.Pages {
		d.fail(fault.New(fault.TooLarge, "This file has more than %s. Split it, and add its parts.", Count(d.Limits.Pages, "page")))
		return
	}
	d.Places = append(d.Places, Place{Offset: -1, Page: page, Name: Clip(Line(name), 200)})
}

// Block writes a block of Markdown, separate from the one before.
func (d *Document) Block(markdown string) {
	d.write("\n\n", strings.Trim(Clean(markdown), "\n"))
}

// Follow writes a line directly after the one before, like the rows of a table.
func (d *Document) Follow(markdown string) {
	d.write("\n", strings.Trim(Clean(markdown), "\n"))
}

// Join writes more of the paragraph before.
func (d *Document) Join(markdown string) {
	d.write(" ", strings.Trim(Clean(markdown), "\n"))
}

// Raw writes text unchanged.
func (d *Document) Raw(text string) { d.write("\n\n", strings.Trim(Clean(text), "\n")) }

func (d *Document) write(separator, text string) {
	if d.Err != nil || strings.TrimSpace(text) == "" {
		return
	}
	if d.Text.Len() > 0 {
		d.Text.WriteString(separator)
	}
	if d.Text.Len()+len(text) > d.Limits.Markdown {
		d.fail(fault.New(fault.TooLarge, "The text of this file is larger than %s. Split it, and add its parts.", Size(int64(d.Limits.Markdown))))
		return
	}
	for i := len(d.Places) - 1; i >= 0 && d.Places[i].Offset < 0; i-- {
		d.Places[i].Offset = d.Text.Len()
	}
	d.Text.WriteString(text)
}

// Heading writes a heading, clamping its level to Markdown's six.
func (d *Document) Heading(level int, text string) {
	if text = Line(text); text == "" {
		return
	}
	d.Block(strings.Repeat("#", min(max(level, 1), 6)) + " " + text)
}

func (d *Document) fail(err error) {
	if d.Err == nil {
		d.Err = err
	}
}

// Result returns what the document collected. Where several places have no text
// between them, it keeps the last.
func (d *Document) Result() Result {
	var places []Place
	for _, place := range d.Places {
		if place.Offset < 0 {
			continue
		}
		if n := len(places); n > 0 && places[n-1].Offset == place.Offset {
			places = places[:n-1]
		}
		places = append(places, place)
	}
	return Result{Title: Clip(Line(d.Title), 300), Markdown: d.Text.String(), Places: slices.Clip(places), Page: d.Page, Notes: d.Notes}
}

// Size formats a number of bytes for people.
func Size(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return Count(int(bytes), "byte")
}

// Count formats a number with its noun: 1 page, 5,000 pages.
func Count(n int, noun string) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return digits + " " + noun
	}
	return digits + " " + noun + "s"
}
