package pages

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

func TestModelsInTheBrowser(t *testing.T) {
	t.Parallel()
	const key = "sk-browser-0123456789-wxyz"
	theirs := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"By ", "their model."}})
	w := harness.Start(t, harness.WithLoopback)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	b := openWindow(w)
	// keyless fails if the page that is shown has the key, typed or stored.
	keyless := func(t *testing.T) {
		t.Helper()
		if page := get(t, b, chromedp.OuterHTML(chromedp.CSS("html"))); strings.Contains(page, "sk-browser") {
			t.Error("the page has the key")
		}
		if typed := get(t, b, chromedp.Evaluate[string](`Array.from(document.querySelectorAll("input"), i => i.value).join(" ")`)); strings.Contains(typed, "sk-browser") {
			t.Error("an input has the key")
		}
	}
	typeProvider := func(t *testing.T, address string) {
		t.Helper()
		b.do(t, chromedp.SetValue(chromedp.ID("name"), "Ours"), chromedp.SetValue(chromedp.ID("base_url"), address), chromedp.SendKeys(chromedp.ID("key"), key))
	}

	t.Run("signing in and a link lead to the models", func(t *testing.T) {
		b.signIn(t, baker)
		if got := b.follow(t, `.sidebar nav a[href$="/models"]`); got != "/workspaces/"+baker.Workspace+"/models" {
			t.Fatalf("the link leads to %q", got)
		}
		if got := b.text(t, "main"); !strings.Contains(got, "No providers yet") {
			t.Errorf("the page says %q", got)
		}
		b.quiet(t)
	})
	t.Run("a wrong address is refused beside it, and the key has to be typed again", func(t *testing.T) {
		typeProvider(t, "https://me@models.example.com/v1")
		b.follow(t, "#add-provider")
		if got := b.text(t, "#base_url-error"); !strings.Contains(got, "Leave the user and password out") {
			t.Errorf("the page says %q", got)
		}
		if got := get(t, b, chromedp.Value(chromedp.ID("name"))); got != "Ours" {
			t.Errorf("the name became %q", got)
		}
		keyless(t)
		if heard := b.heard(); len(heard) != 1 || !strings.Contains(heard[0], "422") {
			t.Errorf("the console has %q", heard)
		}
	})
	t.Run("a provider that is added is in the list, with the end of its key", func(t *testing.T) {
		typeProvider(t, theirs.BaseURL())
		if got := b.follow(t, "#add-provider"); !strings.HasSuffix(got, "/models?done=provider") {
			t.Fatalf("it leads to %q", got)
		}
		if got := b.text(t, "#provider-list tbody tr"); !strings.Contains(got, theirs.BaseURL()) || !strings.Contains(got, "Key ends in …wxyz") {
			t.Errorf("the row is %q", got)
		}
		keyless(t)
		b.quiet(t)
	})
	t.Run("its own page shows everything but the key", func(t *testing.T) {
		b.follow(t, `#provider-list a[href*="/models/mp_"]`)
		if got := get(t, b, chromedp.Value(chromedp.ID("base_url"))); got != theirs.BaseURL() {
			t.Errorf("the address is %q", got)
		}
		keyless(t)
		b.quiet(t)
	})
	t.Run("a chatbot's settings offer it, and it is chosen", func(t *testing.T) {
		b.do(t, chromedp.Navigate(b.Base+"/chatbots/"+baker.Chatbot+"/settings"))
		provider := get(t, b, chromedp.Evaluate[string](`Array.from(document.getElementById("provider_id").options).find(o => o.text === "Ours").value`))
		choose := func(id, value string) {
			t.Helper()
			get(t, b, chromedp.Evaluate[bool](`(s => (s.value = `+value+`, s.dispatchEvent(new Event("change", {bubbles: true}))))(document.getElementById("`+id+`"))`))
		}
		choose("provider_id", `"`+provider+`"`)
		// Their server lists other models, so the name is typed.
		b.do(t, chromedp.WaitVisible(chromedp.ID("model-list")))
		choose("model-list", "s.options[s.options.length-1].value")
		b.do(t, chromedp.SendKeys(chromedp.ID("model"), "their-model"),
			chromedp.SendKeys(chromedp.ID("temperature"), "0.3"))
		if got := b.follow(t, "#save-settings"); !strings.HasSuffix(got, "?done=saved") {
			t.Fatalf("it leads to %q", got)
		}
		if got := get(t, b, chromedp.Value(chromedp.ID("model"))); got != "their-model" {
			t.Errorf("the model is %q", got)
		}
		keyless(t)
		b.quiet(t)
	})
	t.Run("a question to the API is answered by it, with its key", func(t *testing.T) {
		w := w.Within(t)
		r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
		w.CheckAnswer(r, 200, 0)
		if r.Data["message"] != "By their model." || theirs.Arrived() != 1 {
			t.Fatalf("the answer is %v, and it was asked %d times", r.Data["message"], theirs.Arrived())
		}
		request := theirs.Request(0)
		if request.Header().Get("Authorization") != "Bearer "+key {
			t.Error("it was asked without its key")
		}
		w.CheckParts(string(request.Body()), []string{`"their-model"`, `"temperature":0.3`})
	})
	t.Run("the usage has what it cost", func(t *testing.T) {
		b.do(t, chromedp.Navigate(b.Base+"/workspaces/"+baker.Workspace+"/billing"))
		if got := b.text(t, "#spent-list tbody tr"); !strings.Contains(got, "their-model") || !strings.Contains(got, "Complete") {
			t.Errorf("the row is %q", got)
		}
		keyless(t)
		b.quiet(t)
	})
	t.Run("while the chatbot uses it, it cannot be removed", func(t *testing.T) {
		b.follow(t, `.sidebar nav a[href$="/models"]`)
		if got := b.text(t, "#provider-list tbody tr"); !strings.Contains(got, "baker's chatbot") || strings.Contains(got, "Remove") {
			t.Errorf("the row is %q", got)
		}
		keyless(t)
	})
	t.Run("on a telephone no page is wider than the screen", func(t *testing.T) {
		b.do(t, chromedp.EmulateViewport(375, 700))
		for _, path := range []string{"/workspaces/" + baker.Workspace + "/models", "/workspaces/" + baker.Workspace + "/billing", "/chatbots/" + baker.Chatbot} {
			b.do(t, chromedp.Navigate(b.Base+path))
			if wide := get(t, b, chromedp.Evaluate[int](`document.documentElement.scrollWidth`)); wide > 375 {
				t.Errorf("%s is %d pixels wide", path, wide)
			}
		}
		b.quiet(t)
	})
}
