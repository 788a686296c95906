package e2e

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
)

// otherStates are what pages show beside what the routes' rows lead to: refusals, what
// is suspended, and failures. They come last, because they break what is there.
func (k *walk) otherStates(t *testing.T, w *instance, e *fullWorkspace, folder string) {
	t.Run("a form that is refused", func(t *testing.T) {
		k.becomes(t, e.owner)
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
			t.Run(page, func(t *testing.T) { k.refused(t, w.within(t).fill(page, e.ids), form) })
		}
	})
	t.Run("the sidebar of a phone", func(t *testing.T) {
		k.becomes(t, e.owner)
		k.size(t, 375)
		k.theme(t, "light")
		k.do(t, chromedp.Navigate(k.base+"/chatbots/"+e.chatbot))
		k.do(t, chromedp.Click(chromedp.CSS(`.topbar [href="#sidebar"]`)), chromedp.WaitVisible(chromedp.CSS(".sidebar.open")))
		k.accessible(t, "the sidebar", "html")
		k.silent(t, http.StatusOK)
	})
	t.Run("what a member may not see", func(t *testing.T) {
		k.becomes(t, e.ids["user"])
		k.visit(t, row{route: "/workspaces/:workspace/audit"}, e.ids, http.StatusForbidden)
	})
	t.Run("what is over the plan's limits", func(t *testing.T) {
		k.becomes(t, e.owner)
		w.within(t).must(w.server.Program.Tenants.Grants.SetPlan(t.Context(), e.workspace, plan.Starter))
		for _, page := range []string{"/workspaces/:workspace", "/workspaces/:workspace/limits", "/chatbots/:chatbot", "/chatbots/:chatbot/knowledge", "/chatbots/:chatbot/tokens", "/chatbots/:chatbot/playground"} {
			t.Run(page, func(t *testing.T) { k.visit(t, row{route: page}, e.ids, http.StatusOK) })
		}
	})
	t.Run("a failure of the server", func(t *testing.T) {
		k.becomes(t, e.owner)
		lose(t, filepath.Join(folder, "parley.db"), "gaps")
		k.visit(t, row{route: "/chatbots/:chatbot/improve"}, e.ids, http.StatusInternalServerError)
	})
}

// refused fills in a form of a page, sends it, and looks at what comes back.
func (k *walk) refused(t *testing.T, page string, r refusal) {
	t.Helper()
	typed := map[string]string{}
	for i := 0; i < len(r.typed); i += 2 {
		typed[r.typed[i]] = r.typed[i+1]
	}
	k.size(t, 1280)
	k.theme(t, "light")
	k.do(t, chromedp.Navigate(k.base+page))
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
	k.look(t)
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
