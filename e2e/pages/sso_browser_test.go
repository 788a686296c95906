package pages

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/e2e/harness"
	"parley/index/indextest"
	"parley/llm/llmtest"
)

// identityProvider is a real one, which runs until the test ends.
type identityProvider struct {
	issuer  string
	asks    io.Writer
	answers *bufio.Scanner
}

const (
	ssoClient = "parley"
	ssoSecret = "secret-of-parley"
)

func startIdentityProvider(t *testing.T) *identityProvider {
	t.Helper()
	command := exec.CommandContext(t.Context(), "node", "testdata/sso/provider.mjs", harness.SDKs(t), ssoClient, ssoSecret)
	asks, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("This test needs Node.js. Run scripts/setup.sh. %v", err)
	}
	t.Cleanup(func() {
		asks.Close()
		_ = command.Wait()
	})
	p := &identityProvider{asks: asks, answers: bufio.NewScanner(answers)}
	p.issuer = p.next(t)
	return p
}

func (p *identityProvider) next(t *testing.T) string {
	t.Helper()
	if !p.answers.Scan() {
		t.Fatalf("the identity provider has ended: %v", p.answers.Err())
	}
	return p.answers.Text()
}

// register tells the provider where it may send browsers back to.
func (p *identityProvider) register(t *testing.T, addresses ...string) {
	t.Helper()
	line, err := json.Marshal(addresses)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.asks.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	if got := p.next(t); got != "ready" {
		t.Fatalf("the identity provider says %q", got)
	}
}

// dns is what the DNS has.
type dns struct {
	mu      sync.Mutex
	records map[string][]string
}

func (d *dns) set(name, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records = map[string][]string{name + ".": {text}}
}

func (d *dns) lookUp(_ context.Context, name string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if found := d.records[name]; found != nil {
		return found, nil
	}
	return nil, errors.New("no such host")
}

// signsInAtProvider goes through the provider's own pages, until it sends the browser
// back.
func (b *window) signsInAtProvider(t *testing.T, name string) {
	t.Helper()
	b.do(t, chromedp.WaitVisible(chromedp.CSS(`input[name="login"]`)), chromedp.SendKeys(chromedp.CSS(`input[name="login"]`), name),
		chromedp.SendKeys(chromedp.CSS(`input[name="password"]`), "any"), chromedp.Click(chromedp.CSS(`button[type="submit"]`)),
		chromedp.WaitVisible(chromedp.CSS(`input[name="prompt"][value="consent"] ~ button, form button[autofocus]`)),
		chromedp.Click(chromedp.CSS(`button[type="submit"]`)))
}

// asksProvider begins with an address on the sign-in page.
func (b *window) asksProvider(t *testing.T, email string) {
	t.Helper()
	b.do(t, chromedp.Navigate(b.Base+"/sign-in"))
	b.follow(t, `a[href^="/sign-in/sso"]`)
	b.do(t, chromedp.SendKeys(chromedp.ID("email"), email), chromedp.Click(chromedp.ID("find-provider")))
}

func hasEntry(w *harness.Instance, action audit.Action) bool {
	w.Helper()
	for entry, err := range w.Server.Tenants.Audit.AuditLog(w.Context(), "", time.Time{}) {
		w.Must(err)
		if entry.Action == action {
			return true
		}
	}
	return false
}

func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	provider, names := startIdentityProvider(t), &dns{}
	w := harness.StartWith(t, app.Options{Model: llmtest.RefuseInTx, Index: indextest.RefuseInTx, LookUpTXT: names.lookUp}, func(c *app.Config) {
		c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret, c.OIDCName = provider.issuer, ssoClient, ssoSecret, "Example"
		c.SSOAllow = []string{"127.0.0.1:*"}
	})
	baker := w.NewTenant("baker", plan.Standard)
	back := w.Base + "/sign-in/sso/callback"
	provider.register(t, back, back+"/"+baker.Workspace)

	t.Run("the installation's provider signs somebody in who gets an account", func(t *testing.T) {
		b := openWindow(w.Within(t))
		b.do(t, chromedp.Navigate(b.Base+"/sign-in"), chromedp.Click(chromedp.ID("provider-sign-in")))
		b.signsInAtProvider(t, "ada")
		get(t, b, chromedp.Poll[bool](`location.pathname === "/" && document.querySelector("main h1, h1") !== null`))
		user, err := w.Server.Tenants.Users.ByEmail(t.Context(), "ada@bakery.example")
		if err != nil || user.EmailConfirmedAt == nil || user.PasswordHash != "" {
			t.Errorf("the account is %+v: %v", user.Email, err)
		}
	})
	t.Run("somebody without a password shows again at the provider who they are, and deletes the account", func(t *testing.T) {
		w := w.Within(t)
		b := openWindow(w)
		b.do(t, chromedp.Navigate(b.Base+"/sign-in"), chromedp.Click(chromedp.ID("provider-sign-in")))
		b.signsInAtProvider(t, "leaver")
		get(t, b, chromedp.Poll[bool](`location.pathname === "/" && document.querySelector("main h1, h1") !== null`))
		ageSessions(w)
		again := func(name string) {
			t.Helper()
			b.do(t, chromedp.WaitVisible(chromedp.CSS(`form[action="/confirm/provider"] button`)), chromedp.Click(chromedp.CSS(`form[action="/confirm/provider"] button`)),
				chromedp.WaitVisible(chromedp.CSS(`input[name="login"]`)), chromedp.SendKeys(chromedp.CSS(`input[name="login"]`), name),
				chromedp.SendKeys(chromedp.CSS(`input[name="password"]`), "any"), chromedp.Click(chromedp.CSS(`button[type="submit"]`)))
			asks := chromedp.Poll[string](`location.origin === "` + b.Base + `" ? "nothing" : document.querySelector("input[name=prompt][value=consent]") && "consent"`)
			if get(t, b, asks) == "consent" {
				b.do(t, chromedp.Click(chromedp.CSS(`button[type="submit"]`)))
			}
		}
		b.do(t, chromedp.Navigate(b.Base+"/account/privacy"))
		if n := get(t, b, chromedp.Evaluate[int](`document.querySelectorAll("main input[type=password]").length`)); n != 0 {
			t.Errorf("the page asks for %d passwords", n)
		}
		b.follow(t, "#delete-account")
		if n := get(t, b, chromedp.Evaluate[int](`document.querySelectorAll("#confirm_password").length`)); n != 0 {
			t.Error("the page asks for a password that there is not")
		}
		again("stranger")
		get(t, b, chromedp.Poll[bool](`document.body.textContent.includes("with another account than that of leaver@bakery.example")`))
		again("leaver")
		get(t, b, chromedp.Poll[bool](`location.pathname === "/account/privacy" && document.body.textContent.includes("Confirmed")`))
		b.follow(t, "#delete-account")
		get(t, b, chromedp.Poll[bool](`document.body.textContent.includes("Your account has been deleted")`))
		if _, err := w.Server.Tenants.Users.ByEmail(t.Context(), "leaver@bakery.example"); !fault.Is(err, fault.NotFound) {
			t.Errorf("the account is there: %v", err)
		}
	})
	t.Run("an address that the provider has not verified is refused with a sentence", func(t *testing.T) {
		b := openWindow(w.Within(t))
		b.do(t, chromedp.Navigate(b.Base+"/sign-in"), chromedp.Click(chromedp.ID("provider-sign-in")))
		b.signsInAtProvider(t, "unverified")
		b.do(t, chromedp.WaitVisible(chromedp.CSS("main .banner.danger")))
		if got := b.text(t, "main .banner.danger"); !strings.Contains(got, "verified your e-mail address") {
			t.Errorf("the page says %q", got)
		}
		if !hasEntry(w, audit.SSOFailed) {
			t.Error("it was not recorded")
		}
	})
	owner := openWindow(w.Within(t))
	page := w.Base + "/workspaces/" + baker.Workspace + "/settings/sso"
	t.Run("an owner tests and saves a connection, and confirms the domain", func(t *testing.T) {
		owner.signIn(t, baker)
		owner.do(t, chromedp.Navigate(page))
		if got := owner.text(t, "#redirect-address"); got != back+"/"+baker.Workspace {
			t.Errorf("the redirect address is %q", got)
		}
		owner.do(t, chromedp.SendKeys(chromedp.ID("issuer"), provider.issuer), chromedp.SendKeys(chromedp.ID("client_id"), ssoClient),
			chromedp.SendKeys(chromedp.ID("client_secret"), "wrong"), chromedp.SendKeys(chromedp.ID("domain"), "bakery.example"), chromedp.Click(chromedp.ID("test-connection")))
		if got := get(t, owner, chromedp.Poll[string](`document.querySelector("#test-result.danger")?.textContent`)); !strings.Contains(got, "does not know this client ID") {
			t.Errorf("a wrong secret gives %q", got)
		}
		owner.do(t, chromedp.SetValue(chromedp.ID("client_secret"), ssoSecret), chromedp.Click(chromedp.ID("test-connection")))
		get(t, owner, chromedp.Poll[bool](`document.querySelector("#test-result.good")?.textContent.startsWith("It works")`))
		owner.follow(t, "#save-sso")
		name, text := owner.text(t, "#record-name"), owner.text(t, "#record-text")
		owner.follow(t, "#check-domain")
		if got := owner.text(t, "#domain-card"); !strings.Contains(got, "Not confirmed") {
			t.Errorf("without a record it is %q", got)
		}
		names.set(name, text)
		owner.follow(t, "#check-domain")
		if got := owner.text(t, "#domain-card"); !strings.Contains(got, "Confirmed") || strings.Contains(got, "Not confirmed") {
			t.Errorf("with the record it is %q", got)
		}
		if html := get(t, owner, chromedp.OuterHTML(chromedp.CSS("html"))); strings.Contains(html, ssoSecret) {
			t.Error("the page has the secret")
		}
		owner.quiet(t)
	})
	t.Run("a stranger of the domain is refused, and joins once the owner lets the domain in", func(t *testing.T) {
		b := openWindow(w.Within(t))
		b.asksProvider(t, "anybody@bakery.example")
		b.signsInAtProvider(t, "grace")
		b.do(t, chromedp.WaitVisible(chromedp.CSS("main .banner.danger")))
		if got := b.text(t, "main .banner.danger"); !strings.Contains(got, "not a member of this workspace") {
			t.Errorf("the page says %q", got)
		}
		owner.do(t, chromedp.Navigate(page), chromedp.SetValue(chromedp.ID("role"), "member"))
		owner.follow(t, "#save-sso")
		b.asksProvider(t, "anybody@bakery.example") // the provider still knows who it is
		get(t, b, chromedp.Poll[bool](`location.pathname === "/workspaces/`+baker.Workspace+`"`))
	})
	t.Run("once it is required, a member of the domain has no way in but the provider", func(t *testing.T) {
		member, err := w.Server.Tenants.SignUps.CreateUser(t.Context(), "linus@bakery.example", "a long enough phrase")
		w.Must(err)
		w.Must(w.Server.Tenants.Members.Add(t.Context(), baker.Workspace, member, tenant.RoleMember))
		owner.do(t, chromedp.Navigate(page), chromedp.Click(chromedp.ID("required")))
		owner.follow(t, "#save-sso")
		_, err = w.Server.Tenants.Sessions.SignIn(t.Context(), member.Email, "a long enough phrase", account.Client{})
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("a password gives %v", err)
		}
		if _, err := w.Server.Tenants.Sessions.SignIn(t.Context(), baker.Email, baker.Password, account.Client{}); err != nil {
			t.Errorf("the owner's password gives %v", err)
		}
	})
	t.Run("whoever calls the page with what another browser was given is refused", func(t *testing.T) {
		b := openWindow(w.Within(t))
		b.do(t, chromedp.Navigate(b.Base+"/sign-in/sso/callback?code=stolen&state=stolen"))
		if got := b.text(t, "main .banner.danger"); !strings.Contains(got, "begun in another browser") {
			t.Errorf("the page says %q", got)
		}
	})
}
