package e2e

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/core/tenant"
)

// unpacked are the files of an export, whose manifest is right.
func (w *instance) unpacked(r reply) map[string]string {
	w.Helper()
	w.expect(r, http.StatusOK)
	archive, err := zip.NewReader(strings.NewReader(r.body), int64(len(r.body)))
	w.must(err)
	files := map[string]string{}
	for _, f := range archive.File {
		from, err := f.Open()
		w.must(err)
		content, err := io.ReadAll(from)
		w.must(err)
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
	w.must(json.Unmarshal([]byte(files["manifest.json"]), &manifest))
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

func TestWorkspaceExport(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker, other := w.newTenant("baker", plan.Standard, opening), w.newTenant("other", plan.Standard, "The other shop opens at nine.")
		w.putsFile(w.editor(baker), "menu", "menu.docx", "A roll costs two.")
		w.settled(baker)
		w.askedFor(baker.token, "alice", "When does the bakery open?")
		w.askedFor(other.token, "eve", "When does the other shop open?")
		colleague := w.colleague(baker, "colleague", tenant.RoleAdmin)
		w.tries(baker, colleague, `{"message":"A trial of the colleague"}`)
		v := w.visitor()
		v.signIn(baker.email, baker.password)
		files := w.unpacked(v.post("/workspaces/"+baker.workspace+"/privacy/export", nil))
		all := strings.Join(slices.Collect(maps.Values(files)), "\n")

		t.Run("it has what the workspace has", func(t *testing.T) {
			for name, has := range map[string]string{
				"workspace.jsonl": baker.workspace, "chatbots.jsonl": baker.chatbot, "documents.jsonl": "The bakery opens at seven", "conversations.jsonl": "alice",
				"messages.jsonl": "When does the bakery open?", "members.jsonl": baker.email, "api_tokens.jsonl": baker.tokenID, "audit_log.jsonl": "chatbot.created",
				"usage_records.jsonl": baker.chatbot, "uploads.jsonl": "menu.docx",
			} {
				if !strings.Contains(files[name], has) {
					t.Errorf("%s lacks %q: %q", name, has, files[name])
				}
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool {
				return strings.HasPrefix(name, "uploads/doc_") && strings.HasSuffix(name, "/menu.docx") && files[name] == "A roll costs two."
			}) {
				t.Errorf("the uploaded file is not as it was: %v", slices.Collect(maps.Keys(files)))
			}
		})
		t.Run("it has nothing of others, and no secret", func(t *testing.T) {
			for _, foreign := range []string{other.workspace, other.email, "other shop", "A trial of the colleague", baker.token, "$argon2", "_hash\":\"$"} {
				if strings.Contains(all, foreign) {
					t.Errorf("it has %q", foreign)
				}
			}
		})
		t.Run("an admin gets none", func(t *testing.T) {
			w := w.within(t)
			w.expect(w.call("POST", "/workspaces/"+baker.workspace+"/privacy/export", "", colleague, header{"Content-Type", ""}, formType, header{"Sec-Fetch-Site", "same-origin"}), http.StatusForbidden)
		})
	})
}
