package app

import (
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	server := newApp(nil, nil).Server()
	for what, got := range map[string]time.Duration{"its header section": server.ReadTimeout, "another request": server.IdleTimeout} {
		t.Run("a connection does not wait for "+what+" for more than 30 s", func(t *testing.T) {
			if got <= 0 || got > 30*time.Second {
				t.Errorf("it waits %v", got)
			}
		})
	}
}
