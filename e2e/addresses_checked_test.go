package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/app"
	"parley/core/plan"
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
	home := location(v.get("/"))
	refused := v.post(home+"/invitations", pairs{"email", "guest@example.com", "role", "member"})
	v.expect(refused, http.StatusForbidden)
	if said := text(v.page(refused)); !strings.Contains(said, "Confirm your e-mail address first") {
		t.Errorf("the page says %q", said)
	}
	w.must(w.server.Tenants.Grants.SetPlan(t.Context(), strings.TrimPrefix(home, "/workspaces/"), plan.Standard))
	post.Refuse(0)
	before := len(post.Mails())
	v.goesTo(v.post("/account/email/send", nil, header{"Referer", w.base + home + "/members"}), home+"/members")
	_, code := w.mailTo(post, "first@example.com", before)
	v.goesTo(v.post("/account/email", pairs{"code", code}), "/")
	v.expect(v.post(home+"/invitations", pairs{"email", "guest@example.com", "role", "member"}), http.StatusOK)
	w.notLogged(code)
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	pinned := header{"X-Request-Id", "the-same"}
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		post := mailtest.New(t, mailtest.Options{})
		w := start(withMails(post))
		baker := w.newTenant("baker", plan.Standard)
		t.Run("the page answers the same whether there is an account or not, byte by byte", func(t *testing.T) {
			w := w.within(t)
			known := w.visitor().post("/forgot-password", pairs{"email", baker.email}, pinned)
			unknown := w.visitor().post("/forgot-password", pairs{"email", "nobody@example.com"}, pinned)
			w.expect(known, http.StatusOK)
			w.sameAnswers(known, unknown, baker.email, "nobody@example.com")
			if text, code := w.mailTo(post, "nobody@example.com", 0); !strings.Contains(text, "there is none") || code != "" {
				t.Errorf("who has no account is told %s", text)
			}
		})
		t.Run("the link sets another password, and ends the sessions", func(t *testing.T) {
			w := w.within(t)
			elsewhere := w.signedIn(baker.email, baker.password)
			_, code := w.mailTo(post, baker.email, 0)
			v := w.visitor()
			weak := v.post("/reset-password", pairs{"code", code, "password", "1234567890"})
			v.expect(weak, http.StatusUnprocessableEntity)
			if got := textOf(v.page(weak), "id", "password-error"); !strings.Contains(got, "Many people use this password") {
				t.Errorf("beside the field stands %q", got)
			}
			v.goesTo(v.post("/reset-password", pairs{"code", code, "password", "an entirely new one"}), "/sign-in?done=reset")
			elsewhere.goesTo(elsewhere.get("/account"), "/sign-in?next=%2Faccount")
			v.expect(v.post("/reset-password", pairs{"code", code, "password", "an entirely new one"}), http.StatusUnprocessableEntity)
			w.signedIn(baker.email, "an entirely new one")
			w.notLogged(code, "an entirely new one")
		})
	})
}

func TestForgottenPasswordInTheBrowser(t *testing.T) {
	post := mailtest.New(t, mailtest.Options{})
	w := start(t, withMails(post))
	baker := w.newTenant("baker", plan.Standard)
	b := w.window()
	b.do(t, chromedp.Navigate(w.base+"/sign-in"))
	if got := b.follow(t, `main a[href="/forgot-password"]`); got != "/forgot-password" {
		t.Fatalf("it leads to %q", got)
	}
	b.do(t, chromedp.SendKeys(chromedp.ID("email"), baker.email))
	b.follow(t, "main button[type=submit]")
	_, code := w.mailTo(post, baker.email, 0)
	b.do(t, chromedp.Navigate(w.base+"/reset-password#"+code), chromedp.SendKeys(chromedp.ID("password"), "an entirely new one"))
	if got := b.follow(t, "#reset-password"); got != "/sign-in?done=reset" {
		t.Fatalf("it leads to %q", got)
	}
	b.do(t, chromedp.SendKeys(chromedp.ID("email"), baker.email), chromedp.SendKeys(chromedp.ID("password"), "an entirely new one"))
	if got := b.follow(t, "main button[type=submit]"); !strings.HasPrefix(got, "/workspaces/ws_") {
		t.Errorf("signing in leads to %q", got)
	}
	b.quiet(t)
}

// operatorsLink returns the code of the last link in the server's log.
func (w *instance) operatorsLink() (code string) {
	w.Helper()
	w.eventually("the log has a link", func() bool {
		log := w.log.String()
		i := strings.LastIndex(log, "/account/email#")
		if i < 0 {
			return false
		}
		code, _, _ = strings.Cut(log[i+len("/account/email#"):], "\n")
		code = strings.TrimRight(code, "\"")
		return true
	})
	return code
}

func TestConfirmingInTheBrowser(t *testing.T) {
	w := start(t)
	b := w.window()
	b.do(t, chromedp.Navigate(w.base+"/sign-up"), chromedp.SendKeys(chromedp.ID("email"), "mara@shop.example"),
		chromedp.SendKeys(chromedp.ID("password"), "a long pass phrase"), chromedp.SendKeys(chromedp.ID("workspace"), "Mara Cycles"))
	home := b.follow(t, "main button[type=submit]")
	if got := b.text(t, "#unconfirmed"); !strings.Contains(got, "its operator finds the link in the log") {
		t.Fatalf("the banner says %q", got)
	}
	bot := strings.TrimSuffix(b.follow(t, "#create-chatbot"), "/welcome")
	w.must(w.server.Tenants.Grants.SetPlan(t.Context(), strings.TrimPrefix(home, "/workspaces/"), plan.Standard))
	b.do(t, chromedp.Navigate(w.base+bot+"/tokens"), chromedp.WaitVisible(chromedp.ID("token-empty")))
	if there := get(t, b, chromedp.Evaluate[bool](`document.getElementById("new-token") !== null`)); there {
		t.Error("a token can be created before the address is confirmed")
	}
	first := w.operatorsLink()
	b.follow(t, "#send-again")
	w.eventually("the log has another link", func() bool { return w.operatorsLink() != first })
	b.do(t, chromedp.Navigate(w.base+"/account/email#"+w.operatorsLink()))
	b.follow(t, "#confirm-email")
	b.do(t, chromedp.Navigate(w.base+bot+"/tokens"), chromedp.WaitVisible(chromedp.ID("new-token")))
	if there := get(t, b, chromedp.Evaluate[bool](`document.getElementById("unconfirmed") !== null`)); there {
		t.Error("the banner is still there")
	}
	b.quiet(t)
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
	t.Run("an address changes by the link in the log, whether another account has it or not, and ends all other sessions", func(t *testing.T) {
		w := w.within(t)
		here, elsewhere := w.signedIn(baker.email, baker.password), w.signedIn(baker.email, baker.password)
		changed := here.post("/account", pairs{"email", "moved@example.com", "email_password", baker.password})
		here.goesTo(changed, "/account?done=confirm-log")
		here.expect(here.get("/account"), http.StatusOK)
		here.goesTo(here.post("/account/email", pairs{"code", w.operatorsLink()}), "/account?done=email")
		here.expect(here.get("/account"), http.StatusOK)
		elsewhere.goesTo(elsewhere.get("/account"), "/sign-in?next=%2Faccount")
	})
}
