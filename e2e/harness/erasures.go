package harness

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"parley/core/privacy"
)

// HasInFiles reports whether a file of the installation's data folder has a text.
func (s *Installation) HasInFiles(text string) (found bool) {
	s.Helper()
	err := filepath.WalkDir(s.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if at := bytes.Index(content, []byte(text)); at >= 0 {
			s.Logf("%s has %q at byte %d of %d", filepath.Base(path), text, at, len(content))
			found = true
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

// ReceiptOf is the receipt of a workspace's erasure, of which there is one.
func (s *Installation) ReceiptOf(workspace string) (receipt privacy.Erasure) {
	s.Helper()
	s.Inside(func(w *Instance) {
		receipts, err := w.Server.Privacy.Receipts.Find(w.Context(), privacy.WorkspaceHash(workspace))
		w.Must(err)
		if len(receipts) != 1 {
			s.Fatalf("there are %d receipts", len(receipts))
		}
		receipt = receipts[0]
	})
	return receipt
}
