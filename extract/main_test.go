package extract

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMain lets the test binary serve as the child, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "unconfined-child" {
		forbid = func() error { return errors.New("no filter here") }
		os.Args[1] = "extract-child"
	}
	if len(os.Args) > 1 && os.Args[1] == "extract-child" {
		if err := Child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "bad-child" {
		badChild(os.Args[2])
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "parley-extract-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cacheDir = filepath.Join(dir, "cache")
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// cacheDir holds the compiled PDF reader for all tests.
var cacheDir string

// newExtractor returns an extractor whose children are this test binary.
func newExtractor(t testing.TB, limits Limits) *Extractor {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if limits.Time == 0 {
		limits.Time = 90 * time.Second
	}
	e := New(limits, child(program, "extract-child"))
	e.CacheDir = cacheDir
	return e
}

// child returns a command line of this test binary. Under the race detector a
// process sleeps for a second before it exits, unless told not to.
func child(program string, args ...string) []string {
	return append([]string{"env", "GORACE=atexit_sleep_ms=0", program}, args...)
}

// beBad makes an extractor start a child that misbehaves in a given way.
func (e *Extractor) beBad(what string) {
	e.program = child(e.program[2], "bad-child", what)
}
