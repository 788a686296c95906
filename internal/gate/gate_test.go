package gate

import (
	"testing"
	"testing/synctest"
)

func TestGate(t *testing.T) {
	t.Run("a closed gate admits no work, and waits for running work and for what it starts", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var g Gate
			if !g.Enter() || g.Closed() {
				t.Fatal("a new gate is closed")
			}
			ended := false
			go func() {
				g.Close()
				ended = true
			}()
			synctest.Wait()
			if g.Enter() || !g.Closed() {
				t.Error("the gate is open after Close")
			}
			g.EnterAgain()
			g.Leave()
			synctest.Wait()
			if ended {
				t.Error("Close does not wait for nested work")
			}
			g.Leave()
			synctest.Wait()
			if !ended {
				t.Error("Close waits although no work is left")
			}
		})
	})
}
