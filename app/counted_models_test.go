package app

import (
	"context"
	"errors"
	"slices"
	"testing"

	"parley/core/chat/turn"
	"parley/core/fault"
)

func TestCallOutcomes(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		callCompleted:   nil,
		callInterrupted: turn.ErrLeft,
		callFailed:      fault.New(fault.Upstream, "It did not answer."),
		"busy":          fault.New(fault.Unavailable, "It is busy.").Named(fault.ModelBusy),
		"unpaid":        fault.New(fault.Upstream, "It is not paid.").Named(fault.ModelUnpaid),
		"key_rejected":  fault.New(fault.Upstream, "It rejects the key.").Named(fault.ModelKeyRejected),
		"too_long":      fault.New(fault.Upstream, "It is too long.").Named(fault.ContextTooLong),
	} {
		t.Run("a call that ended with "+want, func(t *testing.T) {
			if got := callOutcome(err); got != want || !slices.Contains(callOutcomes, got) {
				t.Errorf("its outcome is %s", got)
			}
		})
	}
	t.Run("a call that took too long has failed, and one that nobody wants any more has not", func(t *testing.T) {
		if late, left := callOutcome(context.DeadlineExceeded), callOutcome(context.Canceled); late != callFailed || left != callInterrupted {
			t.Errorf("they are %s and %s", late, left)
		}
	})
	t.Run("a code that no figure has is counted as failed", func(t *testing.T) {
		if got := callOutcome(errors.Join(fault.New(fault.Upstream, "It is new.").Named("model_made_up"))); got != callFailed {
			t.Errorf("its outcome is %s", got)
		}
	})
}
