// Package extract turns a document of any kind into Markdown and records the place
// that each part came from.
//
// It owns the readers, their limits, and the child process in which they run, as the splitter
// of texts does: only a small text is read and split in the server's process. It neither
// fetches nor stores documents.
//
// All input is hostile. Each reader is bounded in bytes, entries, depth, rows
// and output; the child as a whole is bounded in time and memory.
package extract

import (
	"context"
	"os"
	"path"
	"strings"
	"sync"

	"parley/core/fault"
	"parley/extract/document"
)

// Callers use these types of package document.
type (
	Input  = document.Input
	Result = document.Result
	Place  = document.Place
	Limits = document.Limits
)

// Extractor reads documents. It is safe for concurrent use. Each call of
// [Extractor.Extract] may start one child process, so callers limit how many
// calls run at once.
type Extractor struct {
	limits  Limits
	program []string
	// CacheDir holds the compiled PDF reader. It is an absolute path, because
	// children work in their own folders, and only this process and its
	// children may write there. Set it before the first call; without it each
	// PDF costs seconds of compilation.
	CacheDir string
	// Unconfined allows reading documents on systems other than Linux, where
	// no system-call filter can confine the child. On Linux it changes nothing.
	// Set it before the first call.
	Unconfined bool
	// Count, unless nil, is told of each child that has ended, but not of those whose work
	// nobody wants any more. Set it before the first call.
	Count func(End)

	// sandboxed says whether the system can confine a child.
	sandboxed bool
	warming   sync.Mutex
	warm      bool
	kills     kills
	// Tests set began and ended to learn of each child that is started and
	// reaped.
	began func(pid int)
	ended func(*os.ProcessState)
}

// New returns an extractor. A zero limit means its default. Program is the
// command line of a child: a process that calls [Child] with its standard input
// and output, such as {"/usr/bin/parley", "extract-child"}.
func New(limits Limits, program []string) *Extractor {
	return &Extractor{limits: limits.OrDefault(), program: program, sandboxed: sandboxed}
}

// Extract reads a document. If the owner can act on a failure, it is a fault of
// kind Invalid or TooLarge; if no child works, of kind Unavailable, and the operator's.
// When ctx ends, Extract returns its error.
func (e *Extractor) Extract(ctx context.Context, in Input) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if int64(len(in.Body)) > e.limits.Bytes {
		return Result{}, fault.New(fault.TooLarge, "This file is larger than %s. Split it, and add its parts.", document.Size(e.limits.Bytes))
	}
	if len(in.Body) == 0 {
		return Result{}, fault.New(fault.Invalid, "This file is empty.")
	}
	if _, known := readers[in.Kind]; e.here(len(in.Body)) || in.Kind != "" && !known {
		kind, err := Detect(in)
		if err != nil {
			return Result{}, err
		}
		in.Kind = kind
		if !readers[kind].isolated {
			return read(in, e.limits)
		}
	}
	result, err := e.inChild(ctx, in)
	if err = e.blame(ctx, err, mayBePDF(in)); fault.Is(err, fault.Unavailable) {
		return e.readText(in, err)
	}
	return result, err
}

// readText reads a text although no child works, which is the given failure. Other
// kinds have parsers that are not trusted with this process.
func (e *Extractor) readText(in Input, failure error) (Result, error) {
	kind, err := Detect(in)
	if err != nil {
		return Result{}, err
	}
	if in.Kind = kind; readers[kind].isolated {
		return Result{}, failure
	}
	return read(in, e.limits)
}

// nameOf returns a file's name without folders or extension.
func nameOf(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if name == "." || name == "/" {
		return ""
	}
	return document.Line(strings.TrimSuffix(name, path.Ext(name)))
}
