package harness

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"parley/core/privacy"
)

// Unpacked are the files of an export, whose manifest is right.
func (w *Instance) Unpacked(r Reply) map[string]string {
	w.Helper()
	w.Expect(r, http.StatusOK)
	archive, err := zip.NewReader(strings.NewReader(r.Text), int64(len(r.Text)))
	w.Must(err)
	files := map[string]string{}
	for _, f := range archive.File {
		from, err := f.Open()
		w.Must(err)
		content, err := io.ReadAll(from)
		w.Must(err)
		files[f.Name] = string(content)
	}
	var manifest struct {
		Version int
		Files   []struct {
			Name, SHA256 string
			Rows         int
			Bytes        int64
		}
	}
	w.Must(json.Unmarshal([]byte(files["manifest.json"]), &manifest))
	if manifest.Version != privacy.ExportVersion || len(manifest.Files) != len(files)-1 {
		w.Errorf("the manifest has version %d and %d files of %d", manifest.Version, len(manifest.Files), len(files)-1)
	}
	for _, f := range manifest.Files {
		content, there := files[f.Name]
		sum := sha256.Sum256([]byte(content))
		if !there || hex.EncodeToString(sum[:]) != f.SHA256 || int64(len(content)) != f.Bytes {
			w.Errorf("%s is not as the manifest says", f.Name)
		}
		if strings.HasSuffix(f.Name, ".jsonl") && strings.Count(content, "\n") != f.Rows {
			w.Errorf("%s has not %d rows", f.Name, f.Rows)
		}
		for line := range strings.Lines(content) {
			if strings.HasSuffix(f.Name, ".jsonl") && !json.Valid([]byte(line)) {
				w.Errorf("%s has %q", f.Name, line)
			}
		}
	}
	return files
}
