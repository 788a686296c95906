package harness

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/app"
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

// Main runs the tests of a package. It also lets the test binary be the process that
// reads a file: servers in these tests start what they are themselves.
func Main(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == app.ExtractChild {
		if err := app.ReadAsChild(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if err := findProgram(); err != nil && flag.Lookup("test.list").Value.String() == "" {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if compiledIn != "" {
		_ = os.RemoveAll(compiledIn)
	}
	os.Exit(code)
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

// compiledIn is the folder of the compiled PDF reader, once it is needed.
var compiledIn string

var compiled = sync.OnceValues(func() (dir string, err error) {
	compiledIn, err = os.MkdirTemp("", "parley-test-cache-")
	return compiledIn, err
})

// ShareCache lets the programs of all tests compile the PDF reader once.
func ShareCache(t *testing.T, dataDir string) {
	t.Helper()
	cache, err := compiled()
	if err == nil {
		err = os.Symlink(cache, filepath.Join(dataDir, "cache"))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
}
