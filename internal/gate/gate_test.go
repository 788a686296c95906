package gate

import (
	"testing"
	"testing/synctest"
)

func TestGate(t *testing.T) {
	t.Run("a closed gate lets nobody in, and waits for those who are, and for what they begin", func(t *testing.T) {
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
				t.Error("it is open after it was closed")
			}
			g.EnterAgain()
			g.Leave()
			synctest.Wait()
			if ended {
				t.Error("it does not wait for what was begun within")
			}
			g.Leave()
			synctest.Wait()
			if !ended {
				t.Error("it waits for nobody")
			}
		})
	})
}
