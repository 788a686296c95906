package requestline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

func TestLine(t *testing.T) {
	written := 0
	write := func(*Line) { written++ }
	t.Run("the line of an answer that ends with its handler is written at once", func(t *testing.T) {
		written = 0
		l := &Line{Status: 200, began: time.Now()}
		if l.Write(write); written != 1 {
			t.Errorf("it is written %d times", written)
		}
	})
	t.Run("that of a stream is written at its end, with what became of it", func(t *testing.T) {
		written = 0
		l := &Line{Status: 200, began: time.Now().Add(-time.Second)}
		l.Hold()
		if l.Write(write); written != 0 {
			t.Fatal("it is written before")
		}
		l.End(500, "model_failed", 17)
		if written != 1 || l.Status != 500 || l.Code != "model_failed" || l.Bytes != 17 || l.Took < time.Second {
			t.Errorf("it is written %d times, with %+v", written, l)
		}
	})
	t.Run("a stream that gave way to another answer ends nothing", func(t *testing.T) {
		written = 0
		l := &Line{Status: 500}
		l.Hold()
		l.End(ClientGone, "", 0)
		if l.Write(write); written != 1 || l.Status != 500 {
			t.Errorf("it is written %d times, with %+v", written, l)
		}
	})
	t.Run("a HEAD request has no body that could end", func(t *testing.T) {
		written = 0
		l := &Line{Status: 200, head: true}
		l.Hold()
		l.Write(write)
		l.End(ClientGone, "", 0)
		if written != 1 || l.Status != 200 {
			t.Errorf("it is written %d times, with %+v", written, l)
		}
	})
	t.Run("who has no line can say all the same", func(*testing.T) {
		var l *Line
		l.For("ws_1", "tok_1")
		l.Fail(500, "model_failed")
		l.Hold()
		l.End(200, "", 0)
	})
}

func TestOutcome(t *testing.T) {
	for status, want := range map[int]string{
		fiber.StatusOK: "completed", fiber.StatusSeeOther: "completed", fiber.StatusTooManyRequests: "refused", ClientGone: "client_gone",
		fiber.StatusInternalServerError: "failed", fiber.StatusServiceUnavailable: "failed",
	} {
		t.Run(fmt.Sprintf("%d is %s", status, want), func(t *testing.T) {
			if got := (&Line{Status: status}).Outcome(); got != want {
				t.Errorf("it is %s", got)
			}
		})
	}
}

func TestFields(t *testing.T) {
	show := func(l Line) string {
		var fields []string
		for _, a := range l.Append(nil) {
			fields = append(fields, a.String())
		}
		return strings.Join(fields, " ")
	}
	t.Run("a line has all that is known", func(t *testing.T) {
		got := show(Line{RequestID: "req_1", Method: "POST", Route: "/api/v1/chat", WorkspaceID: "ws_1", TokenID: "tok_1", Status: 500, Code: "model_failed", Bytes: 90, Took: 1234567 * time.Nanosecond})
		if got != "request_id=req_1 method=POST route=/api/v1/chat status=500 outcome=failed code=model_failed workspace_id=ws_1 token_id=tok_1 bytes=90 duration_ms=1.234" {
			t.Errorf("it has %s", got)
		}
	})
	t.Run("and leaves out what is not", func(t *testing.T) {
		got := show(Line{RequestID: "req_1", Method: "GET", Route: "/", Status: 200})
		if got != "request_id=req_1 method=GET route=/ status=200 outcome=completed bytes=0 duration_ms=0" {
			t.Errorf("it has %s", got)
		}
	})
}
