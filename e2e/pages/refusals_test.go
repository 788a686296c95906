package pages

import (
	"database/sql"
	"html"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/core/account"
	"parley/core/tenant"
	"parley/e2e/harness"
)

// mischief is what somebody types who wants to break a page.
const mischief = `"><script>alert('x')</script><img src=x onerror=alert(1)>[a](javascript:alert(1))`

// tooLong is longer than any single line may be.
var tooLong = mischief + strings.Repeat("x", 3_000)

// refusal is a form that was filled in wrongly.
type refusal struct {
	// typed is the name and the value of each field in turn.
	typed []string
	// field is the one beside which the page says so; without one a banner does.
	field string
	says  string
	// status is 422 unless it is set.
	status int
	// forgets are fields that are not shown again: choices that the page does not list, and
	// what no person types.
	forgets []string
}

// asParts are the forms that can have files.
var asParts = []string{"/chatbots/:chatbot/welcome", "/chatbots/:chatbot/knowledge", "/chatbots/:chatbot/knowledge/pairs", "/chatbots/:chatbot/knowledge/files"}

// withoutText are the forms in which nobody types anything: buttons, and choices
// from what the page lists.
var withoutText = []string{
	"/sign-out", "/sign-in/provider", "/account/sessions/end-others", "/account/email/send",
	"/workspaces/:workspace/settings/sso/domain", "/workspaces/:workspace/settings/sso/delete",
	"/forgot-password", // it is no form on a server without mails
	// What an authenticator answers is typed by nobody.
	"/sign-in/second-factor/options", "/sign-in/second-factor/passkey", "/sign-in/passkey/options", "/sign-in/passkey",
	"/account/security/app", "/account/security/app/remove", "/account/security/recovery-codes",
	"/account/security/passkeys/options", "/account/security/passkeys", "/account/security/passkeys/:passkey/remove",
	"/confirm/options", "/confirm/provider", "/workspaces/:workspace/settings/second-factor",
	"/workspaces/:workspace/models/:provider/delete",
	"/workspaces/:workspace/webhooks/:webhook/test", "/workspaces/:workspace/webhooks/:webhook/rotate", "/workspaces/:workspace/webhooks/:webhook/pause",
	"/workspaces/:workspace/webhooks/:webhook/resume", "/workspaces/:workspace/webhooks/:webhook/delete",
	"/workspaces/:workspace/webhooks/:webhook/deliveries/:delivery/send",
	"/workspaces/:workspace/members/:user/remove", "/workspaces/:workspace/restore", "/workspaces/:workspace/privacy/export", "/account/privacy/export",
	"/workspaces/:workspace/invitations/:invitation/cancel", "/workspaces/:workspace/billing/portal",
	"/workspaces/:workspace/plan", "/workspaces/:workspace/plan/checkout", "/workspaces/:workspace/plan/portal",
	"/chatbots/:chatbot/conversations/:conversation/delete", "/chatbots/:chatbot/improve/:message/dismiss",
	"/chatbots/:chatbot/improve/tests/run", "/chatbots/:chatbot/improve/tests/runs/:run/cancel", "/chatbots/:chatbot/improve/tests/:question/remove",
	"/chatbots/:chatbot/improve/tests/undo",
	"/chatbots/:chatbot/knowledge/sources/:source/sync", "/chatbots/:chatbot/knowledge/sources/:source/remove",
	"/chatbots/:chatbot/knowledge/:document/remove", "/chatbots/:chatbot/knowledge/:document/retry", "/chatbots/:chatbot/knowledge/:document/cancel",
}

// refusedForms has a row for every other form.
var refusedForms = map[string][]refusal{
	"/sign-up": {
		{typed: []string{"email", mischief, "password", harness.StaffPassword, "workspace", "Shop"}, field: "email"},
		{typed: []string{"email", "new@example.com", "password", "short", "workspace", mischief}, field: "password"},
		{typed: []string{"email", "new@example.com", "password", harness.StaffPassword, "workspace", tooLong}, field: "workspace"},
	},
	"/sign-up/finish": {{typed: []string{"code", mischief, "password", harness.StaffPassword, "workspace", "Shop"}}},
	"/sign-in": {
		{typed: []string{"email", mischief, "password", harness.StaffPassword, "next", ""}, status: 401},
	},
	"/sign-in/sso":    {{typed: []string{"email", mischief, "next", "/"}, field: "email"}, {typed: []string{"email", "ada@nowhere.example", "next", "/"}, field: "email"}},
	"/join":           {{typed: []string{"code", mischief, "password", harness.StaffPassword}}},
	"/account/email":  {{typed: []string{"code", mischief}}},
	"/reset-password": {{typed: []string{"code", mischief, "password", harness.StaffPassword}}},
	"/workspaces": {
		{typed: []string{"name", " "}, field: "name"},
		{typed: []string{"name", tooLong}, field: "name"},
	},
	"/account": {
		{typed: []string{"email", mischief, "email_password", "correct horse refusals"}, field: "email"},
		{typed: []string{"email", "other@example.com", "email_password", mischief}, field: "email_password"},
	},
	"/account/name": {{typed: []string{"name", tooLong}, field: "name"}},
	"/account/appearance": {
		{typed: []string{"appearance", mischief}, field: "appearance", forgets: []string{"appearance"}},
		{typed: []string{"appearance", "dark", "time_zone", mischief}, field: "time_zone", forgets: []string{"time_zone"}},
	},
	"/account/security/app/confirm": {{typed: []string{"code", mischief}, status: http.StatusNotFound, forgets: []string{"code"}}},
	"/account/security/passkeys/:passkey/rename": {
		{typed: []string{"new_name", tooLong}, field: "new_name"},
		{typed: []string{"new_name", " "}, field: "new_name"},
	},
	"/sign-in/second-factor": {
		{typed: []string{"code", mischief, "next", "/account"}, field: "code"},
		{typed: []string{"recovery_code", mischief, "next", "/account"}, field: "recovery_code", forgets: []string{"recovery_code"}},
	},
	"/confirm":              {{typed: []string{"confirm_password", mischief}, field: "confirm_password"}},
	"/account/sessions/end": {{typed: []string{"session", mischief}, status: 404, forgets: []string{"session"}}},
	"/account/password":     {{typed: []string{"old_password", mischief, "new_password", harness.StaffPassword}, field: "old_password"}, {typed: []string{"old_password", "correct horse refusals", "new_password", "short"}, field: "new_password"}},

	"/workspaces/:workspace/chatbots": {
		{typed: []string{"name", " "}, field: "name"},
		{typed: []string{"name", tooLong}, field: "name"},
	},
	"/workspaces/:workspace/settings": {
		{typed: []string{"name", ""}, field: "name"},
		{typed: []string{"name", tooLong}, field: "name"},
	},
	"/workspaces/:workspace/privacy/end-user/export": {{typed: []string{"external_user_id", mischief}, field: "external_user_id"}},
	"/workspaces/:workspace/privacy/end-user/erase":  {{typed: []string{"erased_user_id", mischief}, field: "sure"}},
	"/account/privacy/delete":                        {{typed: []string{"password", "a wrong guess"}, field: "password"}},
	"/workspaces/:workspace/delete":                  {{typed: []string{"confirm_name", mischief}, field: "confirm_name"}},
	"/workspaces/:workspace/models": {
		{typed: []string{"kind", "openai", "name", tooLong, "base_url", "https://models.example.com/v1"}, field: "name"},
		{typed: []string{"kind", "openai", "name", mischief, "base_url", "javascript:alert(1)"}, field: "base_url"},
		{typed: []string{"kind", mischief, "name", "Mine", "base_url", "https://models.example.com/v1"}, field: "kind", forgets: []string{"kind"}},
		{typed: []string{"kind", "openai", "name", "Mine", "base_url", "https://models.example.com/v1", "key", tooLong}, field: "key"},
	},
	"/workspaces/:workspace/models/try":           {{typed: []string{"kind", "openai", "name", mischief, "base_url", mischief}, field: "base_url"}},
	"/workspaces/:workspace/models/:provider":     {{typed: []string{"name", tooLong}, field: "name"}, {typed: []string{"name", "Mine", "base_url", mischief}, field: "base_url"}},
	"/workspaces/:workspace/models/:provider/try": {{typed: []string{"name", mischief, "base_url", mischief}, field: "base_url"}},
	"/workspaces/:workspace/settings/sso": {
		{typed: []string{"issuer", mischief, "client_id", mischief, "client_secret", "hidden", "domain", mischief}, field: "issuer"},
		{typed: []string{"issuer", "http://login.example.com", "client_id", "a", "domain", "example.com"}, field: "issuer"},
		{typed: []string{"issuer", "https://login.example.com", "client_id", mischief, "domain", "example.com"}, field: "client_id"},
		{typed: []string{"issuer", "https://login.example.com", "client_id", "a", "domain", mischief}, field: "domain"},
		{typed: []string{"issuer", "https://login.example.com", "client_id", "a", "client_secret", tooLong + tooLong + tooLong + tooLong + tooLong, "domain", "example.com"}, field: "client_secret", forgets: []string{"client_secret"}},
		{typed: []string{"issuer", "https://login.example.com", "client_id", "a", "domain", "example.com", "required", "on"}, field: "required"},
	},
	"/workspaces/:workspace/settings/sso/try": {{typed: []string{"issuer", mischief, "client_id", mischief, "domain", mischief}, field: "issuer"}},
	"/workspaces/:workspace/webhooks": {
		{typed: []string{"url", mischief, "description", mischief, "quota.near", "on"}, field: "url"},
		{typed: []string{"url", "https://127.0.0.1/in", "description", mischief, "quota.near", "on"}, field: "url"},
		{typed: []string{"url", "https://example.com/in", "description", mischief}, field: "events"},
		{typed: []string{"url", "https://example.com/in", "description", tooLong, "quota.near", "on"}, field: "description"},
		{typed: []string{"url", "https://example.com/in", "quota.near", "on", "chatbot", mischief}, field: "chatbot", forgets: []string{"chatbot"}},
	},
	"/workspaces/:workspace/webhooks/:webhook": {
		{typed: []string{"url", mischief, "description", mischief, "quota.near", "on"}, field: "url"},
		{typed: []string{"url", "https://127.0.0.1/in", "description", mischief, "quota.near", "on"}, field: "url"},
		{typed: []string{"url", "https://example.com/in", "description", mischief}, field: "events"},
		{typed: []string{"url", "https://example.com/in", "description", tooLong, "quota.near", "on"}, field: "description"},
		{typed: []string{"url", "https://example.com/in", "quota.near", "on", "chatbot", mischief}, field: "chatbot", forgets: []string{"chatbot"}},
	},
	"/workspaces/:workspace/members/:user/role": {{typed: []string{"role", mischief}, forgets: []string{"role"}}},
	"/workspaces/:workspace/invitations": {
		{typed: []string{"email", mischief, "role", "member"}, field: "email"},
		{typed: []string{"email", "guest@example.com", "role", mischief}, field: "role", forgets: []string{"role"}},
	},
	"/workspaces/:workspace/billing":          {{typed: []string{"plan", mischief}}},
	"/workspaces/:workspace/billing/checkout": {{typed: []string{"plan", mischief, "interval", mischief, "next", "https://evil.example/"}, status: 403, forgets: []string{"plan", "interval", "next"}}},
	"/workspaces/:workspace/leave":            {{typed: []string{"leave", ""}, field: "leave"}},
	"/workspaces/:workspace/limits":           {{typed: []string{"resource", mischief}, forgets: []string{"resource"}}},

	"/chatbots/:chatbot/welcome": {
		{typed: []string{"url", mischief}, field: "url"},
		{typed: []string{"url", ""}},
	},
	"/chatbots/:chatbot/settings": {
		{typed: []string{"name", tooLong, "instructions", mischief}, field: "name"},
		{typed: []string{"name", mischief, "passage_aim", mischief}, field: "passage_aim"},
		{typed: []string{"name", mischief, "image_hosts", mischief}, field: "image_hosts"},
		{typed: []string{"name", mischief, "instructions", strings.Repeat(mischief, 2_000)}, field: "instructions"},
		{typed: []string{"name", mischief, "grounding", "open", "temperature", mischief}, field: "temperature"},
	},
	"/chatbots/:chatbot/playground/publish": {{typed: []string{"grounding", mischief, "instructions", mischief}}},
	"/chatbots/:chatbot/delete":             {{typed: []string{"confirm_name", mischief}, field: "confirm_name"}},
	"/chatbots/:chatbot/evaluate":           {{typed: []string{"questions", " "}, field: "questions"}},
	"/chatbots/:chatbot/conversations/:conversation/:message/rate": {
		{typed: []string{"rating", mischief}, forgets: []string{"rating"}},
		{typed: []string{"rating", "down", "comment", tooLong}, forgets: []string{"rating", "comment"}},
	},
	"/chatbots/:chatbot/improve/answer": {
		{typed: []string{"question", mischief, "answer", " "}, field: "answer"},
		{typed: []string{"question", "", "answer", mischief}, field: "question"},
	},
	"/chatbots/:chatbot/improve/check/:document": {{typed: []string{"question", ""}}},
	"/chatbots/:chatbot/improve/tests": {
		{typed: []string{"question", " ", "expects", "answer"}, field: "question"},
		{typed: []string{"question", mischief, "expects", mischief}, field: "expects"},
		{typed: []string{"question", strings.Repeat(mischief, 500), "expects", "answer"}, field: "question"},
	},
	"/chatbots/:chatbot/improve/tests/:question": {
		{typed: []string{"question", " ", "expects", "answer", "reference", mischief, "document", mischief}, field: "question"},
		{typed: []string{"question", mischief, "expects", "text", "expected", "", "reference", mischief}, field: "expected"},
	},
	"/chatbots/:chatbot/improve/tests/import": {{typed: []string{"none", ""}}},
	"/chatbots/:chatbot/knowledge": {
		{typed: []string{"title", tooLong, "content", mischief}, field: "title"},
		{typed: []string{"title", mischief, "content", " "}, field: "content"},
	},
	"/chatbots/:chatbot/knowledge/pairs": {
		{typed: []string{"pairs_title", mischief, "pairs", " "}, field: "pairs"},
		{typed: []string{"pairs_title", tooLong, "pairs", "When?,At ten."}, field: "pairs_title"},
	},
	"/chatbots/:chatbot/knowledge/files": {{typed: []string{"none", ""}}},
	"/chatbots/:chatbot/knowledge/remove": {
		{typed: []string{"document", mischief}, status: 404, forgets: []string{"document"}},
	},
	"/chatbots/:chatbot/knowledge/again": {
		{typed: []string{"document", mischief}, status: 404, forgets: []string{"document"}},
	},
	"/chatbots/:chatbot/knowledge/undo": {{typed: []string{"until", mischief}, forgets: []string{"until"}}},
	"/chatbots/:chatbot/knowledge/sources": {
		{typed: []string{"url", mischief, "reach", "page"}, field: "url"},
		{typed: []string{"url", "https://example.com/", "reach", "site", "include", mischief, "max_pages", mischief}, field: "max_pages"},
	},
}

// Each form that is refused shows what was typed and what is wrong with it, and changes
// nothing.
func TestFormsAreRefusedKindly(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	w.HasNoRates()
	e := w.NewFullWorkspace("refusals")
	session := signingIn(w, e, w.Session(e.Owner))
	w.Employ(e, tenant.RoleOwner) // the first may delete their account
	w.Settled(e.Tenant)
	before := keptRows(w, t, e.Workspace)
	var forms []string
	for _, d := range w.Server.Routes.All() {
		if d.Method != http.MethodPost || strings.HasPrefix(d.Path, "/api/") {
			continue
		}
		forms = append(forms, d.Path)
		rows, known := refusedForms[d.Path]
		if !known {
			if !slices.Contains(withoutText, d.Path) {
				t.Errorf("add to refusedForms how %s refuses what is typed", d.Path)
			}
			continue
		}
		t.Run(d.Path, func(t *testing.T) {
			for _, r := range rows {
				refusesForm(w, t, e, d.Path, r, session)
			}
			after := keptRows(w, t, e.Workspace)
			for table, rows := range before {
				if after[table] != rows {
					t.Errorf("%s had\n%s\nand has\n%s", table, rows, after[table])
				}
			}
			before = after
		})
	}
	if len(before) < 20 || before["documents"] == "" || before["users"] == "" {
		t.Errorf("the tables with %d names are not those of a workspace", len(before))
	}
	for path := range maps.Keys(refusedForms) {
		if !slices.Contains(forms, path) {
			t.Errorf("there is no form at %s", path)
		}
	}
}

// signingIn adds to a browser a sign-in that waits for a second factor, and gives its owner
// a passkey. The session is from before.
func signingIn(w *harness.Instance, e *harness.FullWorkspace, session harness.Header) harness.Header {
	w.Helper()
	helper := harness.Tenant{Email: "helper@" + e.Name + ".example", Password: harness.StaffPassword}
	keys, err := w.Server.Tenants.Sessions.SignIn(w.Context(), helper.Email, helper.Password, account.Client{})
	w.Must(err)
	byApp(w, helper, keys.Session)
	waiting, err := w.Server.Tenants.Sessions.SignIn(w.Context(), helper.Email, helper.Password, account.Client{})
	w.Must(err)
	e.IDs["passkey"] = "pk_" + e.Name
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.Server.Config.DataDir, "parley.db")+"?_pragma=busy_timeout(10000)")
	w.Must(err)
	defer db.Close()
	_, err = db.ExecContext(w.Context(), "INSERT INTO passkeys (id, user_id, credential_id, credential, name, created_at) VALUES (?, ?, 'id', '{}', 'Phone', '2026-11-02 09:30:00+00:00')", e.IDs["passkey"], e.Owner)
	w.Must(err)
	return harness.Header{Name: session.Name, Value: session.Value + "; parley_step=" + waiting.Step}
}

func refusesForm(w *harness.Instance, t *testing.T, e *harness.FullWorkspace, path string, r refusal, session harness.Header) {
	t.Helper()
	body, contentType := formOf(path, r.typed)
	got := w.Call(http.MethodPost, w.Fill(path, e.IDs), body, harness.Header{Name: "Content-Type", Value: ""}, harness.Header{Name: "Content-Type", Value: contentType}, session)
	want := r.status
	if want == 0 {
		want = http.StatusUnprocessableEntity
	}
	short := strings.Join(r.typed, " ")
	short = short[:min(len(short), 80)]
	if got.StatusCode != want {
		t.Errorf("%s: status %d to %s, want %d", short, got.StatusCode, got.Header.Get("Location"), want)
		return
	}
	if r.field != "" && !strings.Contains(got.Text, `id="`+r.field+`-error"`) {
		t.Errorf("%s: nothing is said beside %s: %s", short, r.field, errorsOf(got.Text))
	}
	if r.field == "" && !strings.Contains(got.Text, `class="banner danger"`) && !strings.Contains(got.Text, `-error"`) && !strings.Contains(got.Text, `id="request-id"`) {
		t.Errorf("%s: nothing says what is wrong", short)
	}
	if strings.Contains(got.Text, "<script>alert") || strings.Contains(got.Text, "onerror=alert(1)>") {
		t.Errorf("%s: the page runs what was typed", short)
	}
	for i := 0; i < len(r.typed); i += 2 {
		name, value := r.typed[i], strings.TrimSpace(r.typed[i+1])
		if value == "" || name == "key" || name == "code" || strings.HasSuffix(name, "password") || slices.Contains(r.forgets, name) {
			continue
		}
		if !strings.Contains(html.UnescapeString(got.Text), value) {
			t.Errorf("%s: the page forgot what was typed as %s", short, name)
		}
	}
}

// keptRows are all rows of a workspace, table by table, and who there is, as text.
func keptRows(w *harness.Instance, t *testing.T, workspace string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.Server.Config.DataDir, "parley.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	w.Must(err)
	defer db.Close()
	tables := map[string]string{"workspaces": "id = ?", "users": "? != ''"}
	for _, owned := range w.QueryRows(t, db, "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'workspace_id' WHERE m.type = 'table'") {
		tables[owned] = "workspace_id = ?"
	}
	kept := map[string]string{}
	for _, counted := range []string{"daily_stats", "daily_counts", "usage_sums", "usage_records"} { // which are summed up meanwhile
		delete(tables, counted)
	}
	for table, its := range tables {
		kept[table] = strings.Join(w.QueryRows(t, db, "SELECT * FROM "+table+" WHERE "+its, workspace), "\n")
	}
	return kept
}

func formOf(path string, typed []string) (body, contentType string) {
	if slices.Contains(asParts, path) {
		return harness.Fields(typed...), "multipart/form-data; boundary=border"
	}
	values := url.Values{}
	for i := 0; i < len(typed); i += 2 {
		values.Set(typed[i], typed[i+1])
	}
	return values.Encode(), harness.FormType.Value
}

// errorsOf are the ids of what a page says is wrong.
func errorsOf(page string) (ids []string) {
	for part := range strings.SplitSeq(page, `id="`) {
		if id, _, _ := strings.Cut(part, `"`); strings.HasSuffix(id, "-error") {
			ids = append(ids, id)
		}
	}
	return ids
}
