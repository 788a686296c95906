package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"parley/core/fault"
	"parley/extract/document"
	"parley/text/split"
	"parley/text/tokens"
)

// splitRequest asks for the cuts of a text, which is the body.
type splitRequest struct {
	Plain bool `json:"plain,omitempty"`
	Pairs bool `json:"pairs,omitempty"`
	Aim   int  `json:"aim"`
	Limit int  `json:"limit"`
}

// cut is a [split.Cut] on its way from the child. Heading and Frame are numbers from 1 in the
// lists of the reply, or zero: what many passages repeat is sent once.
type cut struct {
	Heading int `json:"h,omitempty"`
	Frame   int `json:"f,omitempty"`
	Start   int `json:"s"`
	End     int `json:"e"`
}

// heading is a heading below another, or below none.
type heading struct {
	Above int    `json:"a,omitempty"`
	Title string `json:"t"`
}

// frame is the head and the foot of pieces.
type frame struct {
	Head string `json:"h,omitempty"`
	Foot string `json:"f,omitempty"`
}

// mostSplit is how many times as long as a text the headings of all passages, or their frames, may be.
const mostSplit = 8

// Split cuts a document into passages, in a child process unless the document is small. A
// document with too many parts is a fault of kind TooLarge. The count of the sizes is that of
// package tokens, which the child uses.
func (e *Extractor) Split(ctx context.Context, d split.Document, sizes split.Sizes) ([]split.Passage, error) {
	if e.here(len(d.Content)) {
		return splitHere(d, sizes)
	}
	cuts, err := e.cutsFromChild(ctx, d, sizes)
	if err = e.blame(ctx, err, false); fault.Is(err, fault.Unavailable) {
		return splitHere(d, sizes)
	}
	if err != nil {
		return nil, err
	}
	return d.Passages(cuts), nil
}

func splitHere(d split.Document, sizes split.Sizes) ([]split.Passage, error) {
	cuts, err := split.Cuts(d, sizes)
	if err != nil {
		return nil, tooMany(err)
	}
	return d.Passages(cuts), nil
}

// tooMany is what the owner of a document with too many parts reads.
func tooMany(err error) error {
	var found *split.TooMany
	if errors.As(err, &found) {
		return fault.New(fault.TooLarge, "This document has more than %s. Split it, and add its parts.", document.Count(found.Most, found.What))
	}
	return err
}

func (e *Extractor) cutsFromChild(ctx context.Context, d split.Document, sizes split.Sizes) ([]split.Cut, error) {
	head, err := json.Marshal(request{
		Split: &splitRequest{Plain: d.Plain, Pairs: d.Pairs, Aim: sizes.Aim, Limit: sizes.Limit}, Limits: e.limits, Size: int64(len(d.Content)),
	})
	if err != nil {
		return nil, err
	}
	input := io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader([]byte(d.Content)))
	output, err := e.run(ctx, input, e.limits.Time, e.limits.Memory)
	if err != nil {
		return nil, err
	}
	r, err := received(output)
	if err != nil {
		return nil, err
	}
	return r.cutsOf(d.Content)
}

// cutIn cuts a text, in the child.
func cutIn(text string, r splitRequest) (reply, error) {
	found, err := split.Cuts(split.Document{Content: text, Plain: r.Plain, Pairs: r.Pairs}, split.Sizes{Aim: r.Aim, Limit: r.Limit, Count: tokens.Count})
	if err != nil {
		return reply{}, tooMany(err)
	}
	var answer reply
	headings, frames := map[heading]int{}, map[frame]int{}
	for _, c := range found {
		of := 0
		for _, title := range c.Path {
			of = numberOf(headings, &answer.Headings, heading{of, title})
		}
		around := 0
		if c.Head != "" || c.Foot != "" {
			around = numberOf(frames, &answer.Frames, frame{c.Head, c.Foot})
		}
		answer.Cuts = append(answer.Cuts, cut{of, around, c.Start, c.End})
	}
	return answer, nil
}

// numberOf returns the number of a thing in a list, to which a new one is added.
func numberOf[T comparable](known map[T]int, list *[]T, it T) int {
	if known[it] == 0 {
		*list = append(*list, it)
		known[it] = len(*list)
	}
	return known[it]
}

// cutsOf checks the cuts of a text as it would any input: they follow one another, and what
// they repeat is no multiple of the text.
func (r *receipt) cutsOf(text string) ([]split.Cut, error) {
	cuts, err := upTo[cut](r.Cuts, split.Most.Passages)
	if err != nil {
		return nil, err
	}
	headings, err := upTo[heading](r.Headings, split.Most.Headings)
	if err != nil {
		return nil, err
	}
	frames, err := upTo[frame](r.Frames, split.Most.Passages)
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(headings)
	if err != nil {
		return nil, err
	}
	list, at, repeated := make([]split.Cut, len(cuts)), 0, 0
	for i, c := range cuts {
		inText := c.Start >= at && c.End > c.Start && c.End <= len(text) && startsRune(text, c.Start) && startsRune(text, c.End)
		if !inText || c.Heading < 0 || c.Heading > len(headings) || c.Frame < 0 || c.Frame > len(frames) {
			return nil, document.Stopped(errors.New("the child's cuts are out of order"))
		}
		at, list[i] = c.End, split.Cut{Start: c.Start, End: c.End}
		if c.Heading > 0 {
			list[i].Path = paths[c.Heading-1]
		}
		if c.Frame > 0 {
			list[i].Head, list[i].Foot = frames[c.Frame-1].Head, frames[c.Frame-1].Foot
		}
		repeated += len(list[i].Head) + len(list[i].Foot)
		if repeated > mostSplit*len(text) || !utf8.ValidString(list[i].Head) || !utf8.ValidString(list[i].Foot) {
			return nil, document.Stopped(errors.New("the child's frames are too long or not UTF-8"))
		}
	}
	return list, nil
}

// pathsOf returns the headings down to each, which share their texts.
func pathsOf(headings []heading) ([][]string, error) {
	paths := make([][]string, len(headings))
	for i, h := range headings {
		if h.Above < 0 || h.Above > i || !utf8.ValidString(h.Title) {
			return nil, document.Stopped(errors.New("the child's headings are out of order"))
		}
		var above []string
		if h.Above > 0 {
			above = paths[h.Above-1]
		}
		if len(above) >= mostLevels {
			return nil, document.Stopped(errors.New("the child's headings are too deep"))
		}
		paths[i] = append(above[:len(above):len(above)], h.Title)
	}
	return paths, nil
}

// mostLevels is how many levels Markdown's headings have.
const mostLevels = 6

// startsRune reports whether a text may be cut at a byte.
func startsRune(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }
