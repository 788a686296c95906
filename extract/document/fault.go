package document

import (
	"errors"

	"parley/core/fault"
	"parley/core/knowledge"
)

// Stopped reports a reader that ended without a reply.
func Stopped(cause error) error {
	return fault.Wrap(fault.Invalid, cause, "Parley could not read this file. It may be damaged. Save it again in the program it comes from, and add it again.")
}

// OutOfMemory reports a document that needs more memory than its reader may use.
func OutOfMemory(cause error) error {
	return fault.Wrap(fault.TooLarge, cause, "Reading this file needed more memory than allowed. Split it, and add its parts.")
}

// NotOfKind reports a file that is not of the kind it claims to be.
func NotOfKind(in Input, kind knowledge.Kind, cause error) error {
	why := "although you declared it as one"
	if KindOfName(in.Name) == kind {
		why = "although its name says so"
	}
	return fault.Wrap(fault.Invalid, cause, "This file is not a %s file, %s.", labels[kind], why)
}

// Damaged reports a file that the reader for its kind does not understand. If the
// cause is already a fault, Damaged returns it unchanged.
func Damaged(kind knowledge.Kind, cause error) error {
	if found := new(fault.Error); errors.As(cause, &found) {
		return cause
	}
	return fault.Wrap(fault.Invalid, cause, "This %s file is damaged. Save it again in the program it comes from, and add it again.", labels[kind])
}

// Protected reports a file that opens only with a password.
func Protected(kind knowledge.Kind) error {
	return fault.New(fault.Invalid, "This %s file is protected by a password. Remove the password, and add it again.", labels[kind])
}
