package pages

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/app"
	"parley/core/audit"
	"parley/core/plan"
	"parley/core/seal"
	"parley/core/tenant"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// openPlayground opens the page as a tenant's owner.
func openPlayground(w *harness.Instance, t *testing.T, tn harness.Tenant) *window {
	b := openWindow(w)
	b.signIn(t, tn)
	b.do(t, chromedp.Navigate(w.Base+"/chatbots/"+tn.Chatbot+"/playground"), chromedp.WaitVisible(chromedp.CSS("parley-playground .composer")))
	return b
}

// asks types a question and sends it with the keyboard.
func (b *window) asks(t *testing.T, question string) {
	t.Helper()
	b.do(t, chromedp.SendKeys(chromedp.ID("question"), question+kb.Enter))
}

// answered waits until the last answer has ended, and returns its text.
func (b *window) answeredLast(t *testing.T) string {
	t.Helper()
	b.do(t, chromedp.WaitVisible(chromedp.CSS(`.turn:last-child .answer[aria-busy="false"] [data-part="after"]`)))
	return b.text(t, `.turn:last-child .answer:last-child [data-part="text"]`)
}

func TestPlaygroundPage(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{})
	w := harness.Start(t, harness.WithModel(upstream), func(c *app.Config) { c.SecretKey = seal.ServerKey{1, 2, 3}.Text() })
	baker := w.NewTenant("baker", plan.Starter, harness.Opening)
	upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven})
	b := openPlayground(w, t, baker)

	t.Run("a suggested question gets a cited answer, on the Starter plan", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.CSS(".suggestion")))
		if got := b.answeredLast(t); !strings.HasPrefix(got, "At seven — früh, as ever") || strings.Contains(got, "[1]") {
			t.Errorf("it says %q", got)
		}
		if got := b.text(t, ".turn .said .chip"); got != "1" {
			t.Errorf("the chip says %q", got)
		}
		if got := b.text(t, ".inspector"); !strings.Contains(got, "Opening hours") || !strings.Contains(got, "cited") || !strings.Contains(got, "tokens") || !strings.Contains(got, "Answered") {
			t.Errorf("the inspector says %q", got)
		}
	})
	t.Run("a chip marks its passage", func(t *testing.T) {
		b.do(t, chromedp.Focus(chromedp.CSS(".turn .said .chip")), chromedp.WaitVisible(chromedp.CSS(`.passage.marked[data-number="1"]`)))
	})
	t.Run("the same answer is shown in each format", func(t *testing.T) {
		b.do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector('input[name="format"][value="markdown"]').click()`))
		if got := b.text(t, ".turn .said"); got != harness.AnswerOfSeven {
			t.Errorf("in Markdown it is %q", got)
		}
		b.do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector('input[name="format"][value="html"]').click()`))
	})
	t.Run("a thumb is kept", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.CSS(`.turn [data-rate="up"]`)), chromedp.WaitVisible(chromedp.CSS(`.turn [data-rate="up"][aria-pressed="true"]`)))
	})
	t.Run("a reload keeps the passages with their texts, the thumb and the number of questions that is left", func(t *testing.T) {
		left := b.text(t, "#playground-left")
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(`.turn [data-rate="up"][aria-pressed="true"]`)))
		if got := b.text(t, ".inspector blockquote"); !strings.Contains(got, "opens at seven") {
			t.Errorf("the passage says %q", got)
		}
		if got := b.text(t, "#playground-left"); got != left || !strings.HasPrefix(got, "199 of 200") {
			t.Errorf("it says %q, before %q", got, left)
		}
	})
	t.Run("Escape stops an answer", func(t *testing.T) {
		upstream.Next(llmtest.Reply{Pieces: []string{"When does the bakery open on Sundays?"}}, // the question, self-contained
			llmtest.Reply{Pieces: harness.PiecesOfSeven, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
		b.asks(t, "And on Sundays?")
		b.do(t, chromedp.WaitVisible(chromedp.CSS(".turn:last-child .said.raw")), chromedp.SendKeys(chromedp.ID("question"), kb.Escape))
		if got := b.answeredLast(t); !strings.HasPrefix(got, "At") {
			t.Errorf("what there is of it is %q", got)
		}
		if got := b.text(t, `.turn:last-child [data-part="after"] .badge`); got != "Stopped" {
			t.Errorf("its badge says %q", got)
		}
	})
	t.Run("a reload in the middle of an answer goes on with it", func(t *testing.T) {
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"When does the bakery open on holidays?"}},
			llmtest.Reply{Pieces: harness.PiecesOfSeven, Hold: gate, HoldAt: llmtest.AfterPieces(2)})
		b.asks(t, "And on holidays?")
		b.do(t, chromedp.WaitVisible(chromedp.CSS(".turn:last-child .said.raw")), chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(".turn:last-child .said.raw")))
		if n := get(t, b, chromedp.Evaluate[int](`document.querySelectorAll(".turn").length`)); n != 3 {
			t.Errorf("there are %d turns", n)
		}
		gate.Release()
		if got := b.answeredLast(t); !strings.HasPrefix(got, "At seven — früh, as ever") {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("a draft answers beside the live settings, and is published", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.ID("open-drafts")), chromedp.SendKeys(chromedp.ID("instructions"), "Speak like a pirate."), chromedp.WaitVisible(chromedp.ID("model-list")))
		if got := b.text(t, "#model-list"); !strings.Contains(got, "The server's default (double)") || !strings.Contains(got, "extractive") {
			t.Errorf("the models are %q", got)
		}
		b.do(t, chromedp.Click(chromedp.ID("compare")))
		b.asks(t, "When?")
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`.answers.two .answer:first-child[aria-busy="false"]`)), chromedp.WaitVisible(chromedp.CSS(`.answers.two .answer:last-child[aria-busy="false"]`)))
		if got := b.text(t, ".answers.two"); !strings.Contains(got, "Live") || !strings.Contains(got, "Draft") {
			t.Errorf("side by side are %q", got)
		}
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(`.answers.two .answer:last-child[aria-busy="false"] .said:not(:empty)`)))
		if got := b.text(t, ".answers.two"); !strings.Contains(got, "Live") || !strings.Contains(got, "Draft") {
			t.Errorf("after a reload, side by side are %q", got)
		}
		bot, err := w.Server.Chatbots.Get(t.Context(), baker.Workspace, baker.Chatbot)
		if err != nil || bot.Instructions != "" {
			t.Errorf("the live instructions are %q: %v", bot.Instructions, err)
		}
		b.follow(t, "#publish-beside")
		bot, err = w.Server.Chatbots.Get(t.Context(), baker.Workspace, baker.Chatbot)
		if err != nil || bot.Instructions != "Speak like a pirate." {
			t.Errorf("the published instructions are %q: %v", bot.Instructions, err)
		}
		b.do(t, chromedp.WaitNotVisible(chromedp.CSS(".beside")))
		b.quiet(t)
	})
	t.Run("a draft that is refused keeps what was typed", func(t *testing.T) {
		v := w.Within(t).SignedIn(baker.Email, baker.Password)
		r := v.Post("/chatbots/"+baker.Chatbot+"/playground/publish", harness.Pairs{"instructions", "Mine.", "grounding", "open", "provider_id", "own", "seen", "another"})
		v.Expect(r, 409)
		if !strings.Contains(r.Text, "Mine.</textarea>") || !strings.Contains(harness.Text(v.Page(r)), "Somebody changed these settings") {
			t.Errorf("the page is %s", harness.Shortened(harness.Text(v.Page(r))))
		}
	})
	t.Run("what was published is in the audit log", func(t *testing.T) {
		page, _, err := w.Server.Tenants.Audit.Of(t.Context(), baker.Workspace, audit.Filter{Actions: []audit.Action{audit.ChatbotChanged}, Limit: 10})
		if err != nil || len(page) != 1 {
			t.Errorf("there are %d entries: %v", len(page), err)
		}
	})
	t.Run("the number of questions that is left is respected, and the page says the way on", func(t *testing.T) {
		starter := plan.Defaults()[0]
		starter.Limits.PlaygroundPerMonth = 1
		w.Must(w.Server.Program.Tenants.Plans.Update(t.Context(), starter))
		b.do(t, chromedp.Click(chromedp.ID("new-conversation")))
		b.asks(t, "Once more?")
		b.do(t, chromedp.WaitVisible(chromedp.CSS(".turn:last-child .failure")))
		if got := b.text(t, ".turn:last-child .failure"); !strings.Contains(got, "used up") || !strings.Contains(got, "See the plans") {
			t.Errorf("it says %q", got)
		}
		for _, complaint := range b.heard() {
			if !strings.Contains(complaint, "429") {
				t.Errorf("the console has %q", complaint)
			}
		}
	})
}

func TestDeployPage(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	v := w.SignedIn(baker.Email, baker.Password)

	t.Run("it has a question of this chatbot, and its own address", func(t *testing.T) {
		v := v.In(t)
		got := harness.Text(v.Page(v.Get("/chatbots/" + baker.Chatbot + "/deploy")))
		for _, part := range []string{"1 active token", `{"message": "When are you open?"`, w.Base + "/api/v1/chat", "PARLEY_TOKEN", "requests.post"} {
			if !strings.Contains(got, part) {
				t.Errorf("%q is not in %s", part, got)
			}
		}
	})
	t.Run("a plan without API access is shown what that gives, and no form that refuses", func(t *testing.T) {
		v := v.In(t)
		w.Must(w.Server.Program.Tenants.Grants.SetPlan(t.Context(), baker.Workspace, plan.Basic))
		page := v.Page(v.Get("/chatbots/" + baker.Chatbot + "/deploy"))
		if got := harness.Text(page); !strings.Contains(got, "API access starts with Standard") || strings.Contains(got, "Manage tokens") {
			t.Errorf("the page says %s", got)
		}
	})
	t.Run("a member without rights over settings has no draft", func(t *testing.T) {
		w := w.Within(t)
		session := colleague(w, baker, "helper", tenant.RoleMember)
		r := w.Call("GET", "/chatbots/"+baker.Chatbot+"/playground", "", session)
		w.Expect(r, 200)
		if strings.Contains(r.Text, "open-drafts") || !strings.Contains(r.Text, "parley-playground") {
			t.Errorf("the page is %s", harness.Shortened(r.Text))
		}
	})
}
