package api

import (
	"debug/elf"
	"os"
	"runtime"
	"strings"
	"testing"

	"parley/e2e/harness"
)

func TestBuildIsStatic(t *testing.T) {
	t.Parallel()
	t.Run("every way to build the program leaves cgo out", func(t *testing.T) {
		for file, line := range map[string]string{
			"../../Makefile":   "CGO_ENABLED=0 $(GO) build",
			"../../Dockerfile": "CGO_ENABLED=0 go build",
		} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), line) {
				t.Errorf("%s does not have %q", file, line)
			}
		}
	})
	t.Run("the binary needs no library of the system", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			return
		}
		binary, err := elf.Open(harness.Program())
		if err != nil {
			t.Fatal(err)
		}
		defer binary.Close()
		if libraries, err := binary.ImportedLibraries(); err != nil || len(libraries) != 0 {
			t.Errorf("it needs %v, %v", libraries, err)
		}
	})
}
