package api

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/chat/turn"
	"parley/core/fault"
)

// deadlines is a connection that only takes deadlines.
type deadlines struct {
	net.Conn
	set func(time.Time) error
}

func (d deadlines) SetWriteDeadline(t time.Time) error { return d.set(t) }

func opened(ctx context.Context) *writer {
	conn := deadlines{set: func(time.Time) error { return nil }}
	return &writer{stream: newStream(reader{ctx: ctx, cancel: func(error) {}, conn: conn, unwatch: func() {}}, StreamTimes{}.orDefaults())}
}

// delta is a piece of an answer that ends at an offset.
func delta(text string, offset int) turn.Event {
	return turn.Event{Kind: turn.Delta, Text: text, At: turn.Position{AnswerID: 81, Attempt: 1, Offset: offset}}
}

func read(t *testing.T, s io.Reader) string {
	t.Helper()
	b := make([]byte, 4<<10)
	n, err := s.Read(b)
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	return string(b[:n])
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestStreamTimes(t *testing.T) {
	t.Run("after 10 s of silence there is a waiting event, and again after 10 s more", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := opened(t.Context())
			s.begin(17)
			read(t, s)
			for range 3 {
				start := time.Now()
				if got := read(t, s); !strings.HasPrefix(got, waitingStart) || strings.Count(got, "\n\n") != 1 {
					t.Fatalf("got %q", got)
				}
				if silence := time.Since(start); silence != 10*time.Second {
					t.Fatalf("after %v", silence)
				}
			}
			must(t, s.Close())
		})
	})

	t.Run("a reader with little room gets the whole of a waiting event", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := opened(t.Context())
			var got strings.Builder
			for b := make([]byte, 7); !strings.HasSuffix(got.String(), eventEnd); {
				n, err := s.Read(b)
				must(t, err)
				got.Write(b[:n])
			}
			if strings.Count(got.String(), waitingStart) != 1 {
				t.Fatalf("got %q", got.String())
			}
			must(t, s.Close())
		})
	})

	t.Run("a token is looked at every 2 s, whatever the rhythm of the answer", func(t *testing.T) {
		for _, rhythm := range []time.Duration{time.Millisecond, 1900 * time.Millisecond, time.Minute} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				s := opened(ctx)
				s.reader.cancel = cancel
				revoked := time.Now().Add(1999 * time.Millisecond)
				s.valid = func() error {
					if time.Now().Before(revoked) {
						return nil
					}
					return fault.New(fault.Unauthenticated, "revoked")
				}
				go func() {
					for s.event(delta("word", 0)) == nil && ctx.Err() == nil {
						time.Sleep(rhythm)
					}
					s.end()
				}()
				go func() {
					_, _ = io.Copy(io.Discard, s)
				}()
				<-ctx.Done()
				if late := time.Since(revoked); late > 2*time.Second {
					t.Fatalf("with a piece every %v the revocation took %v", rhythm, late)
				}
				if !fault.Is(context.Cause(ctx), fault.Unauthenticated) {
					t.Fatalf("the cause is %v", context.Cause(ctx))
				}
				time.Sleep(2 * time.Minute)
			})
		}
	})

	t.Run("a database that hangs neither ends a stream nor holds it up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			s := opened(ctx)
			s.reader.cancel = cancel
			s.valid = func() error {
				<-ctx.Done()
				return fault.Wrap(fault.Unavailable, ctx.Err(), "hung")
			}
			for range 100 {
				time.Sleep(time.Second)
				must(t, s.event(delta("word", 0)))
				if got := read(t, s); !strings.Contains(got, "word") {
					t.Fatalf("got %q", got)
				}
			}
			must(t, s.Close())
			synctest.Wait()
			if cause := context.Cause(ctx); cause != errClientGone {
				t.Fatalf("the cause is %v", cause)
			}
		})
	})

	t.Run("the reader has 15 s for each part, from when it is given", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var until time.Time
			s := opened(t.Context())
			s.reader.conn = deadlines{set: func(at time.Time) error { until = at; return nil }}
			for range 5 {
				time.Sleep(time.Second)
				must(t, s.event(delta("word", 0)))
				read(t, s)
				if left := time.Until(until); left != 15*time.Second {
					t.Fatalf("got %v", left)
				}
			}
			must(t, s.Close())
		})
	})
}

func TestStalledReader(t *testing.T) {
	piece := strings.Repeat("x", 1000)

	stalled := func(t *testing.T, ctx context.Context) (*writer, chan error) {
		s := opened(ctx)
		failed := make(chan error, 1)
		go func() {
			for {
				if err := s.event(delta(piece, 0)); err != nil {
					failed <- err
					return
				}
			}
		}()
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if held := len(s.unread); held < maxUnread || held > maxUnread+2*len(piece) {
			t.Fatalf("%d bytes are held", held)
		}
		return s, failed
	}

	t.Run("the model waits while the reader is behind, and goes on with it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, failed := stalled(t, t.Context())
			total := 0
			for b := make([]byte, 4<<10); total < 4*maxUnread; {
				n, err := s.Read(b)
				must(t, err)
				total += n
			}
			must(t, s.Close())
			<-failed
		})
	})

	t.Run("a reader that goes away lets the model go", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, failed := stalled(t, t.Context())
			must(t, s.Close())
			if err := <-failed; !errors.Is(err, errClientGone) {
				t.Fatalf("got %v", err)
			}
		})
	})

	t.Run("a turn that must end does not wait for the reader", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			s, failed := stalled(t, ctx)
			cancel()
			<-failed
			s.fail(failureOf(errDraining))
			s.end()
			rest, err := io.ReadAll(s)
			must(t, err)
			if got := string(rest); !strings.HasSuffix(got, eventEnd+streamDone) || strings.Count(got, `"type":"error"`) != 1 {
				t.Fatalf("the end is %q", got[len(got)-300:])
			}
			must(t, s.Close())
		})
	})
}

func TestPanicWhileStreaming(t *testing.T) {
	t.Run("one in the writer ends the turn, and its last events still go out", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			s := opened(ctx)
			s.reader.cancel = cancel
			panics := true
			s.reader.conn = deadlines{set: func(time.Time) error {
				if panics {
					panics = false
					panic("of the connection")
				}
				return nil
			}}
			s.begin(17)
			go func() { // as a run does
				<-ctx.Done()
				s.fail(failureOf(context.Cause(ctx)))
				s.end()
			}()
			all, err := io.ReadAll(s)
			must(t, err)
			got := string(all)
			if strings.Count(got, `"type":"conversation"`) != 1 || strings.Count(got, `"type":"error","error":5,`) != 1 || !strings.HasSuffix(got, eventEnd+streamDone) {
				t.Fatalf("got %q", got)
			}
			if strings.Contains(got, "of the connection") {
				t.Fatalf("the reader sees what went wrong inside: %q", got)
			}
			must(t, s.Close())
		})
	})

	t.Run("a second one in the writer cuts the stream", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			s := opened(ctx)
			s.reader.cancel = cancel
			s.reader.conn = deadlines{set: func(time.Time) error { panic("of the connection") }}
			s.begin(17)
			if n, err := s.Read(make([]byte, 100)); n != 0 || err == nil || !strings.Contains(err.Error(), "of the connection") {
				t.Fatalf("read %d, %v", n, err)
			}
			must(t, s.Close())
			must(t, s.Close()) // twice is safe
		})
	})

	t.Run("one in the look at the token ends that turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			s := opened(ctx)
			s.reader.cancel = cancel
			s.valid = func() error { panic("of the database") }
			go func() { _, _ = io.Copy(io.Discard, s) }()
			<-ctx.Done()
			if !fault.Is(context.Cause(ctx), fault.Internal) {
				t.Fatalf("the cause is %v", context.Cause(ctx))
			}
			s.end()
		})
	})
}
