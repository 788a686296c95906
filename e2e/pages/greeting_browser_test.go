package pages

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestGreetingPages(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	b := openWindow(w)
	b.signIn(t, baker)
	settings := w.Base + "/chatbots/" + baker.Chatbot + "/settings"
	saved := func(t *testing.T) (welcome string, questions []string) {
		bot, err := w.Server.Chatbots.Get(t.Context(), baker.Workspace, baker.Chatbot)
		if err != nil {
			t.Fatal(err)
		}
		return bot.Welcome, bot.SuggestedQuestions
	}

	t.Run("the settings show what the documents suggest", func(t *testing.T) {
		b.do(t, chromedp.Navigate(settings), chromedp.WaitVisible(chromedp.CSS("use-proposal")))
		if got := b.text(t, "use-proposal"); !strings.Contains(got, "opening hours") || !strings.Contains(got, "When are you open?") {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("the owner takes it, edits it, and saves it", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.ID("take-proposal")), chromedp.WaitVisible(chromedp.ID("save-settings")))
		if got := b.text(t, ".savebar"); !strings.Contains(got, "Welcome text, Suggested questions") {
			t.Errorf("what is unsaved is %q", got)
		}
		b.do(t, chromedp.SendKeys(chromedp.ID("suggested_questions"), kb.End+"\nDo you sell <b>rye</b>?"))
		if got := b.follow(t, "#save-settings"); !strings.HasSuffix(got, "?done=saved") {
			t.Fatalf("saved, it is at %s", got)
		}
		welcome, questions := saved(t)
		if !strings.Contains(welcome, "for example about opening hours") || !slices.Equal(questions, []string{"When are you open?", "What should I know about holidays?", "Do you sell <b>rye</b>?"}) {
			t.Errorf("saved are %q and %q", welcome, questions)
		}
	})
	t.Run("without scripts the link fills the form, which is not saved until it is", func(t *testing.T) {
		v := w.Within(t).SignedIn(baker.Email, baker.Password)
		r := v.Get("/chatbots/" + baker.Chatbot + "/settings?greeting=proposed")
		if page := r.Text; !strings.Contains(page, "data-unsaved") || !strings.Contains(page, "What should I know about holidays?</textarea>") {
			t.Errorf("the page is %s", harness.Shortened(harness.Text(v.Page(r))))
		}
		if _, questions := saved(t); len(questions) != 3 {
			t.Errorf("saved are %q", questions)
		}
	})
	t.Run("the playground greets with them, and suggests what follows an answer", func(t *testing.T) {
		w := w.Within(t)
		_, err := w.Server.Knowledge.Documents.Add(w.Context(), baker.Workspace, baker.Chatbot, knowledge.NewDocument{Title: "Rental", Content: harness.RentalHandbook})
		w.Must(err)
		w.Settled(baker)
		b.do(t, chromedp.Navigate(w.Base+"/chatbots/"+baker.Chatbot+"/playground"), chromedp.WaitVisible(chromedp.CSS(".start .suggestion:nth-child(3)")))
		if got := b.text(t, ".start"); !strings.Contains(got, "for example about opening hours") || !strings.Contains(got, "Do you sell <b>rye</b>?") {
			t.Errorf("it says %q", got)
		}
		b.asks(t, "When does the rental desk open?")
		b.answeredLast(t)
		b.do(t, chromedp.WaitVisible(chromedp.CSS(".turn:last-of-type .follow-ups .suggestion")))
		if got := b.text(t, ".follow-ups"); !strings.Contains(got, "Can I bring the bicycle back elsewhere?") || strings.Contains(got, "When are you open?") {
			t.Errorf("what follows is %q", got)
		}
	})
	t.Run("a reload keeps what follows the last answer", func(t *testing.T) {
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(".turn:last-of-type .follow-ups .suggestion")))
	})
	t.Run("asked, it is gone from above its answer", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.CSS(".follow-ups .suggestion")))
		if got := b.answeredLast(t); !strings.Contains(got, "at the station") {
			t.Errorf("it says %q", got)
		}
		if n := get(t, b, chromedp.Evaluate[int](`document.querySelectorAll(".turn:first-of-type .follow-ups").length`)); n != 0 {
			t.Errorf("there are %d", n)
		}
	})
	b.quiet(t)
}
