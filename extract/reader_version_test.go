package extract

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/knowledge"
)

// TestReaderVersions holds each golden file to the version of the reader that made it: documents of
// an older version are read again after an upgrade.
func TestReaderVersions(t *testing.T) {
	const recorded = "testdata/reader_versions.txt"
	known := map[string][2]string{}
	before, err := os.ReadFile(recorded)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(before)) {
		fields := strings.Fields(line)
		known[fields[0]] = [2]string{fields[1], fields[2]}
	}
	files, err := filepath.Glob("testdata/golden/*")
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(body), "\n")
		kind, read := strings.CutPrefix(first, "kind: ")
		if !read {
			continue
		}
		name, version := filepath.Base(file), fmt.Sprint(kind, "=", knowledge.ReaderVersion(knowledge.Kind(kind)))
		digest := fmt.Sprintf("%x", sha256.Sum256(body))[:16]
		was, is := known[name]
		switch {
		case is && was[1] != digest && was[0] == version:
			t.Errorf("%s has changed: raise the version of %s in core/knowledge/reader_version.go, and run this test with -update", name, kind)
			digest = was[1]
		case !*update && (!is || was != [2]string{version, digest}):
			t.Errorf("%s is not recorded as %s in %s: run this test with -update", name, version, recorded)
		}
		fmt.Fprintln(&now, name, version, digest)
	}
	if *update {
		if err := os.WriteFile(recorded, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
