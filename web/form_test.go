package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/web/webtest"
)

func TestRefusedForm(t *testing.T) {
	app := signedOut()
	typed := url.Values{"email": {"not an address"}, "password": {"correct horse"}, "workspace": {`Acme "Co"`}}

	t.Run("what was typed is kept, what is wrong is beside it, and the password is gone", func(t *testing.T) {
		got := webtest.Send(t, app, "POST", "/sign-up", typed.Encode(), webtest.TypedForm)
		if got.Status != fiber.StatusUnprocessableEntity {
			t.Errorf("status %d, want 422", got.Status)
		}
		for _, part := range []string{
			`value="not an address"`, `value="Acme &#34;Co&#34;"`, `aria-describedby=" email-error"`, `aria-invalid="true"`,
			`<p class="error" id="email-error">Enter an e-mail address such as name@example.com.</p>`,
		} {
			if !strings.Contains(got.Body, part) {
				t.Errorf("the page lacks %s: %s", part, got.Body)
			}
		}
		if strings.Contains(got.Body, "correct horse") {
			t.Errorf("the page has the password: %s", got.Body)
		}
		webtest.Confined(t, got)
	})
	t.Run("nothing is read from the address", func(t *testing.T) {
		got := webtest.Send(t, app, "POST", "/sign-up?"+typed.Encode(), "", webtest.TypedForm)
		if strings.Contains(got.Body, "not an address") {
			t.Errorf("the page has what the address held: %s", got.Body)
		}
	})
	t.Run("a compressed form is refused", func(t *testing.T) {
		headers := map[string]string{"Content-Type": webtest.TypedForm["Content-Type"], "Content-Encoding": "gzip"}
		if got := webtest.Send(t, app, "POST", "/sign-up", typed.Encode(), headers); got.Status != fiber.StatusUnprocessableEntity {
			t.Errorf("status %d, want 422", got.Status)
		}
	})
	for name, bytes := range map[string]string{"bytes that are no text": "\xff", "a zero byte": "a\x00"} {
		t.Run(name+" are refused before anything is asked", func(t *testing.T) {
			got := webtest.Send(t, app, "POST", "/sign-in", url.Values{"email": {bytes}}.Encode(), webtest.TypedForm)
			if got.Status != fiber.StatusUnprocessableEntity || !strings.Contains(got.Body, "cannot be stored") {
				t.Errorf("status %d: %s", got.Status, got.Body)
			}
		})
	}
}
