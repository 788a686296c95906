package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
)

// receipt is a reply as the server receives it, checked as it would check any input: a hostile
// document may have taken over the child. Its lists stay as they came until they are counted,
// because an empty element takes three bytes there, and fifty here.
type receipt struct {
	Result struct {
		Kind     knowledge.Kind
		Title    string
		Markdown string
		Places   json.RawMessage
		Notes    map[knowledge.NoteKind]int
		Page     struct {
			Links     json.RawMessage `json:"links"`
			Canonical string          `json:"canonical"`
			Refresh   string          `json:"refresh"`
			NoIndex   bool            `json:"no_index"`
			NoFollow  bool            `json:"no_follow"`
		}
	} `json:"result"`
	Cuts     json.RawMessage `json:"cuts"`
	Headings json.RawMessage `json:"headings"`
	Frames   json.RawMessage `json:"frames"`
	Kind     fault.Kind      `json:"kind"`
	Message  string          `json:"message"`
	Cause    string          `json:"cause"`
}

const (
	// maxLinks is how many links a page has: package html takes no more.
	maxLinks = 10_000
	// maxNotes is more kinds of notes than there are.
	maxNotes = 100
	// maxAddress and maxMessage are the longest address and message, in bytes.
	maxAddress, maxMessage = 4_000, 1_000
)

// received reads a reply. The child's failure is its own fault, if it can be the document's.
func received(output []byte) (*receipt, error) {
	var r receipt
	if err := json.Unmarshal(output, &r); err != nil {
		return nil, stopped(err)
	}
	if r.Message == "" {
		return &r, nil
	}
	cause := errors.New(document.Clip(r.Cause, maxMessage))
	if r.Kind != fault.Invalid && r.Kind != fault.TooLarge {
		return nil, stopped(cause)
	}
	failure := fault.New(r.Kind, "%s", document.Clip(r.Message, maxMessage))
	if r.Cause != "" {
		failure.Cause = cause
	}
	return nil, failure
}

// upTo reads a list of at most so many elements, and stops at one more.
func upTo[T any](raw json.RawMessage, most int) ([]T, error) {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	elements := json.NewDecoder(bytes.NewReader(raw))
	if start, err := elements.Token(); err != nil || start != json.Delim('[') {
		return nil, document.Stopped(errors.New("the child's list is none"))
	}
	var list []T
	for elements.More() {
		if len(list) >= most {
			return nil, document.Stopped(errors.New("the child's list is too long"))
		}
		var it T
		if err := elements.Decode(&it); err != nil {
			return nil, document.Stopped(err)
		}
		list = append(list, it)
	}
	return list, nil
}

// resultOf returns the document of a reply to a request for one.
func (e *Extractor) resultOf(in Input, r *receipt) (Result, error) {
	result := Result{Kind: r.Result.Kind, Title: document.Clip(r.Result.Title, maxAddress), Markdown: r.Result.Markdown}
	if in.Kind != "" {
		result.Kind = in.Kind
	}
	if _, known := readers[result.Kind]; !known {
		return Result{}, document.Stopped(errors.New("the child's kind is unknown"))
	}
	if len(result.Markdown) > e.limits.Markdown || !utf8.ValidString(result.Markdown) {
		return Result{}, document.Stopped(errors.New("the child's Markdown is too large or not UTF-8"))
	}
	var err error
	if result.Places, err = upTo[Place](r.Result.Places, e.limits.Pages); err != nil {
		return Result{}, err
	}
	at := 0
	for _, place := range result.Places {
		if place.Offset < at || place.Offset > len(result.Markdown) {
			return Result{}, document.Stopped(errors.New("the child's places are out of order"))
		}
		at = place.Offset
	}
	page := r.Result.Page
	result.Page = document.Page{
		Canonical: document.Clip(page.Canonical, maxAddress), Refresh: document.Clip(page.Refresh, maxAddress),
		NoIndex: page.NoIndex, NoFollow: page.NoFollow,
	}
	if len(r.Result.Notes) > maxNotes {
		return Result{}, document.Stopped(errors.New("the child's notes are too many"))
	}
	result.Notes = r.Result.Notes
	result.Page.Links, err = upTo[string](page.Links, maxLinks)
	return result, err
}
