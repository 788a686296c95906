package pages

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/e2e/harness"
)

// hand is how a person reaches what is on a page.
type hand struct {
	press func(t *testing.T, selector string)
	write func(t *testing.T, selector, text string)
	// point brings the focus to what shows more then.
	point func(t *testing.T, selector string)
	// choose takes something from the menu of a row.
	choose func(t *testing.T, row, what string)
}

// pointing is a hand with a mouse.
func (b *window) pointing() hand {
	return hand{
		press:  func(t *testing.T, selector string) { b.do(t, chromedp.Click(chromedp.CSS(selector))) },
		write:  func(t *testing.T, selector, text string) { b.do(t, chromedp.SendKeys(chromedp.CSS(selector), text)) },
		point:  func(t *testing.T, selector string) { b.do(t, chromedp.Focus(chromedp.CSS(selector))) },
		choose: func(t *testing.T, row, what string) { b.fromMenu(t, row, what) },
	}
}

// typing is a hand with a keyboard alone.
func (b *window) typing() hand {
	return hand{
		press: func(t *testing.T, selector string) {
			b.reach(t, selector)
			b.do(t, chromedp.KeyEvent(kb.Enter))
		},
		write: func(t *testing.T, selector, text string) {
			b.reach(t, selector)
			b.do(t, chromedp.KeyEvent(text))
		},
		point: b.reach,
		choose: func(t *testing.T, row, what string) {
			b.reach(t, row+" .row-menu")
			b.do(t, chromedp.KeyEvent(kb.Enter))
			get(t, b, chromedp.Poll[bool](`document.querySelector(".menu:popover-open")?.contains(document.activeElement)`))
			for range 5 {
				if get(t, b, chromedp.Evaluate[bool](`document.activeElement.matches(".`+what+`")`)) {
					break
				}
				b.do(t, chromedp.KeyEvent(kb.ArrowDown))
			}
			b.do(t, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.ID(what+"-dialog")))
		},
	}
}

// farthest is how many times somebody presses Tab before giving up.
const farthest = 80

// reach presses Tab until the element has the focus, and fails the test if it
// cannot be reached, or if the focus cannot be seen.
func (b *window) reach(t *testing.T, selector string) {
	t.Helper()
	b.do(t, chromedp.WaitVisible(chromedp.CSS(selector)))
	for range farthest {
		switch get(t, b, chromedp.Evaluate[string](`(() => {
			const at = document.activeElement;
			if (!at?.matches(`+harness.Quoted(b.Instance, selector)+`)) {
				return "elsewhere";
			}
			const style = getComputedStyle(at);
			const box = at.getBoundingClientRect();
			const drawn = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
			const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
			return at.matches(":focus-visible") && drawn && inside ? "seen" : "unseen";
		})()`)) {
		case "seen":
			return
		case "unseen":
			t.Fatalf("%s has the focus, but nobody can see that", selector)
		}
		b.do(t, chromedp.KeyEvent(kb.Tab))
	}
	t.Fatalf("%s is not reached with %d times Tab", selector, farthest)
}

// TestStory goes the way of an owner from signing up to a token that is revoked.
func TestStory(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t, stripetest.Options{})
	w := harness.Start(t, harness.PaidAt(stripe))
	w.Sells(stripe)
	file := filepath.Join(t.TempDir(), "manual.pdf")
	w.Must(os.WriteFile(file, []byte(harness.Manual()), 0o600))
	b := openWindowFor(w, 10*harness.Patience)
	t.Run("with a mouse", func(t *testing.T) { b.story(t, b.pointing(), "mara", file) })
	b.signOut(t)
	t.Run("with a keyboard alone", func(t *testing.T) { b.story(t, b.typing(), "kim", file) })
}

func (b *window) story(t *testing.T, hand hand, name, file string) {
	w := b.Within(t)
	arrives := func(end string) {
		t.Helper()
		w.Eventually("the page is "+end, func() bool { return strings.Contains(get(t, b, chromedp.Location()), end) })
	}

	// The first run leads from the sign-up to a cited answer.
	b.do(t, chromedp.Navigate(b.Base+"/sign-up"))
	hand.write(t, "#email", name+"@shop.example")
	hand.write(t, "#password", "a long pass phrase")
	hand.write(t, "#workspace", name+" cycles")
	hand.press(t, "main button[type=submit]")
	hand.press(t, "#create-chatbot")
	arrives("/welcome")
	b.choose(t, file)
	arrives("/playground")
	chatbot := strings.TrimSuffix(get(t, b, chromedp.Location()), "/playground")
	b.do(t, chromedp.WaitVisible(chromedp.CSS("parley-playground .composer")))
	hand.write(t, "#question", "When should I change the tyre?"+kb.Enter)
	if got := b.answeredLast(t); !strings.Contains(got, "below one millimetre") {
		t.Errorf("the answer is %q", got)
	}
	hand.point(t, ".turn .said .chip")
	b.do(t, chromedp.WaitVisible(chromedp.CSS(`.passage.marked[data-number="1"]`)))
	hand.point(t, "#question")
	hand.write(t, "#question", "Do you rent unicycles?"+kb.Enter)
	b.answeredLast(t)

	// What was said is a conversation, and a bad answer is improved.
	hand.press(t, `.sidebar a[href$="/conversations"]`)
	arrives("/conversations")
	hand.press(t, "#own-questions")
	hand.press(t, "#conversations li a")
	arrives("/conversations/")
	hand.press(t, ".message.answer:last-child button[value=down]")
	b.do(t, chromedp.WaitVisible(chromedp.CSS(".message.answer button[aria-pressed=true]")))
	hand.press(t, `.sidebar a[href$="/improve"]`)
	arrives("/improve")
	hand.press(t, "#gaps > li:first-child a.button")
	arrives("/improve/answer")
	hand.write(t, "#answer", "Yes, we rent unicycles for ten euros a day.")
	hand.press(t, "#add-answer")
	b.do(t, chromedp.WaitVisible(chromedp.ID("works")))
	if got := b.text(t, "#check"); !strings.Contains(got, "ten euros") {
		t.Errorf("the page says %q", got)
	}

	// An upgrade, for which the address is confirmed, brings tokens.
	w.Must(w.Server.Tenants.Addresses.Vouch(audit.As(t.Context(), audit.Operator), name+"@shop.example"))
	hand.press(t, `.sidebar a[href$="/deploy"]`)
	arrives("/deploy")
	hand.press(t, "#upgrade-plan")
	arrives("%2Fdeploy")
	hand.press(t, "main button[name=plan]")
	b.do(t, chromedp.WaitVisible(chromedp.CSS("button[value=pay]")), chromedp.Click(chromedp.CSS("button[value=pay]")))
	w.Eventually("Stripe leads back", func() bool { return strings.HasPrefix(get(t, b, chromedp.Location()), b.Base) })
	b.do(t, chromedp.Navigate(chatbot+"/tokens"))
	hand.press(t, "#new-token")
	hand.write(t, "#token-name", "Website")
	hand.press(t, "#create-token")
	b.do(t, chromedp.WaitVisible(chromedp.ID("token-secret")))
	first := b.text(t, "#token-secret")
	w.Chats(first, http.StatusOK)
	hand.press(t, "#token-done")
	const row = "#token-list tr:first-child"
	b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(row)))
	b.Within(t).Eventually("the page says when the token was last used", func() bool { // uses are written every few seconds
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(row)))
		return !strings.Contains(b.text(t, row+" td[data-label='Last used']"), "Never")
	})
	hand.choose(t, row, "roll")
	hand.press(t, "#confirm-roll")
	b.do(t, chromedp.WaitVisible(chromedp.ID("token-secret")))
	second := b.text(t, "#token-secret")
	w.Chats(first, http.StatusOK)
	w.Chats(second, http.StatusOK)
	hand.press(t, "#token-done")
	hand.choose(t, row, "revoke")
	hand.press(t, "#confirm-revoke")
	b.do(t, chromedp.WaitNotVisible(chromedp.ID("revoke-dialog")))
	w.Chats(second, http.StatusUnauthorized)
	for _, complaint := range b.heard() {
		if !strings.HasSuffix(complaint, "/favicon.ico") { // of the page to pay
			t.Errorf("the console has %s", complaint)
		}
	}
}
