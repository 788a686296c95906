package pages

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pquerna/otp/totp"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

// onLocalhost has the window name the server by a name: passkeys are for domains.
func (b *window) onLocalhost() *window {
	b.Base = strings.Replace(b.Base, "127.0.0.1", "localhost", 1)
	return b
}

// phone gives the window a device that makes passkeys and knows its user.
func (b *window) phone(t *testing.T) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{})
	b.Within(t).Must(err)
	_, err = chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	b.Within(t).Must(err)
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	b := openWindow(w).onLocalhost()
	b.phone(t)
	b.signIn(t, baker)
	t.Run("a passkey is added by the keyboard alone, on a phone's width, and recovery codes are shown once", func(t *testing.T) {
		b.size(t, 360)
		b.do(t, chromedp.Navigate(b.Base+"/account/security"), chromedp.SendKeys(chromedp.ID("name"), "Phone"+kb.Enter),
			chromedp.WaitVisible(chromedp.ID("codes")))
		if codes := strings.Fields(b.text(t, "#codes")); len(codes) != 10 {
			t.Errorf("the codes are %q", codes)
		}
		b.follow(t, "#codes-saved")
		if got := b.text(t, "#passkey-list"); !strings.Contains(got, "Phone") {
			t.Errorf("the passkeys are %q", got)
		}
		if !get(t, b, chromedp.Evaluate[bool](`document.documentElement.scrollWidth <= innerWidth`)) {
			t.Error("the page is wider than a phone")
		}
	})
	t.Run("it is renamed in a dialog, which says what is wrong with a name and keeps it", func(t *testing.T) {
		rename := func(name string) {
			b.do(t, chromedp.Click(chromedp.CSS(`[aria-label^="Rename "]`)), chromedp.WaitVisible(chromedp.CSS(`dialog[open] [name=new_name]`)),
				chromedp.SetValue(chromedp.CSS(`dialog[open] [name=new_name]`), name))
		}
		rename(strings.Repeat("x", 61))
		b.follow(t, `dialog[open] button.primary`)
		b.do(t, chromedp.WaitVisible(chromedp.ID("new_name-error")))
		if got := get(t, b, chromedp.Value(chromedp.CSS(`dialog[open] [name=new_name]`))); got != strings.Repeat("x", 61) {
			t.Errorf("the dialog has %q", got)
		}
		b.do(t, chromedp.SetValue(chromedp.CSS(`dialog[open] [name=new_name]`), "My phone"))
		b.follow(t, `dialog[open] button.primary`)
		if got := b.text(t, "#passkey-list"); !strings.Contains(got, "My phone") {
			t.Errorf("the passkeys are %q", got)
		}
		if heard := b.heard(); len(heard) != 1 || !strings.Contains(heard[0], "422") {
			t.Errorf("the console has %q", heard)
		}
	})
	t.Run("it is the second factor after a password", func(t *testing.T) {
		b.size(t, 1200)
		b.do(t, chromedp.Navigate(b.Base+"/account/security"))
		b.signOut(t)
		b.do(t, chromedp.Navigate(b.Base+"/sign-in"), chromedp.SendKeys(chromedp.ID("email"), baker.Email), chromedp.SendKeys(chromedp.ID("password"), baker.Password))
		if got := b.follow(t, "main button[type=submit]"); !strings.HasPrefix(got, "/sign-in/second-factor") {
			t.Fatalf("the password leads to %q", got)
		}
		b.do(t, chromedp.WaitVisible(chromedp.CSS("form[data-passkey]")), chromedp.Click(chromedp.CSS("form[data-passkey] button")),
			chromedp.WaitVisible(chromedp.ID("sidebar")))
	})
	t.Run("it signs in without a password", func(t *testing.T) {
		b.signOut(t)
		b.do(t, chromedp.Navigate(b.Base+"/sign-in"), chromedp.WaitVisible(chromedp.CSS("form[data-passkey]")),
			chromedp.Click(chromedp.CSS("form[data-passkey] button")), chromedp.WaitVisible(chromedp.ID("sidebar")))
	})
	t.Run("it is removed in a dialog, and then the password alone signs in", func(t *testing.T) {
		b.do(t, chromedp.Navigate(b.Base+"/account/security"), chromedp.Click(chromedp.CSS(`[aria-label="Remove My phone"]`)), chromedp.WaitVisible(chromedp.CSS(`dialog[open] button.primary`)))
		b.follow(t, `dialog[open] button.primary`)
		if got := b.text(t, "#passkey-card"); strings.Contains(got, "My phone") {
			t.Errorf("the card has %q", got)
		}
		b.signOut(t)
		b.signIn(t, baker)
	})
	t.Run("the console has no complaint", b.quiet)
}

func TestAuthenticatorAppInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	b := openWindow(w)
	b.signIn(t, baker)
	code := func(secret string) string {
		code, err := totp.GenerateCode(secret, app.Now())
		w.Within(t).Must(err)
		return code
	}
	var secret string
	t.Run("an app is set up from the key below the QR code", func(t *testing.T) {
		b.do(t, chromedp.Navigate(b.Base+"/account/security"))
		if got := b.follow(t, "#set-up-app"); got != "/account/security/app" {
			t.Fatalf("it leads to %q", got)
		}
		b.do(t, chromedp.WaitVisible(chromedp.CSS("svg.qr")))
		secret = strings.ReplaceAll(b.text(t, "#app-secret"), " ", "")
		b.do(t, chromedp.SendKeys(chromedp.ID("code"), code(secret)+kb.Enter), chromedp.WaitVisible(chromedp.ID("codes")))
	})
	t.Run("a code that was used does not sign in, and a recovery code does", func(t *testing.T) {
		codes := strings.Fields(b.text(t, "#codes"))
		b.follow(t, "#codes-saved")
		b.signOut(t)
		b.do(t, chromedp.Navigate(b.Base+"/sign-in"), chromedp.SendKeys(chromedp.ID("email"), baker.Email), chromedp.SendKeys(chromedp.ID("password"), baker.Password))
		b.follow(t, "main button[type=submit]")
		b.do(t, chromedp.SendKeys(chromedp.ID("code"), "000000"))
		b.follow(t, "#enter-code")
		if got := b.text(t, "#code-error"); !strings.Contains(got, "wrong") {
			t.Errorf("it says %q", got)
		}
		b.do(t, chromedp.Click(chromedp.CSS("summary")), chromedp.SendKeys(chromedp.ID("recovery_code"), codes[0]))
		if got := b.follow(t, "#enter-recovery-code"); got != "/workspaces/"+baker.Workspace {
			t.Errorf("it leads to %q", got)
		}
	})
	t.Run("the console has no complaint but the refusal", func(t *testing.T) {
		for _, heard := range b.heard() {
			if !strings.Contains(heard, "422") {
				t.Errorf("the console has %s", heard)
			}
		}
	})
}
