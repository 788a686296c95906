package document

import (
	"errors"

	"parley/core/fault"
	"parley/core/knowledge"
)

// Stopped is a reader that ended without an answer.
func Stopped(cause error) error {
	return fault.Wrap(fault.Invalid, cause, "This file could not be read: its reader stopped. It may be damaged. Save it anew with the program that it comes from, and add it again.")
}

// OutOfMemory is a document that needs more memory than its reader may take.
func OutOfMemory(cause error) error {
	return fault.Wrap(fault.TooLarge, cause, "Reading it needed more memory than allowed. Split the file, and add its parts.")
}

// NotOfKind is a file that is not of the kind that it was taken for.
func NotOfKind(in Input, kind knowledge.Kind, cause error) error {
	why := "though it was declared as one"
	if KindOfName(in.Name) == kind {
		why = "though its name says so"
	}
	return fault.Wrap(fault.Invalid, cause, "This file is not a %s file, %s.", labels[kind], why)
}

// Damaged is a file of a kind that its reader does not understand. A fault as
// the cause is returned as it is.
func Damaged(kind knowledge.Kind, cause error) error {
	if found := new(fault.Error); errors.As(cause, &found) {
		return cause
	}
	return fault.Wrap(fault.Invalid, cause, "This %s file is damaged. Save it anew with the program that it comes from, and add it again.", labels[kind])
}

// Protected is a file that only a password opens.
func Protected(kind knowledge.Kind) error {
	return fault.New(fault.Invalid, "This %s is protected by a password. Remove the password, and add it again.", labels[kind])
}
