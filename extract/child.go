package extract

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
	"parley/extract/pdf"
)

// request is the first line of the child's input, in JSON. The body follows up to
// the end of the input.
type request struct {
	Kind        knowledge.Kind `json:"kind"`
	Name        string         `json:"name,omitempty"`
	ContentType string         `json:"content_type,omitempty"`
	BaseURL     string         `json:"base_url,omitempty"`
	Limits      Limits         `json:"limits"`
	CacheDir    string         `json:"cache_dir,omitempty"`
	// PDF says that the body may be one: its reader is opened before the body is read.
	PDF bool `json:"pdf,omitempty"`
	// Split asks for the cuts of a text instead of a document's Markdown.
	Split *splitRequest `json:"split,omitempty"`
	// Size is the number of bytes of the body.
	Size int64 `json:"size"`
	// Warm asks for no document: the child compiles the PDF reader into
	// CacheDir, and ends.
	Warm bool `json:"warm,omitempty"`
	// Probe asks for no document either: the child confines itself, after it has opened the PDF
	// reader if that is asked for, and ends.
	Probe bool `json:"probe,omitempty"`
}

// reply is the child's output: one value of JSON.
type reply struct {
	Result Result `json:"result"`
	// Cuts are of a text, with the headings and frames that they name.
	Cuts     []cut     `json:"cuts,omitempty"`
	Headings []heading `json:"headings,omitempty"`
	Frames   []frame   `json:"frames,omitempty"`
	// Fault is the failure, if Message is not empty.
	Kind    fault.Kind `json:"kind,omitempty"`
	Message string     `json:"message,omitempty"`
	// Cause is for the log. It holds no text of the document.
	Cause string `json:"cause,omitempty"`
}

// The child's exit codes besides 0 and the Go runtime's 2.
const (
	exitInternal = 1
	exitMemory   = 3
)

// Child reads one document from in and writes the reply to out. It permanently
// lowers the limits of its process, so the program must exit afterward, with
// status 1 if Child returns an error.
func Child(in io.Reader, out io.Writer) error {
	input := bufio.NewReaderSize(in, 64<<10)
	first, err := input.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	var r request
	if err := json.Unmarshal(first, &r); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if r.Warm {
		return pdf.Warm(r.CacheDir)
	}
	if _, known := readers[r.Kind]; !known && r.Kind != "" {
		return errors.New("reading the request: unknown kind")
	}
	return answer(r, input, out)
}

// answer confines the process, reads the document and writes the reply. It opens
// every file before the confinement, which forbids opening any.
func answer(r request, input io.Reader, out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := confine(r.Limits); err != nil {
		return encoder.Encode(replyOf(errCannotRead(err)))
	}
	debug.SetMemoryLimit(r.Limits.Memory / 10 * 7)
	go watchSelf(r.Limits.Memory)
	if r.PDF {
		if err := pdf.Prepare(r.CacheDir, r.Limits); err != nil {
			return fmt.Errorf("starting the PDF reader: %w", err)
		}
	}
	if err := seal(); err != nil {
		return encoder.Encode(replyOf(errCannotRead(err)))
	}
	if r.Probe {
		return encoder.Encode(reply{})
	}
	body := make([]byte, r.Size)
	if _, err := io.ReadFull(input, body); err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	return encoder.Encode(guarded(func() (reply, error) {
		if r.Split != nil {
			return cutIn(string(body), *r.Split)
		}
		in := Input{Kind: r.Kind, Name: r.Name, ContentType: r.ContentType, BaseURL: r.BaseURL, Body: body}
		var err error
		if in.Kind, err = Detect(in); err != nil {
			return reply{}, err
		}
		result, err := read(in, r.Limits)
		return reply{Result: result}, err
	}))
}

// forbid is [forbidCalls]. Tests replace it with a function that fails.
var forbid = forbidCalls

// guarded reads the document or cuts the text. It turns a parser's panic into a reply that names
// the place in the code but omits the message, which may quote the document.
func guarded(read func() (reply, error)) (answer reply) {
	defer func() {
		if caught := recover(); caught != nil {
			answer = replyOf(document.Stopped(fmt.Errorf("panic of type %T at %s", caught, panicked(string(debug.Stack())))))
		}
	}()
	answer, err := read()
	if err != nil {
		return replyOf(err)
	}
	return answer
}

func replyOf(err error) reply {
	f := fault.As(err)
	cause := ""
	if f.Cause != nil {
		cause = document.Clip(document.Line(f.Cause.Error()), 300)
	}
	return reply{Kind: f.Kind, Message: f.Message, Cause: cause}
}

// panicked returns the function that panicked.
func panicked(stack string) string {
	_, below, _ := strings.Cut(stack, "panic(")
	lines := strings.SplitN(below, "\n", 5)
	if len(lines) < 4 {
		return "an unknown place"
	}
	name, _, _ := strings.Cut(lines[2], "(0x")
	return document.Clip(name, 200)
}
