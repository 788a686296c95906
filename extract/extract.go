// Package extract turns the bytes of a document of any kind into Markdown with
// the place that each part came from.
//
// It owns the readers of the kinds, their limits, and the child process that runs
// the readers whose parsers are too complex to trust with a server's memory. It
// neither fetches nor stores documents or Markdown.
//
// All input is hostile. Each reader is bounded in bytes, entries, depth, rows
// and output; time and memory are bounded for the whole child.
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
	Page   = document.Page
	Limits = document.Limits
)

// Extractor reads documents. It is safe for concurrent use. Each call of
// [Extractor.Extract] may start one child process, so callers bound how many
// run at once.
type Extractor struct {
	limits  Limits
	program []string
	// CacheDir is where the compiled PDF reader is kept: an absolute path,
	// because children work in folders of their own. Only this process and
	// its children may write there. Empty means that it is compiled
	// for each PDF, which takes seconds. It is set before the first call.
	CacheDir string
	// Unconfined has documents read where the system cannot confine the child
	// by system calls, which is everywhere but on Linux. On Linux it changes
	// nothing. It is set before the first call.
	Unconfined bool

	// sandboxed says that the system can.
	sandboxed bool
	warming   sync.Mutex
	warm      bool
	// began and ended are told of each child that was started and reaped, in
	// tests.
	began func(pid int)
	ended func(*os.ProcessState)
}

// New returns an extractor. Limits that are zero have their default. Program
// starts the child: a process that calls [Child] with its standard input and
// output, such as {"/usr/bin/parley", "extract-child"}.
func New(limits Limits, program []string) *Extractor {
	return &Extractor{limits: limits.OrDefault(), program: program, sandboxed: sandboxed}
}

// Extract reads a document. A failure that its owner can act on is a fault of
// kind Invalid or TooLarge. It is Unavailable where the child cannot be
// confined. When ctx ends it returns ctx's error.
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
	kind, err := Detect(in)
	if err != nil {
		return Result{}, err
	}
	in.Kind = kind
	if readers[kind].apart {
		return e.inChild(ctx, in)
	}
	return read(in, e.limits)
}

// nameOf returns a file's name without folders and extension.
func nameOf(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if name == "." || name == "/" {
		return ""
	}
	return document.Line(strings.TrimSuffix(name, path.Ext(name)))
}
