package extract

import (
	"errors"

	"parley/core/fault"
	"parley/core/knowledge"
)

// errStopped is a reader that ended without an answer.
func errStopped(cause error) error {
	return fault.Wrap(fault.Invalid, cause, "This file could not be read: its reader stopped. It may be damaged. Save it anew with the program that it comes from, and add it again.")
}

func errMemory(cause error) error {
	return fault.Wrap(fault.TooLarge, cause, "Reading it needed more memory than allowed. Split the file, and add its parts.")
}

// errNot is a file that is not of the kind that it was taken for.
func errNot(in Input, kind knowledge.Kind, cause error) error {
	why := "though it was declared as one"
	if kindOfName(in.Name) == kind {
		why = "though its name says so"
	}
	return fault.Wrap(fault.Invalid, cause, "This file is not a %s file, %s.", labels[kind], why)
}

func errDamaged(kind knowledge.Kind, cause error) error {
	if found := new(fault.Error); errors.As(cause, &found) {
		return cause
	}
	return fault.Wrap(fault.Invalid, cause, "This %s file is damaged. Save it anew with the program that it comes from, and add it again.", labels[kind])
}

func errProtected(kind knowledge.Kind) error {
	return fault.New(fault.Invalid, "This %s is protected by a password. Remove the password, and add it again.", labels[kind])
}
