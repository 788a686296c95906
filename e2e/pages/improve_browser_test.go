package pages

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/e2e/harness"
)

func TestImproveInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	w.AskedFor(baker.Token, "ann", "Do you sell gluten free rolls?")
	w.AskedFor(baker.Token, "bob", "do you sell gluten-free rolls")
	message, conversation := w.AskedFor(baker.Token, "eve", "When does the bakery open?")
	b := openWindow(w)
	base := w.Base + "/chatbots/" + baker.Chatbot
	b.signIn(t, baker)

	t.Run("a thumb down stands in the conversation and on the page of what to improve", func(t *testing.T) {
		b.do(t, chromedp.Navigate(base+"/conversations/"+conversation))
		b.follow(t, "#message-"+message+" button[value=down]")
		if got := get(t, b, chromedp.Evaluate[string](`document.querySelector("#message-`+message+` button[aria-pressed=true]").ariaLabel`)); !strings.HasPrefix(got, "Bad answer") {
			t.Errorf("pressed is %q", got)
		}
		b.do(t, chromedp.Navigate(base+"/improve"))
		if got := b.text(t, "#gaps"); !strings.Contains(got, "When does the bakery open?") || !strings.Contains(got, "Thumbs down: 1") {
			t.Errorf("the page says %q", got)
		}
	})
	t.Run("alike questions without an answer are one group, the most frequent first", func(t *testing.T) {
		w.Within(t).Eventually("the answers are counted", func() bool {
			n, err := w.Server.Insight.Gaps.Count(t.Context(), baker.Workspace, baker.Chatbot)
			w.Must(err)
			return n == 3
		})
		b.do(t, chromedp.Navigate(base+"/improve"))
		if got := b.text(t, "#gaps > li:first-child"); !strings.Contains(got, "gluten-free rolls") || !strings.Contains(got, "Asked 2 times") {
			t.Errorf("the first group is %q", got)
		}
	})
	t.Run("an answer becomes knowledge, the question is asked again, and its group is gone", func(t *testing.T) {
		b.follow(t, `#gaps > li:first-child a.button`)
		if got := get(t, b, chromedp.Value(chromedp.ID("question"))); got != "do you sell gluten-free rolls" {
			t.Errorf("the question is %q", got)
		}
		b.do(t, chromedp.SendKeys(chromedp.ID("answer"), "Yes, we sell gluten free rolls every Friday."))
		b.follow(t, "#add-answer")
		b.do(t, chromedp.WaitVisible(chromedp.ID("works")))
		if got := b.text(t, "#check"); !strings.Contains(got, "every Friday") || !strings.Contains(got, "cites what you added") || !strings.Contains(got, "All 2 questions like it are off the list") {
			t.Errorf("the page says %q", got)
		}
		b.do(t, chromedp.Navigate(base+"/improve"))
		if got := b.text(t, "main"); strings.Contains(b.text(t, "#gaps"), "rolls") || !strings.Contains(got, "Recently answered") {
			t.Errorf("the page says %q", got)
		}
		r := w.Within(t).Call("POST", "/api/v1/chat", `{"message":"Do you sell gluten free rolls?"}`, harness.Bearer(baker.Token))
		if answer, _ := r.Data["message"].(string); !strings.Contains(answer, "Friday") {
			t.Errorf("a caller is told %q", answer)
		}
	})
	t.Run("a test question is asked by a button, and says what came of it", func(t *testing.T) {
		b.do(t, chromedp.Navigate(base+"/improve/tests"), chromedp.SendKeys(chromedp.ID("question"), "Do you sell gluten free rolls?"))
		b.do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById("expects").value = "text"`), chromedp.SendKeys(chromedp.ID("expected"), "every FRIDAY"))
		b.follow(t, "#add-test button.primary")
		if got := b.text(t, "#run-cost"); !strings.Contains(got, "A run asks 1 question ") || !strings.Contains(got, "1,999 of 2,000 are left this month") || !strings.Contains(got, "until 1,000 are used") {
			t.Errorf("before the run the page says %q", got)
		}
		b.follow(t, `form[action$="/tests/run"] button`)
		b.do(t, chromedp.WaitVisible(chromedp.CSS("#test-questions .badge.good")))
		if got := b.text(t, "#tests"); !strings.Contains(got, "1 of 1 passed") || !strings.Contains(got, "· extractive") || !strings.Contains(got, "by "+baker.Email) {
			t.Errorf("the page says %q", got)
		}
		if got := b.text(t, "#run-cost"); !strings.Contains(got, "1,998 of 2,000") {
			t.Errorf("after the run the page says %q", got)
		}
		b.follow(t, "#test-questions th a")
		if got := b.text(t, ".sides"); !strings.Contains(got, "every Friday") || !strings.Contains(got, "This run") || strings.Contains(got, "Before") {
			t.Errorf("the run says %q", got)
		}
		b.quiet(t)
	})
	t.Run("a removed test question comes back with its result by Undo", func(t *testing.T) {
		b.do(t, chromedp.Navigate(base+"/improve/tests"))
		b.follow(t, `form[action$="/remove"] button`)
		if got := b.text(t, "main"); !strings.Contains(got, "No test questions yet") {
			t.Errorf("the page says %q", got)
		}
		b.follow(t, `.toast form[action*="/undo?"] button`)
		if got := b.text(t, "#test-questions"); !strings.Contains(got, "Do you sell gluten free rolls?") || !strings.Contains(got, "Pass") {
			t.Errorf("the page says %q", got)
		}
		b.quiet(t)
	})
	t.Run("after a change of the knowledge, two runs stand side by side", func(t *testing.T) {
		owner, api := w.Within(t).SignedIn(baker.Email, baker.Password), "/api/chatbots/"+baker.Chatbot
		r := owner.Ask("PUT", api+"/test-questions", `{"questions":[{"question":"Is there oat milk?","answer":"Yes, oat milk is free.","document":"Milk"}]}`)
		if r.Data["added"] != 1.0 {
			t.Fatalf("the import says %s", r.Text)
		}
		run := func() {
			t.Helper()
			b.do(t, chromedp.Navigate(base+"/improve/tests"))
			b.follow(t, `form[action$="/tests/run"] button`)
			b.do(t, chromedp.WaitVisible(chromedp.CSS("#changed")), chromedp.WaitVisible(chromedp.CSS(`form[action$="/tests/run"] button`)))
		}
		run()
		owner.CheckAnswer(owner.Ask("POST", api+"/documents", `{"title":"Milk","content":"# Milk\n\nYes, oat milk is free."}`), 200, 0)
		w.Within(t).Settled(baker)
		run()
		b.follow(t, "#changed")
		got := b.text(t, "main")
		for _, part := range []string{"Is there oat milk?", "Better", "oat milk is free", "The knowledge changed: ", "The settings are the same.", "1 of 1"} {
			if !strings.Contains(got, part) {
				t.Errorf("the page lacks %q: %s", part, got)
			}
		}
		b.quiet(t)
	})
	t.Run("the figures of the day have it all", func(t *testing.T) {
		w.Within(t).Eventually("all is counted", func() bool {
			b.do(t, chromedp.Navigate(base+"/analytics?days=7"))
			return strings.Contains(b.text(t, ".tiles"), "Users\n3")
		})
		if got := b.text(t, "main"); !strings.Contains(got, "Questions\n4") || !strings.Contains(got, "Top topics") {
			t.Errorf("the page says %q", got)
		}
		b.quiet(t)
	})
}
