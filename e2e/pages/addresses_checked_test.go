package pages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
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
func mailTo(w *harness.Instance, post *mailtest.Server, address string, after int) (text, code string) {
	w.Helper()
	w.Eventually("a mail to "+address+" arrives", func() bool {
		mails := post.Mails()
		for _, mail := range mails[min(after, len(mails)):] {
			// Every tenant has made a token, of which its owner was told.
			if mail.To == address && !strings.Contains(mail.Data, "Subject: New API token") {
				var err error
				text, _, err = mail.Parts()
				w.Must(err)
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
func sameAnswers(w *harness.Instance, known, unknown harness.Reply, knownEmail, unknownEmail string) {
	w.Helper()
	for _, r := range []harness.Reply{known, unknown} {
		r.Header.Del("Date")
		r.Header.Del("Set-Cookie") // a session's secret
	}
	if known.StatusCode != unknown.StatusCode || fmt.Sprint(known.Header) != fmt.Sprint(unknown.Header) ||
		strings.ReplaceAll(known.Text, knownEmail, unknownEmail) != unknown.Text {
		w.Errorf("known: %d %v %s\nunknown: %d %v %s", known.StatusCode, known.Header, known.Text, unknown.StatusCode, unknown.Header, unknown.Text)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	pinned := harness.Header{Name: "X-Request-Id", Value: "the-same"}
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		post := mailtest.New(t, mailtest.Options{})
		w := start(withMails(post))
		baker, smith := w.NewTenant("baker", plan.Standard), w.NewTenant("smith", plan.Standard)

		t.Run("a sign-up does not tell whether an address has an account, and its owner is told by mail", func(t *testing.T) {
			w := w.Within(t)
			known := w.NewVisitor().Post("/sign-up", harness.Pairs{"email", baker.Email}, pinned)
			unknown := w.NewVisitor().Post("/sign-up", harness.Pairs{"email", "fresh@example.com"}, pinned)
			w.Expect(known, http.StatusOK)
			sameAnswers(w, known, unknown, baker.Email, "fresh@example.com")
			if text, code := mailTo(w, post, baker.Email, 0); !strings.Contains(text, "already has one") || code != "" {
				t.Errorf("the owner is told %s", text)
			}
			_, code := mailTo(w, post, "fresh@example.com", 0)
			v := w.NewVisitor()
			v.GoesTo(v.Post("/sign-up/finish", harness.Pairs{"code", code, "password", harness.StaffPassword, "workspace", "Fresh"}), "/")
			v.Expect(v.Get(harness.Location(v.Get("/"))), http.StatusOK)
			w.NotLogged(code, "fresh@example.com", harness.StaffPassword)
		})
		t.Run("a change of address does not either; it ends all other sessions, and both addresses are told", func(t *testing.T) {
			w := w.Within(t)
			here, elsewhere := w.SignedIn(baker.Email, baker.Password), w.SignedIn(baker.Email, baker.Password)
			ask := func(email string) harness.Reply {
				return here.Post("/account", harness.Pairs{"email", email, "email_password", baker.Password}, pinned)
			}
			before := len(post.Mails())
			known, unknown := ask(smith.Email), ask("moved@example.com")
			w.Expect(known, http.StatusSeeOther)
			sameAnswers(w, known, unknown, smith.Email, "moved@example.com")
			_, none := mailTo(w, post, smith.Email, before)
			_, code := mailTo(w, post, "moved@example.com", before)
			if none != "" {
				t.Error("the owner of the known address is sent a link")
			}
			before = len(post.Mails())
			here.GoesTo(here.Post("/account/email", harness.Pairs{"code", code}), "/account?done=email")
			here.Expect(here.Get("/account"), http.StatusOK)
			elsewhere.GoesTo(elsewhere.Get("/account"), "/sign-in?next=%2Faccount")
			if text, _ := mailTo(w, post, baker.Email, before); !strings.Contains(text, "moved@example.com") {
				t.Errorf("the old address is told %s", text)
			}
			w.SignedIn("moved@example.com", baker.Password)
		})
		t.Run("an invitation does not either: its link goes to the invited address alone", func(t *testing.T) {
			w := w.Within(t)
			owner := w.SignedIn(smith.Email, smith.Password)
			before := len(post.Mails())
			page := owner.Post("/workspaces/"+smith.Workspace+"/invitations", harness.Pairs{"email", "guest@example.com", "role", "member"})
			_, code := mailTo(w, post, "guest@example.com", before)
			if harness.TextOf(w.Page(page), "id", "invitation-link") != "" || len(code) != 43 || strings.Contains(page.Text, code) {
				t.Errorf("the inviter sees %s", page.Text)
			}
			v := w.NewVisitor()
			v.GoesTo(join(v, code, guestPassword), "/")
		})
	})
}

func TestFirstAccountNeedsNoMail(t *testing.T) {
	t.Parallel()
	post := mailtest.New(t, mailtest.Options{})
	post.Refuse(550)
	w := harness.Start(t, withMails(post))
	v := w.NewVisitor()
	v.GoesTo(v.Post("/sign-up", newAccount), "/")
	home := harness.Location(v.Get("/"))
	refused := v.Post(home+"/invitations", harness.Pairs{"email", "guest@example.com", "role", "member"})
	v.Expect(refused, http.StatusForbidden)
	if said := harness.Text(v.Page(refused)); !strings.Contains(said, "Confirm your e-mail address first") {
		t.Errorf("the page says %q", said)
	}
	w.Must(w.Server.Tenants.Grants.SetPlan(t.Context(), strings.TrimPrefix(home, "/workspaces/"), plan.Standard))
	post.Refuse(0)
	before := len(post.Mails())
	v.GoesTo(v.Post("/account/email/send", nil, harness.Header{Name: "Referer", Value: w.Base + home + "/members"}), home+"/members")
	_, code := mailTo(w, post, "first@example.com", before)
	v.GoesTo(v.Post("/account/email", harness.Pairs{"code", code}), "/")
	v.Expect(v.Post(home+"/invitations", harness.Pairs{"email", "guest@example.com", "role", "member"}), http.StatusOK)
	w.NotLogged(code)
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	pinned := harness.Header{Name: "X-Request-Id", Value: "the-same"}
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		post := mailtest.New(t, mailtest.Options{})
		w := start(withMails(post))
		baker := w.NewTenant("baker", plan.Standard)
		t.Run("the page answers the same whether there is an account or not, byte by byte", func(t *testing.T) {
			w := w.Within(t)
			known := w.NewVisitor().Post("/forgot-password", harness.Pairs{"email", baker.Email}, pinned)
			unknown := w.NewVisitor().Post("/forgot-password", harness.Pairs{"email", "nobody@example.com"}, pinned)
			w.Expect(known, http.StatusOK)
			sameAnswers(w, known, unknown, baker.Email, "nobody@example.com")
			if text, code := mailTo(w, post, "nobody@example.com", 0); !strings.Contains(text, "there is none") || code != "" {
				t.Errorf("who has no account is told %s", text)
			}
		})
		t.Run("the link sets another password, and ends the sessions", func(t *testing.T) {
			w := w.Within(t)
			elsewhere := w.SignedIn(baker.Email, baker.Password)
			_, code := mailTo(w, post, baker.Email, 0)
			v := w.NewVisitor()
			weak := v.Post("/reset-password", harness.Pairs{"code", code, "password", "1234567890"})
			v.Expect(weak, http.StatusUnprocessableEntity)
			if got := harness.TextOf(v.Page(weak), "id", "password-error"); !strings.Contains(got, "Many people use this password") {
				t.Errorf("beside the field stands %q", got)
			}
			v.GoesTo(v.Post("/reset-password", harness.Pairs{"code", code, "password", "an entirely new one"}), "/sign-in?done=reset")
			elsewhere.GoesTo(elsewhere.Get("/account"), "/sign-in?next=%2Faccount")
			v.Expect(v.Post("/reset-password", harness.Pairs{"code", code, "password", "an entirely new one"}), http.StatusUnprocessableEntity)
			w.SignedIn(baker.Email, "an entirely new one")
			w.NotLogged(code, "an entirely new one")
		})
	})
}

func TestForgottenPasswordInTheBrowser(t *testing.T) {
	t.Parallel()
	post := mailtest.New(t, mailtest.Options{})
	w := harness.Start(t, withMails(post))
	baker := w.NewTenant("baker", plan.Standard)
	b := openWindow(w)
	b.do(t, chromedp.Navigate(w.Base+"/sign-in"))
	if got := b.follow(t, `main a[href="/forgot-password"]`); got != "/forgot-password" {
		t.Fatalf("it leads to %q", got)
	}
	b.do(t, chromedp.SendKeys(chromedp.ID("email"), baker.Email))
	b.follow(t, "main button[type=submit]")
	_, code := mailTo(w, post, baker.Email, 0)
	b.do(t, chromedp.Navigate(w.Base+"/reset-password#"+code), chromedp.SendKeys(chromedp.ID("password"), "an entirely new one"))
	if got := b.follow(t, "#reset-password"); got != "/sign-in?done=reset" {
		t.Fatalf("it leads to %q", got)
	}
	b.do(t, chromedp.SendKeys(chromedp.ID("email"), baker.Email), chromedp.SendKeys(chromedp.ID("password"), "an entirely new one"))
	if got := b.follow(t, "main button[type=submit]"); !strings.HasPrefix(got, "/workspaces/ws_") {
		t.Errorf("signing in leads to %q", got)
	}
	b.quiet(t)
}

func TestConfirmingInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	b := openWindow(w)
	b.do(t, chromedp.Navigate(w.Base+"/sign-up"), chromedp.SendKeys(chromedp.ID("email"), "mara@shop.example"),
		chromedp.SendKeys(chromedp.ID("password"), "a long pass phrase"), chromedp.SendKeys(chromedp.ID("workspace"), "Mara Cycles"))
	home := b.follow(t, "main button[type=submit]")
	if got := b.text(t, "#unconfirmed"); !strings.Contains(got, "Ask your administrator to confirm your address") {
		t.Fatalf("the banner says %q", got)
	}
	bot := strings.TrimSuffix(b.follow(t, "#create-chatbot"), "/welcome")
	w.Must(w.Server.Tenants.Grants.SetPlan(t.Context(), strings.TrimPrefix(home, "/workspaces/"), plan.Standard))
	b.do(t, chromedp.Navigate(w.Base+bot+"/tokens"), chromedp.WaitVisible(chromedp.ID("token-empty")))
	if there := get(t, b, chromedp.Evaluate[bool](`document.getElementById("new-token") !== null`)); there {
		t.Error("a token can be created before the address is confirmed")
	}
	first := w.OperatorsLink()
	b.follow(t, "#send-again")
	w.Eventually("the log has another link", func() bool { return w.OperatorsLink() != first })
	b.do(t, chromedp.Navigate(w.Base+"/account/email#"+w.OperatorsLink()))
	b.follow(t, "#confirm-email")
	b.do(t, chromedp.Navigate(w.Base+bot+"/tokens"), chromedp.WaitVisible(chromedp.ID("new-token")))
	if there := get(t, b, chromedp.Evaluate[bool](`document.getElementById("unconfirmed") !== null`)); there {
		t.Error("the banner is still there")
	}
	b.quiet(t)
}

func TestSignUpByMailInTheBrowser(t *testing.T) {
	t.Parallel()
	post := mailtest.New(t, mailtest.Options{})
	w := harness.Start(t, withMails(post))
	w.NewTenant("baker", plan.Standard)
	b := openWindow(w)
	b.do(t, chromedp.Navigate(w.Base+"/sign-up"), chromedp.SendKeys(chromedp.ID("email"), "fresh@example.com"))
	b.follow(t, "main button[type=submit]")
	if got := b.text(t, "main"); !strings.Contains(got, "Follow the link") {
		t.Fatalf("the page says %q", got)
	}
	_, code := mailTo(w, post, "fresh@example.com", 0)
	b.do(t, chromedp.Navigate(w.Base+"/sign-up/finish#"+code),
		chromedp.SendKeys(chromedp.ID("password"), harness.StaffPassword), chromedp.SendKeys(chromedp.ID("workspace"), "Fresh"))
	if got := b.follow(t, "#finish-sign-up"); !strings.HasPrefix(got, "/workspaces/ws_") {
		t.Errorf("it leads to %q", got)
	}
	b.quiet(t)
}

func TestAddressesWithoutMails(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	t.Run("a sign-up with a known address and a wrong password is refused as a sign-in", func(t *testing.T) {
		v := w.Within(t).NewVisitor()
		r := v.Post("/sign-up", harness.Pairs{"email", baker.Email, "password", "a wrong guess", "workspace", "New"})
		v.Expect(r, http.StatusUnauthorized)
		if len(v.Cookies) != 0 || strings.Contains(r.Text, "a wrong guess") {
			t.Errorf("cookies %v, page %s", v.Cookies, r.Text)
		}
	})
	t.Run("with the account's password it signs the person in", func(t *testing.T) {
		v := w.Within(t).NewVisitor()
		v.GoesTo(v.Post("/sign-up", harness.Pairs{"email", baker.Email, "password", baker.Password, "workspace", "New"}), "/")
		v.GoesTo(v.Get("/"), "/workspaces/"+baker.Workspace)
	})
	t.Run("an address changes by the link in the log, whether another account has it or not, and ends all other sessions", func(t *testing.T) {
		w := w.Within(t)
		here, elsewhere := w.SignedIn(baker.Email, baker.Password), w.SignedIn(baker.Email, baker.Password)
		changed := here.Post("/account", harness.Pairs{"email", "moved@example.com", "email_password", baker.Password})
		here.GoesTo(changed, "/account?done=confirm-log")
		here.Expect(here.Get("/account"), http.StatusOK)
		here.GoesTo(here.Post("/account/email", harness.Pairs{"code", w.OperatorsLink()}), "/account?done=email")
		here.Expect(here.Get("/account"), http.StatusOK)
		elsewhere.GoesTo(elsewhere.Get("/account"), "/sign-in?next=%2Faccount")
	})
}
