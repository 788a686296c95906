package e2e

import (
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/audit"
	"parley/core/plan"
)

// TestAnExportIsVerified gives what an owner took away to parley audit verify.
func TestAnExportIsVerified(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard)
		v := w.signedIn(baker.email, baker.password)
		export := func(query string) reply {
			return v.get("/workspaces/" + baker.workspace + "/audit/export?" + query)
		}
		lines := export("format=jsonl")
		w.expect(lines, http.StatusOK)
		term := &terminal{T: t, folder: w.server.Config.DataDir, database: w.server.Config.DatabaseURL}
		against := func(text string) (out string, code int) {
			out, _, code = term.run("", "audit", "verify", "--workspace="+baker.workspace, "--against="+term.file("export.jsonl", text))
			return out, code
		}

		t.Run("as it is, it matches the log", func(t *testing.T) {
			out, code := against(lines.body)
			if want := strings.Count(lines.body, "\n"); code != 0 || want < 4 || !strings.Contains(out, "compared "+written(int64(want))+" with the file") {
				t.Errorf("%d lines: it ends with %d and says %s", want, code, out)
			}
		})
		t.Run("so does one of which filters left most out", func(t *testing.T) {
			part := export("format=jsonl&kind=token")
			if out, code := against(part.body); code != 0 || strings.Count(part.body, "\n") != 1 || !strings.Contains(out, "compared 1 with the file") {
				t.Errorf("it ends with %d and says %s", code, out)
			}
		})
		t.Run("a changed word in it, or another address, is named", func(t *testing.T) {
			named := strings.Replace(export("format=jsonl&kind=audit").body, `"address":"127.0.0.1"`, `"address":"192.0.2.1"`, 1)
			if out, code := against(named); code != 1 || !strings.Contains(out, "has another network address in the file") {
				t.Errorf("of %s it ends with %d and says %s", named, code, out)
			}
			if out, code := against(strings.Replace(lines.body, `"token.created"`, `"token.revoked"`, 1)); code != 1 || !strings.Contains(out, "says something else in the file") {
				t.Errorf("it ends with %d and says %s", code, out)
			}
		})
		t.Run("the log says who took what away", func(t *testing.T) {
			w := w.within(t)
			page, _, err := w.server.Tenants.Audit.Of(t.Context(), baker.workspace, audit.Filter{Actions: []audit.Action{audit.Exported}, Limit: 10})
			w.must(err)
			if len(page) != 3 || page[1].Actor.Name != baker.email || page[1].Origin.Address != "127.0.0.1" || !strings.Contains(changesText(page[1]), "entries=1 format=jsonl action=token.created") {
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
