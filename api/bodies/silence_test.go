package bodies

import (
	"io"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

func TestSilence(t *testing.T) {
	short := func(app *fiber.App) {
		app.Server().ReadTimeout, app.Server().IdleTimeout = 50*time.Millisecond, 50*time.Millisecond
	}
	_, address := newServer(t, MinMemory, short)

	t.Run("a silent connection is closed", func(t *testing.T) {
		dial(t, address).isClosed()
	})
	t.Run("so is one that falls silent after a response", func(t *testing.T) {
		c := dial(t, address)
		c.sends(get)
		c.reads(200, "next")
		c.isClosed()
	})
	t.Run("a header section that trickles in does not keep a connection open", func(t *testing.T) {
		c := dial(t, address)
		c.sends("GET / HTTP/1.1\r\nHost: a\r\nX-A: ")
		for began := time.Now(); ; {
			if _, err := io.WriteString(c, "x"); err != nil {
				return // closed
			}
			if time.Since(began) > wait {
				t.Fatal("the connection is still open")
			}
			time.Sleep(time.Millisecond)
		}
	})
}
