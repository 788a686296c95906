package extract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/core/fault"
	"parley/extract/document"
)

// dead is a child that ended without a reply of use, and that this process did not stop.
type dead struct {
	// unread is the failure if it is the document's.
	unread *fault.Error
	// outside says that, as far as anybody can tell, something else than the document ended it.
	outside bool
}

func (d *dead) Error() string { return d.unread.Error() }

// stopped is a child that the document ended, unless no child works.
func stopped(cause error) *dead { return &dead{fault.As(document.Stopped(cause)), false} }

// endedOutside is a child that something else ended.
func endedOutside(cause error) *dead { return &dead{fault.As(document.Stopped(cause)), true} }

// outOfMemory are the words of a runtime that gets no more memory.
var outOfMemory = []string{"out of memory", "cannot allocate memory", "failed to reserve", "failed to allocate", "failed to create new OS thread"}

// fromOutside are its words where a filter around the server forbids a system call, or the
// system another thread. The child's own limits answer in other ways.
var fromOutside = []string{"SIGSYS", "errno=11"}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// blame says whose failure it is that a child did not do its work. One that died may have met a
// hostile document, or a server whose children do not work: then one that reads nothing dies, too.
// What a child says of itself counts for nothing, since its document may have taken it over.
func (e *Extractor) blame(ctx context.Context, err error, pdf bool) error {
	var died *dead
	switch {
	case err == nil, ctx.Err() != nil:
		return err
	case errors.As(err, &died), fault.Is(err, fault.Unavailable):
	case fault.Is(err, fault.Internal): // it could not be started
		return errCannotRead(err)
	default:
		return err
	}
	if broken := e.probe(ctx, pdf); broken != nil {
		return broken
	}
	switch {
	case died == nil:
		return err
	case died.outside:
		return fmt.Errorf("extract: the process that read a file was ended by something else: %w", died.unread.Cause)
	}
	return died.unread
}

// errCannotRead is the failure of a server whose children do not work, or that cannot confine
// them: a document could attack a process that is not confined.
func errCannotRead(cause error) error {
	var died *dead
	if errors.As(cause, &died) {
		cause = died.unread.Cause
	}
	return fault.Wrap(fault.Unavailable, cause, "This server cannot read files of this kind right now, and its operator has been told. Parley reads this one as soon as it can.").ForOperator()
}
