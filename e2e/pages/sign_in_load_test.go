package pages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestSignInUnderLoad(t *testing.T) {
	t.Parallel()
	w := harness.StartWith(t, app.Options{}, behindProxy) // with passwords that take their time
	baker := w.NewTenant("baker", plan.Standard)
	// The limit of one client on wrong sign-ins is 100.
	crowd := make(chan harness.Reply, 99)
	send := func(n int) {
		crowd <- w.NewVisitor().SignIn(fmt.Sprintf("nobody%d@example.com", n), "a wrong guess", from("192.0.2.1"))
	}
	for n := range cap(crowd) {
		go send(n)
	}
	first := <-crowd
	t.Run("a client that sends a hundred at once keeps nobody else waiting", func(t *testing.T) {
		v := w.Within(t).NewVisitor()
		v.GoesTo(v.SignIn(baker.Email, baker.Password, from("192.0.2.2")), "/")
	})
	t.Run("an attempt over the limit is answered 503 with Retry-After and the form, without the password", func(t *testing.T) {
		w := w.Within(t)
		busy := 0
		for n := range cap(crowd) {
			r := first
			if n > 0 {
				r = <-crowd
			}
			if r.StatusCode == http.StatusUnauthorized {
				continue
			}
			busy++
			w.Expect(r, http.StatusServiceUnavailable)
			if r.Header.Get("Retry-After") != "5" {
				t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
			}
			if !strings.Contains(r.Text, `value="nobody`) || strings.Contains(r.Text, "a wrong guess") {
				t.Fatalf("the page is %s", harness.Shortened(r.Text))
			}
		}
		if busy == 0 {
			t.Error("all were let in")
		}
	})
	t.Run("such an attempt is not counted", func(t *testing.T) {
		v := w.Within(t).NewVisitor()
		v.GoesTo(v.SignIn(baker.Email, baker.Password, from("192.0.2.1")), "/")
	})
}
