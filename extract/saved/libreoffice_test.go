// Package saved_test reads files that others made: documents that LibreOffice saves, and the
// documentation of Debian's packages. Both need what scripts/office.sh installs.
package saved_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/extract"
	"parley/extract/extracttest"
	"parley/internal/testinputs"
)

// TestMain lets the test binary serve as the extractor's child, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "extract-child" {
		if err := extract.Child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// newExtractor returns an extractor whose children are this test binary.
func newExtractor(t *testing.T) *extract.Extractor {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := extract.New(extract.Limits{Time: 2 * time.Minute}, []string{program, "extract-child"})
	e.CacheDir = t.TempDir()
	return e
}

// documents is how many documents of each program LibreOffice saves.
const documents = 12

// shows is what a document shows: its texts, those whose words stay whole, and those that
// are printed, too.
type shows struct{ pieces, plain, printed []string }

func TestDocumentsThatLibreOfficeSavesLoseNothing(t *testing.T) {
	testinputs.Use()
	soffice, err := exec.LookPath("soffice")
	if err != nil {
		t.Fatal("This test needs LibreOffice. Run scripts/office.sh, which installs it.")
	}
	folder := t.TempDir()
	written := map[string]shows{}
	put := func(name, content string, of shows) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		written[strings.TrimSuffix(name, filepath.Ext(name))] = of
	}
	drawn := rapid.Custom(extracttest.Draw)
	for i := range documents {
		d := drawn.Example(i)
		name := func(program, extension string) string { return fmt.Sprintf("%s%02d.%s", program, i, extension) }
		put(name("text", "fodt"), textDocument(d), shows{d.Pieces(), d.Plain(), d.Pieces()})
		cells, pieces, plain := sheet(d)
		put(name("sheet", "fods"), cells, shows{pieces, plain, pieces})
		put(name("slides", "fodp"), slides(d), shows{d.Pieces(), d.Plain(), withoutNotes(d)})
	}
	e := newExtractor(t)
	for _, c := range []struct{ from, to string }{
		{"fodt", "docx"},
		{"fodt", "html"},
		{"fodt", "epub"},
		{"fodt", "pdf"},
		{"fods", "xlsx"},
		{"fods", "csv"},
		{"fods", "html"},
		{"fodp", "pptx"},
		{"fodp", "pdf"},
	} {
		t.Run(c.from+" as "+c.to, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(folder, "*."+c.from))
			if err != nil || len(files) != documents {
				t.Fatalf("found %d files: %v", len(files), err)
			}
			out := t.TempDir()
			args := []string{"-env:UserInstallation=file://" + filepath.Join(folder, "profile"), "--headless", "--convert-to", filterOf(c.from, c.to), "--outdir", out}
			if said, err := exec.CommandContext(t.Context(), soffice, append(args, files...)...).CombinedOutput(); err != nil {
				t.Fatalf("soffice: %v\n%s", err, said)
			}
			for _, file := range files {
				name := strings.TrimSuffix(filepath.Base(file), "."+c.from)
				body, err := os.ReadFile(filepath.Join(out, name+"."+c.to))
				if err != nil {
					t.Fatal(err)
				}
				result, err := e.Extract(t.Context(), extract.Input{Name: name + "." + c.to, Body: body})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				keeps(t, name, c.to, result, written[name])
			}
		})
	}
}

// withoutNotes are the texts of slides, without what is noted below them.
func withoutNotes(d extracttest.Document) []string {
	notes := map[string]bool{}
	for _, p := range d.Paragraphs() {
		if p.Note != nil {
			notes[p.Note.Text()] = true
		}
	}
	return slices.DeleteFunc(d.Pieces(), func(text string) bool { return notes[text] })
}

// filterOf names the filter that writes a format.
func filterOf(from, to string) string {
	if to == "csv" {
		return "csv:Text - txt - csv (StarCalc):44,34,76,1"
	}
	return to
}

// keeps checks that a result has all that a document shows. A PDF has letters in the order
// in which a font draws them, so that no order is checked.
func keeps(t *testing.T, name, format string, result extract.Result, shown shows) {
	t.Helper()
	if format == "pdf" {
		if lost := extracttest.LostSigns(result.Markdown, strings.Join(shown.printed, "\n")); lost != "" {
			t.Errorf("%s: lost %q", name, lost)
		}
		return
	}
	if lost := extracttest.LostPieces(result.Markdown, shown.pieces); len(lost) > 0 {
		t.Errorf("%s: lost %q", name, lost)
	}
	if lost := extracttest.LostWords(result.Markdown, shown.plain); len(lost) > 0 {
		t.Errorf("%s: lost the words %q", name, lost)
	}
}
