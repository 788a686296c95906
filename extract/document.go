package extract

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/fault"
)

// document collects the Markdown of a document while it is read. It keeps the
// first failure: readers look at err where they could go on for long.
type document struct {
	limits Limits
	title  string
	text   strings.Builder
	places []Place
	page   Page
	err    error
}

// at begins a new place. What is written next comes from there.
func (d *document) at(page int, name string) {
	if len(d.places) >= d.limits.Pages {
		d.fail(fault.New(fault.TooLarge, "This file has more than %s. Split it, and add its parts.", count(d.limits.Pages, "page")))
		return
	}
	d.places = append(d.places, Place{Offset: -1, Page: page, Name: clip(line(name), 200)})
}

// block writes a block of Markdown, apart from the one before.
func (d *document) block(markdown string) {
	d.write("\n\n", strings.Trim(clean(markdown), "\n"))
}

// follow writes a line right after the one before, as the rows of a table are.
func (d *document) follow(markdown string) {
	d.write("\n", strings.Trim(clean(markdown), "\n"))
}

// join writes more of the paragraph before.
func (d *document) join(markdown string) {
	d.write(" ", strings.Trim(clean(markdown), "\n"))
}

// raw writes text as it is.
func (d *document) raw(text string) { d.write("\n\n", strings.Trim(clean(text), "\n")) }

func (d *document) write(apart, text string) {
	if d.err != nil || strings.TrimSpace(text) == "" {
		return
	}
	if d.text.Len() > 0 {
		d.text.WriteString(apart)
	}
	if d.text.Len()+len(text) > d.limits.Markdown {
		d.fail(fault.New(fault.TooLarge, "The text of this file is larger than %s. Split it, and add its parts.", size(int64(d.limits.Markdown))))
		return
	}
	for i := len(d.places) - 1; i >= 0 && d.places[i].Offset < 0; i-- {
		d.places[i].Offset = d.text.Len()
	}
	d.text.WriteString(text)
}

// heading writes a heading of a level, which is held within Markdown's six.
func (d *document) heading(level int, text string) {
	if text = line(text); text == "" {
		return
	}
	d.block(strings.Repeat("#", min(max(level, 1), 6)) + " " + text)
}

func (d *document) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// result returns what was collected. Of several places without text between
// them the last is kept.
func (d *document) result() Result {
	var places []Place
	for _, place := range d.places {
		if place.Offset < 0 {
			continue
		}
		if n := len(places); n > 0 && places[n-1].Offset == place.Offset {
			places = places[:n-1]
		}
		places = append(places, place)
	}
	return Result{Title: clip(line(d.title), 300), Markdown: d.text.String(), Places: slices.Clip(places), Page: d.page}
}

// size returns a number of bytes as people say it.
func size(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return count(int(bytes), "byte")
}

// count returns a number with its noun: 1 page, 5,000 pages.
func count(n int, noun string) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return digits + " " + noun
	}
	return digits + " " + noun + "s"
}
