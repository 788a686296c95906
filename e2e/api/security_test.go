package api

import (
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/e2e/harness"
)

func TestSecurityTxt(t *testing.T) {
	t.Parallel()
	w := harness.Start(t, func(c *app.Config) {
		c.SecurityContact, c.BaseURL, c.Proxies = "mailto:security@example.com", "https://parley.example.com", []string{"127.0.0.1"}
	})
	r := w.Call("GET", "/.well-known/security.txt", "")

	t.Run("it has the fields of RFC 9116, once each", func(t *testing.T) {
		if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Fatalf("status %d, %s", r.StatusCode, r.Header.Get("Content-Type"))
		}
		want := map[string]string{
			"Contact": "mailto:security@example.com", "Preferred-Languages": "en",
			"Canonical": "https://parley.example.com/.well-known/security.txt", "Policy": "https://parley.example.com/security-policy",
		}
		fields := fieldsOf(r.Text)
		for name, value := range want {
			if fields[name] != value {
				t.Errorf("%s is %q, want %q", name, fields[name], value)
			}
		}
		if lines := strings.Count(r.Text, "\n"); lines != len(want)+1 || len(fields) != lines {
			t.Errorf("got %q", r.Text)
		}
	})
	t.Run("it expires in the future, and within a year", func(t *testing.T) {
		expires, err := time.Parse(time.RFC3339, fieldsOf(r.Text)["Expires"])
		if err != nil || !expires.After(harness.Now().AddDate(0, 1, 0)) || expires.After(harness.Now().AddDate(1, 0, 0)) {
			t.Errorf("it expires at %v, %v", expires, err)
		}
	})
	t.Run("its policy is a page, without what only links to files of the repository", func(t *testing.T) {
		policy := w.Within(t).Call("GET", "/security-policy", "")
		if policy.StatusCode != 200 || !strings.HasPrefix(policy.Header.Get("Content-Type"), "text/html") {
			t.Fatalf("status %d, %s: %s", policy.StatusCode, policy.Header.Get("Content-Type"), harness.Shortened(policy.Text))
		}
		for _, wanted := range []string{"<h1>Security policy</h1>", "<h2>Reporting a vulnerability</h2>", "You get an answer within five working days", "<h2>Out of scope</h2>"} {
			if !strings.Contains(policy.Text, wanted) {
				t.Errorf("%s is missing in %s", wanted, policy.Text)
			}
		}
		for _, unwanted := range []string{"docs/adr", "TestSecurityTxt", "## "} {
			if strings.Contains(policy.Text, unwanted) {
				t.Errorf("%s stands in it", unwanted)
			}
		}
	})
	t.Run("without a contact there is no such file", func(t *testing.T) {
		w := harness.Start(t)
		for _, path := range []string{"/.well-known/security.txt", "/security-policy"} {
			if r := w.Call("GET", path, ""); r.StatusCode != 404 {
				t.Errorf("%s: status %d: %s", path, r.StatusCode, harness.Shortened(r.Text))
			}
		}
	})
	t.Run("without TLS it names no address of the server, which would have to be https", func(t *testing.T) {
		w := harness.Start(t, func(c *app.Config) { c.SecurityContact = "https://example.com/security" })
		fields := fieldsOf(w.Call("GET", "/.well-known/security.txt", "").Text)
		if fields["Contact"] != "https://example.com/security" || fields["Canonical"]+fields["Policy"] != "" {
			t.Errorf("got %v", fields)
		}
	})
}

func fieldsOf(securityTxt string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(securityTxt) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		fields[name] = value
	}
	return fields
}
