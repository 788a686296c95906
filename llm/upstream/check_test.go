package upstream

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/fault"
)

func TestCheck(t *testing.T) {
	t.Run("a check holds for 15 seconds, whatever it found", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var check Check
			asked := 0
			refused := &Refusal{StatusCode: 401}
			for _, step := range []struct {
				after  time.Duration
				answer error
				fails  bool
				asked  int
			}{{0, nil, false, 1}, {checkAge - 1, refused, false, 1}, {1, refused, true, 2}, {checkAge - 1, nil, true, 2}, {1, nil, false, 3}} {
				time.Sleep(step.after)
				err := check.Result(t.Context(), func(context.Context) error {
					asked++
					return step.answer
				})
				if (err != nil) != step.fails || asked != step.asked {
					t.Errorf("after %v: %v and %d requests, want %d", step.after, err, asked, step.asked)
				}
				if err != nil && (!fault.Is(err, fault.Upstream) || !errors.Is(err, refused)) {
					t.Errorf("err = %v", err)
				}
			}
		})
	})
	t.Run("a check takes at most 2 seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var check Check
			began := time.Now()
			err := check.Result(t.Context(), func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
			if !fault.Is(err, fault.Upstream) || time.Since(began) != checkTimeout {
				t.Errorf("got %v after %v", err, time.Since(began))
			}
		})
	})
	t.Run("a caller who leaves does not cause a failure for others", func(t *testing.T) {
		var check Check
		ctx, cancel := context.WithCancel(t.Context())
		ask := func(ctx context.Context) error {
			cancel()
			return ctx.Err()
		}
		if err := check.Result(ctx, ask); err != nil {
			t.Errorf("a caller who leaves meanwhile: %v", err)
		}
		if err := check.Result(ctx, ask); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want context.Canceled", err)
		}
		if err := check.Result(t.Context(), ask); err != nil {
			t.Errorf("the next caller: %v", err)
		}
	})
}
