package pages

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/e2e/harness"
)

func TestWorkspaceExport(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker, other := w.NewTenant("baker", plan.Standard, harness.Opening), w.NewTenant("other", plan.Standard, "The other shop opens at nine.")
		w.PutsFile(w.Editor(baker), "menu", "menu.docx", "A roll costs two.")
		prices := "Item,Price\n" + strings.Repeat("Roll,2\n", knowledge.OriginalPartBytes/6)
		w.PutsFile(w.Editor(baker), "prices", "prices.csv", prices)
		w.Settled(baker)
		w.AskedFor(baker.Token, "alice", "When does the bakery open?")
		w.AskedFor(other.Token, "eve", "When does the other shop open?")
		colleague := colleague(w, baker, "colleague", tenant.RoleAdmin)
		tryPlayground(w, baker, colleague, `{"message":"A trial of the colleague"}`)
		v := w.NewVisitor()
		v.SignIn(baker.Email, baker.Password)
		files := w.Unpacked(v.Post("/workspaces/"+baker.Workspace+"/privacy/export", nil))
		all := strings.Join(slices.Collect(maps.Values(files)), "\n")

		t.Run("it has what the workspace has", func(t *testing.T) {
			for name, has := range map[string]string{
				"workspace.jsonl": baker.Workspace, "chatbots.jsonl": baker.Chatbot, "documents.jsonl": "The bakery opens at seven", "conversations.jsonl": "alice",
				"messages.jsonl": "When does the bakery open?", "members.jsonl": baker.Email, "api_tokens.jsonl": baker.TokenID, "audit_log.jsonl": "chatbot.created",
				"usage_records.jsonl": baker.Chatbot, "uploads.jsonl": "menu.docx", "originals.jsonl": fmt.Sprintf(`"bytes":%d`, len(prices)),
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
			if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool {
				return strings.HasPrefix(name, "originals/doc_") && strings.HasSuffix(name, "/prices.csv") && files[name] == prices
			}) {
				t.Errorf("the kept file is not as it was: %v", slices.Collect(maps.Keys(files)))
			}
		})
		t.Run("it has nothing of others, and no secret", func(t *testing.T) {
			for _, foreign := range []string{other.Workspace, other.Email, "other shop", "A trial of the colleague", baker.Token, "$argon2", "_hash\":\"$"} {
				if strings.Contains(all, foreign) {
					t.Errorf("it has %q", foreign)
				}
			}
		})
		t.Run("an admin gets none", func(t *testing.T) {
			w := w.Within(t)
			w.Expect(w.Call("POST", "/workspaces/"+baker.Workspace+"/privacy/export", "", colleague, harness.Header{Name: "Content-Type", Value: ""}, harness.FormType, harness.Header{Name: "Sec-Fetch-Site", Value: "same-origin"}), http.StatusForbidden)
		})
	})
}
