package api

import (
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/audit"
	"parley/core/plan"
	"parley/e2e/harness"
)

// TestAnExportIsVerified gives what an owner took away to parley audit verify.
func TestAnExportIsVerified(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard)
		v := w.SignedIn(baker.Email, baker.Password)
		export := func(query string) harness.Reply {
			return v.Get("/workspaces/" + baker.Workspace + "/audit/export?" + query)
		}
		lines := export("format=jsonl")
		w.Expect(lines, http.StatusOK)
		term := &harness.Terminal{T: t, Folder: w.Server.Config.DataDir, Database: w.Server.Config.DatabaseURL}
		against := func(text string) (out string, code int) {
			out, _, code = term.Execute("", "audit", "verify", "--workspace="+baker.Workspace, "--against="+term.File("export.jsonl", text))
			return out, code
		}

		t.Run("as it is, it matches the log", func(t *testing.T) {
			out, code := against(lines.Text)
			if want := strings.Count(lines.Text, "\n"); code != 0 || want < 4 || !strings.Contains(out, "compared "+harness.Written(int64(want))+" with the file") {
				t.Errorf("%d lines: it ends with %d and says %s", want, code, out)
			}
		})
		t.Run("so does one of which filters left most out", func(t *testing.T) {
			part := export("format=jsonl&kind=token")
			if out, code := against(part.Text); code != 0 || strings.Count(part.Text, "\n") != 1 || !strings.Contains(out, "compared 1 with the file") {
				t.Errorf("it ends with %d and says %s", code, out)
			}
		})
		t.Run("a changed word in it, or another address, is named", func(t *testing.T) {
			named := strings.Replace(export("format=jsonl&kind=audit").Text, `"address":"127.0.0.1"`, `"address":"192.0.2.1"`, 1)
			if out, code := against(named); code != 1 || !strings.Contains(out, "has another network address in the file") {
				t.Errorf("of %s it ends with %d and says %s", named, code, out)
			}
			if out, code := against(strings.Replace(lines.Text, `"token.created"`, `"token.revoked"`, 1)); code != 1 || !strings.Contains(out, "says something else in the file") {
				t.Errorf("it ends with %d and says %s", code, out)
			}
		})
		t.Run("the log says who took what away", func(t *testing.T) {
			w := w.Within(t)
			page, _, err := w.Server.Tenants.Audit.Of(t.Context(), baker.Workspace, audit.Filter{Actions: []audit.Action{audit.Exported}, Limit: 10})
			w.Must(err)
			if len(page) != 3 || page[1].Actor.Name != baker.Email || page[1].Origin.Address != "127.0.0.1" || !strings.Contains(changesText(page[1]), "entries=1 format=jsonl action=token.created") {
				t.Errorf("it says %+v", page)
			}
		})
	})
}

// changesText are the new values of an entry, in one line.
func changesText(e audit.Entry) string {
	var text strings.Builder
	for _, c := range e.Changes {
		text.WriteString(c.Field + "=" + c.New + " ")
	}
	return text.String()
}
