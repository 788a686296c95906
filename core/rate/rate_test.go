package rate

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/fault"
)

// admits returns how many of at most 10,000 requests pass before one is refused.
func admits(count func() error) int {
	for n := range 10_000 {
		if count() != nil {
			return n
		}
	}
	return 10_000
}

func TestPace(t *testing.T) {
	costly := With(context.Background(), Costly)
	ordinary := context.Background()
	inBubble := func(test func(t *testing.T, p *Pace)) func(*testing.T) {
		return func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, NewPace(time.Now)) })
		}
	}
	t.Run("a person's requests a minute are limited, and costly ones more strictly", inBubble(func(t *testing.T, p *Pace) {
		if n := admits(func() error { return p.Person(costly, "usr_1") }); n != p.Limits.Person[Costly] {
			t.Errorf("%d costly ones passed", n)
		}
		if n := admits(func() error { return p.Person(ordinary, "usr_1") }); n != p.Limits.Person[Ordinary]-p.Limits.Person[Costly] {
			t.Errorf("%d others passed", n)
		}
		if err := p.Person(ordinary, "usr_2"); err != nil {
			t.Errorf("another person: %v", err)
		}
	}))
	t.Run("a workspace's requests are limited, whichever member sends them", inBubble(func(t *testing.T, p *Pace) {
		if n := admits(func() error { return p.Workspace(costly, "ws_1") }); n != p.Limits.Workspace[Costly] {
			t.Errorf("%d passed", n)
		}
		if err := p.Workspace(costly, "ws_2"); err != nil {
			t.Errorf("another workspace: %v", err)
		}
	}))
	t.Run("a refused request says when to try again", inBubble(func(t *testing.T, p *Pace) {
		admits(func() error { return p.Stranger("192.0.2.1/32") })
		refused := fault.As(p.Stranger("192.0.2.1/32"))
		if refused.Kind != fault.RateLimited || refused.RetryAfter < time.Second || refused.RetryAfter > 61*time.Second {
			t.Fatalf("it is refused with %v, again in %v", refused, refused.RetryAfter)
		}
		time.Sleep(refused.RetryAfter)
		if err := p.Stranger("192.0.2.1/32"); err != nil {
			t.Error(err)
		}
	}))
	t.Run("the most idle callers are forgotten first, and many networks do not fill the memory", inBubble(func(t *testing.T, p *Pace) {
		for i := range paceMax + 10 {
			if err := p.Stranger(fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		if p.counts.Len() > paceMax {
			t.Errorf("%d are kept", p.counts.Len())
		}
		for range p.Limits.Stranger[Ordinary] {
			_ = p.Stranger("busy")
		}
		for i := range paceMax - 1 {
			_ = p.Stranger(fmt.Sprint("other ", i))
		}
		if err := p.Stranger("busy"); !fault.Is(err, fault.RateLimited) {
			t.Errorf("one of %d networks: its next request gives %v", paceMax, err)
		}
		time.Sleep(paceKept)
		_ = p.Stranger("192.0.2.1/32")
		if p.counts.Len() != 1 {
			t.Errorf("%d are kept", p.counts.Len())
		}
	}))
}
