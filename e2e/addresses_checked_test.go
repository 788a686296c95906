package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/internal/app"
	"parley/mail/mailtest"
)

// withMails lets a server send its mails to another.
func withMails(post *mailtest.Server) func(*app.Config) {
	return func(c *app.Config) {
		c.SMTPURL, c.MailFrom, c.BaseURL = "smtp://"+post.Address, "Parley <parley@example.com>", "http://parley.example"
	}
}

// mailTo waits for a mail to an address, and returns its text and the code in
// its link.
func (w *instance) mailTo(post *mailtest.Server, address string, after int) (text, code string) {
	w.Helper()
	w.eventually("a mail to "+address+" arrives", func() bool {
		mails := post.Mails()
		for _, mail := range mails[min(after, len(mails)):] {
			// Every tenant has made a token, of which its owner was told.
			if mail.To == address && !strings.Contains(mail.Data, "Subject: New API token") {
				var err error
				text, _, err = mail.Parts()
				w.must(err)
			}
		}
		return text != ""
	})
	_, code, _ = strings.Cut(text, "#")
	code, _, _ = strings.Cut(code, "\n")
	return text, code
}

// sameAnswers fails the test unless two answers are the same but for the
// address that was given.
func (w *instance) sameAnswers(known, unknown reply, knownEmail, unknownEmail string) {
	w.Helper()
	for _, r := range []reply{known, unknown} {
		r.Header.Del("Date")
		r.Header.Del("Set-Cookie") // a session's secret
	}
	if known.StatusCode != unknown.StatusCode || fmt.Sprint(known.Header) != fmt.Sprint(unknown.Header) ||
		strings.ReplaceAll(known.body, knownEmail, unknownEmail) != unknown.body {
		w.Errorf("known: %d %v %s\nunknown: %d %v %s", known.StatusCode, known.Header, known.body, unknown.StatusCode, unknown.Header, unknown.body)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	pinned := header{"X-Request-Id", "the-same"}
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		post := mailtest.New(t, mailtest.Options{})
		w := start(withMails(post))
		baker, smith := w.newTenant("baker", plan.Standard), w.newTenant("smith", plan.Standard)

		t.Run("a sign-up does not tell whether an address has an account, and its owner is told by mail", func(t *testing.T) {
			w := w.within(t)
			known := w.visitor().post("/sign-up", pairs{"email", baker.email}, pinned)
			unknown := w.visitor().post("/sign-up", pairs{"email", "fresh@example.com"}, pinned)
			w.expect(known, http.StatusOK)
			w.sameAnswers(known, unknown, baker.email, "fresh@example.com")
			if text, code := w.mailTo(post, baker.email, 0); !strings.Contains(text, "already has one") || code != "" {
				t.Errorf("the owner is told %s", text)
			}
			_, code := w.mailTo(post, "fresh@example.com", 0)
			v := w.visitor()
			v.goesTo(v.post("/sign-up/finish", pairs{"code", code, "password", staffPassword, "workspace", "Fresh"}), "/")
			v.expect(v.get(location(v.get("/"))), http.StatusOK)
			w.notLogged(code, "fresh@example.com", staffPassword)
		})
		t.Run("a change of address does not either; it ends all other sessions, and both addresses are told", func(t *testing.T) {
			w := w.within(t)
			here, elsewhere := w.signedIn(baker.email, baker.password), w.signedIn(baker.email, baker.password)
			ask := func(email string) reply {
				return here.post("/account", pairs{"email", email, "email_password", baker.password}, pinned)
			}
			before := len(post.Mails())
			known, unknown := ask(smith.email), ask("moved@example.com")
			w.expect(known, http.StatusSeeOther)
			w.sameAnswers(known, unknown, smith.email, "moved@example.com")
			_, none := w.mailTo(post, smith.email, before)
			_, code := w.mailTo(post, "moved@example.com", before)
			if none != "" {
				t.Error("the owner of the known address is sent a link")
			}
			before = len(post.Mails())
			here.goesTo(here.post("/account/email", pairs{"code", code}), "/account?done=email")
			here.expect(here.get("/account"), http.StatusOK)
			elsewhere.goesTo(elsewhere.get("/account"), "/sign-in?next=%2Faccount")
			if text, _ := w.mailTo(post, baker.email, before); !strings.Contains(text, "moved@example.com") {
				t.Errorf("the old address is told %s", text)
			}
			w.signedIn("moved@example.com", baker.password)
		})
		t.Run("an invitation does not either: its link goes to the invited address alone", func(t *testing.T) {
			w := w.within(t)
			owner := w.signedIn(smith.email, smith.password)
			before := len(post.Mails())
			page := owner.post("/workspaces/"+smith.workspace+"/invitations", pairs{"email", "guest@example.com", "role", "member"})
			_, code := w.mailTo(post, "guest@example.com", before)
			if textOf(w.page(page), "id", "invitation-link") != "" || len(code) != 43 || strings.Contains(page.body, code) {
				t.Errorf("the inviter sees %s", page.body)
			}
			v := w.visitor()
			v.goesTo(v.join(code, guestPassword), "/")
		})
	})
}

func TestFirstAccountNeedsNoMail(t *testing.T) {
	t.Parallel()
	post := mailtest.New(t, mailtest.Options{})
	post.Refuse(550)
	w := start(t, withMails(post))
	v := w.visitor()
	v.goesTo(v.post("/sign-up", newAccount), "/")
}

func TestSignUpByMailInTheBrowser(t *testing.T) {
	post := mailtest.New(t, mailtest.Options{})
	w := start(t, withMails(post))
	w.newTenant("baker", plan.Standard)
	b := w.window()
	b.do(t, chromedp.Navigate(w.base+"/sign-up"), chromedp.SendKeys(chromedp.ID("email"), "fresh@example.com"))
	b.follow(t, "main button[type=submit]")
	if got := b.text(t, "main"); !strings.Contains(got, "Follow the link") {
		t.Fatalf("the page says %q", got)
	}
	_, code := w.mailTo(post, "fresh@example.com", 0)
	b.do(t, chromedp.Navigate(w.base+"/sign-up/finish#"+code),
		chromedp.SendKeys(chromedp.ID("password"), staffPassword), chromedp.SendKeys(chromedp.ID("workspace"), "Fresh"))
	if got := b.follow(t, "#finish-sign-up"); !strings.HasPrefix(got, "/workspaces/ws_") {
		t.Errorf("it leads to %q", got)
	}
	b.quiet(t)
}

func TestAddressesWithoutMails(t *testing.T) {
	t.Parallel()
	w := start(t)
	baker := w.newTenant("baker", plan.Standard)
	t.Run("a sign-up with a known address and a wrong password is refused as a sign-in", func(t *testing.T) {
		v := w.within(t).visitor()
		r := v.post("/sign-up", pairs{"email", baker.email, "password", "a wrong guess", "workspace", "New"})
		v.expect(r, http.StatusUnauthorized)
		if len(v.cookies) != 0 || strings.Contains(r.body, "a wrong guess") {
			t.Errorf("cookies %v, page %s", v.cookies, r.body)
		}
	})
	t.Run("with the account's password it signs the person in", func(t *testing.T) {
		v := w.within(t).visitor()
		v.goesTo(v.post("/sign-up", pairs{"email", baker.email, "password", baker.password, "workspace", "New"}), "/")
		v.goesTo(v.get("/"), "/workspaces/"+baker.workspace)
	})
	t.Run("a changed address ends all other sessions", func(t *testing.T) {
		w := w.within(t)
		here, elsewhere := w.signedIn(baker.email, baker.password), w.signedIn(baker.email, baker.password)
		here.goesTo(here.post("/account", pairs{"email", "moved@example.com", "email_password", baker.password}), "/account?done=email")
		here.expect(here.get("/account"), http.StatusOK)
		elsewhere.goesTo(elsewhere.get("/account"), "/sign-in?next=%2Faccount")
	})
}
