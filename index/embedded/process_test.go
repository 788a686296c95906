package embedded

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/index/indextest"
)

// passagesEach is how many passages the child's documents have.
const passagesEach = 5

// TestMain makes this program a child that loads documents and prints the name of
// each when Replace has returned, if a parent requests it.
func TestMain(m *testing.M) {
	path := os.Getenv("PARLEY_TEST_LOAD")
	if path == "" {
		os.Exit(m.Run())
	}
	index, err := Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for i := 0; ; i++ {
		document := fmt.Sprint("doc_", i)
		entries := indextest.Entries(document, int64(10*i+1), "apples "+document, "apples", "pears", "figs", "apples")
		if err := index.Replace(context.Background(), scope(i%3), document, entries); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

// loading starts a child. The function it returns waits for the next document.
func loading(t *testing.T, path string) (child *exec.Cmd, next func() int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child = exec.CommandContext(t.Context(), program)
	child.Env = append(os.Environ(), "PARLEY_TEST_LOAD="+path)
	child.Stderr = os.Stderr
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	return child, func() int {
		number := -1
		if !lines.Scan() {
			return -1
		}
		if _, err := fmt.Sscan(lines.Text(), &number); err != nil {
			t.Fatal(err)
		}
		return number
	}
}

func wantWhole(t *testing.T, index *Index, number int) {
	t.Helper()
	document := fmt.Sprint("doc_", number)
	n, err := index.Count(t.Context(), scope(number%3), document)
	if err != nil || n != passagesEach {
		t.Errorf("%s counts %d, %v", document, n, err)
	}
	if hits := found(t, index, number%3, document); len(hits) != 1 || hits[0].PassageID != int64(10*number+1) {
		t.Errorf("%s is found as %v", document, hits)
	}
}

func TestAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	index := open(t, path)
	child, next := loading(t, path)
	t.Run("what another process has loaded is found immediately", func(t *testing.T) {
		for range 100 {
			wantWhole(t, index, next())
		}
	})
	t.Run("after the other process was killed every document that it had loaded is whole", func(t *testing.T) {
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		last := 0
		for number := next(); number >= 0; number = next() {
			last = number
		}
		_ = child.Wait()
		again := open(t, path)
		for number := range last + 1 {
			wantWhole(t, again, number)
		}
		// One more document may have been committed, and must then be whole.
		if n, err := again.Count(t.Context(), scope((last+1)%3), fmt.Sprint("doc_", last+1)); err != nil || n != 0 && n != passagesEach {
			t.Errorf("the next document counts %d, %v", n, err)
		}
		put(t, again, 0, "after", 1_000_000, "apples after")
		if len(found(t, again, 0, "after")) != 1 {
			t.Error("nothing can be added")
		}
	})
}
