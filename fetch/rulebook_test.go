package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/fault"
	"parley/fetch/robots"
)

// library counts the reads of each file.
type library struct {
	mu    sync.Mutex
	reads map[string]int
	bytes int
	takes time.Duration
	err   error
}

func (l *library) read(ctx context.Context, u *url.URL) (*robots.Rules, int, error) {
	l.mu.Lock()
	if l.reads == nil {
		l.reads = make(map[string]int)
	}
	l.reads[u.String()]++
	err := l.err
	l.mu.Unlock()
	if waited := sleep(ctx, l.takes); waited != nil {
		return nil, 0, waited
	}
	if err != nil {
		return nil, 0, err
	}
	return robots.Parse([]byte("User-agent: *\nDisallow: /private"), "Parley"), l.bytes, nil
}

func (l *library) count(origin string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reads[origin+"/robots.txt"]
}

func TestRulebook(t *testing.T) {
	const site = "https://a.example"
	at, err := url.Parse(site + "/page?q=1")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(t *testing.T, b *rulebook) error {
		t.Helper()
		rules, err := b.rules(t.Context(), at)
		if err == nil && rules.Allows("/private") {
			t.Error("these are different rules")
		}
		return err
	}
	t.Run("a file is read once for all who wait for it, and then cached for a day", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := &library{takes: time.Second}
			b := newRulebook(l.read)
			var wait sync.WaitGroup
			for range 20 {
				wait.Go(func() {
					if err := ask(t, b); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			time.Sleep(23 * time.Hour)
			if err := ask(t, b); err != nil || l.count(site) != 1 {
				t.Errorf("%v, %d reads", err, l.count(site))
			}
			time.Sleep(2 * time.Hour)
			if err := ask(t, b); err != nil || l.count(site) != 2 {
				t.Errorf("a day later: %v, %d reads", err, l.count(site))
			}
		})
	})
	t.Run("a failure is cached for a minute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			down := fault.New(fault.Upstream, "down")
			l := &library{err: down}
			b := newRulebook(l.read)
			for range 3 {
				if err := ask(t, b); !errors.Is(err, down) {
					t.Error(err)
				}
			}
			if l.count(site) != 1 {
				t.Errorf("%d reads", l.count(site))
			}
			time.Sleep(time.Minute)
			l.err = nil
			if err := ask(t, b); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("older rules apply while the file is unavailable", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := &library{}
			b := newRulebook(l.read)
			_ = ask(t, b)
			l.err = fault.New(fault.Upstream, "down")
			time.Sleep(25 * time.Hour)
			for range 3 {
				if err := ask(t, b); err != nil {
					t.Error(err)
				}
			}
			if l.count(site) != 2 {
				t.Errorf("%d reads", l.count(site))
			}
		})
	})
	t.Run("a caller who goes away does not affect the others", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := &library{takes: 10 * time.Second}
			b := newRulebook(l.read)
			var wait sync.WaitGroup
			wait.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := b.rules(ctx, at); err == nil {
					t.Error("the first caller got an answer")
				}
			})
			synctest.Wait()
			wait.Go(func() {
				if err := ask(t, b); err != nil {
					t.Error(err)
				}
			})
			wait.Wait()
		})
	})
	t.Run("a missing slot is not cached as the site's failure", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := &library{err: tooSlow(time.Second)}
			b := newRulebook(l.read)
			_ = ask(t, b)
			l.err = nil
			if err := ask(t, b); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("a panic becomes an error for those who wait, and is not cached", func(t *testing.T) {
		l := &library{}
		broken := true
		b := newRulebook(func(ctx context.Context, u *url.URL) (*robots.Rules, int, error) {
			if broken {
				panic("broken")
			}
			return l.read(ctx, u)
		})
		if err := ask(t, b); err == nil {
			t.Error("there are rules")
		}
		broken = false
		if err := ask(t, b); err != nil {
			t.Error(err)
		}
	})
	t.Run("the memory of files is bounded", func(t *testing.T) {
		l := &library{bytes: robots.MaxBytes}
		b := newRulebook(l.read)
		for i := range 500 {
			_, _ = b.rules(t.Context(), &url.URL{Scheme: "http", Host: fmt.Sprintf("%d.example", i), Path: "/"})
		}
		kept := 0
		for _, known := range b.entries.Values() {
			kept += known.bytes
		}
		if b.bytes != kept || kept > maxRuleBytes || b.entries.Len() > maxRuleBytes/robots.MaxBytes {
			t.Errorf("%d bytes are counted, %d are kept, in %d entries", b.bytes, kept, b.entries.Len())
		}
		if !b.entries.Contains("http://499.example/robots.txt") {
			t.Error("the newest was forgotten")
		}
	})
}
