package harness

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/testinputs"
)

// program is the path of the program as users run it.
var program string

// Program returns the path of the program as users run it. It opens the file, so that go's
// test cache, which knows the files that a test opens, gives no results of another program.
// What is opened before the tests run, go does not note.
func Program() string {
	testinputs.Use() // what the program's callers are: browsers, scripts and clients
	file, err := os.Open(program)
	if err == nil { // otherwise the test fails when it runs the program
		_ = file.Close()
	}
	return program
}

// Main runs the tests of a package.
func Main(m *testing.M) {
	flag.Parse()
	if err := findProgram(); err != nil && flag.Lookup("test.list").Value.String() == "" {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// findProgram finds the program before any test runs.
func findProgram() error {
	program = os.Getenv("PARLEY_TEST_PROGRAM")
	if program == "" {
		return errors.New("PARLEY_TEST_PROGRAM does not name the program: run the tests through make, or scripts/with-services.sh")
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("the program that PARLEY_TEST_PROGRAM names: %w; run the tests through make, or scripts/with-services.sh", err)
	}
	return nil
}

// ShareCache lets the servers of all tests compile the PDF reader once, beside the program.
func ShareCache(t *testing.T, dataDir string) {
	t.Helper()
	cache := filepath.Join(filepath.Dir(program), "cache")
	err := os.MkdirAll(cache, 0o700)
	if err == nil {
		err = os.Symlink(cache, filepath.Join(dataDir, "cache"))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
}
