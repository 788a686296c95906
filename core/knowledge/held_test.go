package knowledge

import (
	"errors"
	"testing"
)

func TestHeldVersions(t *testing.T) {
	well := func() error { return nil }
	t.Run("the version that was written last is what the index holds", func(t *testing.T) {
		h := newHeldVersions()
		_ = h.during("doc", 1, well)
		_ = h.during("doc", 2, well)
		if h.is("doc", 1) || !h.is("doc", 2) || h.is("other", 2) {
			t.Error("another version is known")
		}
	})
	t.Run("nothing is known during a write and after one that failed or panicked", func(t *testing.T) {
		h := newHeldVersions()
		_ = h.during("doc", 1, well)
		during := true
		err := h.during("doc", 2, func() error { during = h.is("doc", 1) || h.is("doc", 2); return errors.ErrUnsupported })
		if err == nil || during || h.is("doc", 1) || h.is("doc", 2) {
			t.Error("a version is known")
		}
		func() {
			defer func() { _ = recover() }()
			_ = h.during("doc", 3, func() error { panic("a defect") })
		}()
		if h.is("doc", 3) || len(h.writing) != 0 {
			t.Error("the write that panicked is known")
		}
	})
	t.Run("nothing is known after two writes at the same time", func(t *testing.T) {
		h := newHeldVersions()
		_ = h.during("doc", 1, func() error { return h.during("doc", 2, well) })
		if h.is("doc", 1) || h.is("doc", 2) || len(h.writing) != 0 {
			t.Error("one of them is known")
		}
		_ = h.during("doc", 3, func() error { return h.during("other", 4, well) })
		if !h.is("doc", 3) || !h.is("other", 4) {
			t.Error("the writes of two documents are not known")
		}
	})
}
