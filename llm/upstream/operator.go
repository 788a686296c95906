package upstream

import (
	"errors"

	"parley/core/fault"
)

// unusable is what everybody reads who asks a model of this server's own that its operator has
// to mend.
const unusable = "The language model of this server cannot be used right now, and the operator of this server has been told. Try again later."

// OfOperator returns the failure of a model whose account is the operator's: what an owner would
// have to mend at a provider of their own is the operator's to mend, too. Other errors it returns
// as they are.
func OfOperator(err error) error {
	var failure *fault.Error
	if !errors.As(err, &failure) {
		return err // the caller's own
	}
	owned := *failure // a check keeps what it found
	switch failure.Code() {
	case fault.ModelKeyRejected, fault.ModelUnknown, fault.ModelUnpaid, fault.ModelRefused:
		owned.Message = unusable
		return owned.ForOperator()
	case fault.ModelFailed, fault.ModelBusy:
		return owned.ForOperator()
	}
	return err
}
