package load

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

func TestSteady(t *testing.T) {
	var asked atomic.Int32
	cpu := func() (time.Duration, error) { return time.Duration(asked.Load()) * time.Second, nil }
	pace := Pace{Every: time.Millisecond, WarmUp: 3, Streams: 10, CPU: cpu}

	t.Run("streams that run to warm up are not counted", func(t *testing.T) {
		exchange := serve(t, true, "Hello", func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			events(`{"type":"delta","content":"Hello"}`, "[DONE]")(w, r)
		})
		r, err := Steady(context.Background(), exchange, pace)
		if err != nil || r.Failures > 0 || r.Requests != 10 || len(r.First) != 10 || r.CPU != 10*time.Second {
			t.Fatalf("got %+v, %v", r, err)
		}
	})
	t.Run("a stream that is cut fails alone", func(t *testing.T) {
		var streams atomic.Int32
		exchange := serve(t, true, "Hello", func(w http.ResponseWriter, r *http.Request) {
			if streams.Add(1) == 8 {
				events(`{"type":"delta","content":"Hello"}`)(w, r)
				return
			}
			events(`{"type":"delta","content":"Hello"}`, "[DONE]")(w, r)
		})
		r, err := Steady(context.Background(), exchange, pace)
		if err != nil || r.Failures != 1 || r.Requests != 9 {
			t.Fatalf("got %+v, %v", r, err)
		}
	})
	t.Run("it starts none after it is told to stop", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Steady(ctx, &Exchange{}, pace); err == nil {
			t.Fatal("it went on")
		}
	})
}
