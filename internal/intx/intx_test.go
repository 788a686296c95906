package intx

import (
	"context"
	"testing"
)

func TestInside(t *testing.T) {
	t.Run("a context is outside until it is marked", func(t *testing.T) {
		if Inside(t.Context()) {
			t.Error("a plain context is inside")
		}
	})
	t.Run("a marked context is inside, and so is what comes from it", func(t *testing.T) {
		child, cancel := context.WithCancel(Mark(t.Context()))
		defer cancel()
		if !Inside(child) || !Inside(context.WithoutCancel(child)) {
			t.Error("the mark is lost")
		}
	})
}
