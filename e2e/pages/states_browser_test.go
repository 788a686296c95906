package pages

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/e2e/harness"
)

// otherStates are what pages show beside what the routes' rows lead to: refusals, what
// is suspended, and failures. They come last, because they break what is there.
func (k *walk) otherStates(t *testing.T, w *harness.Instance, e *harness.FullWorkspace, folder string) {
	t.Run("a form that is refused", func(t *testing.T) {
		k.becomes(t, e.Owner)
		for page, form := range map[string]refusal{
			"/workspaces/new":                  {typed: []string{"name", " "}, field: "name"},
			"/workspaces/:workspace/settings":  {typed: []string{"name", tooLong}, field: "name"},
			"/workspaces/:workspace/models":    {typed: []string{"name", mischief, "base_url", mischief}, field: "base_url"},
			"/chatbots/:chatbot/settings":      {typed: []string{"name", tooLong, "instructions", mischief}, field: "name"},
			"/chatbots/:chatbot/improve/tests": {typed: []string{"question", " "}, field: "question"},
			"/chatbots/:chatbot/knowledge/add": {typed: []string{"title", tooLong, "content", mischief}, field: "title"},
			"/account":                         {typed: []string{"email", mischief, "email_password", mischief}, field: "email"},
			"/account/appearance":              {typed: []string{"time_zone", mischief}, field: "time_zone"},
		} {
			t.Run(page, func(t *testing.T) { k.refused(t, w.Within(t).Fill(page, e.IDs), form, page == "/account") })
		}
	})
	t.Run("the sidebar of a phone", func(t *testing.T) {
		k.becomes(t, e.Owner)
		k.size(t, 375)
		k.theme(t, "light")
		k.do(t, chromedp.Navigate(k.Base+"/chatbots/"+e.Chatbot))
		k.do(t, chromedp.Click(chromedp.CSS(`.topbar [href="#sidebar"]`)), chromedp.WaitVisible(chromedp.CSS(".sidebar.open")))
		k.accessibleNow(t, "the open sidebar", ".sidebar")
		if !get(t, k.window, chromedp.Evaluate[bool](`document.querySelector(".sidebar").classList.contains("open")`)) {
			t.Error("the sidebar is no longer open")
		}
		k.silent(t, http.StatusOK)
	})
	t.Run("what a member may not see", func(t *testing.T) {
		k.becomes(t, e.IDs["user"])
		k.visit(t, stop{Route: harness.Route{Pattern: "/workspaces/:workspace/audit"}, with: e.IDs, status: http.StatusForbidden, first: true})
	})
	t.Run("what is over the plan's limits", func(t *testing.T) {
		k.becomes(t, e.Owner)
		w.Within(t).Must(w.Server.Program.Tenants.Grants.SetPlan(t.Context(), e.Workspace, plan.Starter))
		for _, page := range []string{"/workspaces/:workspace", "/workspaces/:workspace/limits", "/chatbots/:chatbot", "/chatbots/:chatbot/knowledge", "/chatbots/:chatbot/tokens", "/chatbots/:chatbot/playground"} {
			t.Run(page, func(t *testing.T) {
				k.visit(t, stop{Route: harness.Route{Pattern: page}, with: e.IDs, status: http.StatusOK})
			})
		}
	})
	t.Run("a failure of the server", func(t *testing.T) {
		k.becomes(t, e.Owner)
		lose(t, filepath.Join(folder, "parley.db"), "gaps")
		k.visit(t, stop{Route: harness.Route{Pattern: "/chatbots/:chatbot/improve"}, with: e.IDs, status: http.StatusInternalServerError, first: true})
	})
}

// refused fills in a form of a page, sends it, and looks at what comes back.
func (k *walk) refused(t *testing.T, page string, r refusal, first bool) {
	t.Helper()
	typed := map[string]string{}
	for i := 0; i < len(r.typed); i += 2 {
		typed[r.typed[i]] = r.typed[i+1]
	}
	k.size(t, 1280)
	k.theme(t, "light")
	k.do(t, chromedp.Navigate(k.Base+page))
	k.do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const field = document.querySelector('form [name=%q]');
		const form = field.form;
		for (const [name, value] of Object.entries(%s)) {
			const input = form.elements[name];
			if (input.tagName === "SELECT") input.append(new Option(value, value));
			input.value = value;
		}
		form.submit();
	}`, r.typed[0], objectOf(typed))))
	k.do(t, chromedp.WaitReady(chromedp.CSS("#"+r.field+"-error")))
	k.look(t, first)
	k.silent(t, http.StatusUnprocessableEntity)
}

// objectOf is a JavaScript object of texts.
func objectOf(texts map[string]string) string {
	out := "{"
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		out += fmt.Sprintf("%q: %q,", name, texts[name])
	}
	return out + "}"
}

// lose takes a table away from a running server.
func lose(t *testing.T, file, table string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "ALTER TABLE "+table+" RENAME TO lost"); err != nil {
		t.Fatal(err)
	}
}
