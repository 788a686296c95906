package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// oldClients are those who speak HTTP/1.0, such as proxies with old settings. They
// know no chunks: a body whose length nobody knows ends with the connection
// (RFC 9112, section 6.1).
type oldClients struct {
	log *slog.Logger
	// reading counts those who are still reading such a body. The server does not
	// know their connections any more.
	reading sync.WaitGroup
}

// unchunk makes an answer without chunks of one whose length nobody knows. It is called
// when the answer to an old client is ready to be written.
func (o *oldClients) unchunk(c *fasthttp.RequestCtx) {
	body := c.Response.BodyStream()
	if body == nil || c.Response.Header.ContentLength() >= 0 {
		return
	}
	c.Response.Header.Del(fiber.HeaderTransferEncoding)
	c.SetConnectionClose()
	head, onlyHead := &c.Response.Header, c.IsHead()
	o.reading.Add(1)
	c.HijackSetNoResponse(true)
	c.Hijack(func(conn net.Conn) { // the answer is closed when this returns
		defer o.reading.Done()
		defer func() {
			if p := recover(); p != nil {
				o.log.Error("could not write an answer", "error", fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
		}()
		_ = conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := conn.Write(head.Header()); err == nil && !onlyHead {
			// The body knows how long each of its parts may take. A client who has gone
			// ends it.
			_, _ = io.CopyBuffer(conn, body, make([]byte, bodyPart))
		}
		_ = c.Response.CloseBodyStream()
	})
}

// bodyPart is how much of a body is written at once.
const bodyPart = 4 << 10

// wait returns when nobody is reading any more, or ctx ends.
func (o *oldClients) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.reading.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
