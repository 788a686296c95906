package config

import (
	"strings"
	"testing"
)

func TestMaskedURLs(t *testing.T) {
	t.Run("a password in a URL is never shown, however malformed the URL is", func(t *testing.T) {
		for _, url := range []string{
			"postgres://u:s3cr3t@h/db", "postgres://u:s3cr3t%40@h/db", "postgres://:s3cr3t@h/db", "postgres://h/db?password=s3cr3t",
			"postgres://u:s3cr3t", "postgres://u:s3cr3t@[::1", "user=u password=s3cr3t host=h", "postgres:u:s3cr3t@h", "//u:s3cr3t@h",
			"sqlite:/data/x.db?_pragma=key('s3cr3t')", "postgres://u:s3cr3t@h/db#s3cr3t", "postgres://u:a:s3cr3t@h/db",
			"postgres://u:p@s3cr3t@h/db", "postgres://u@h/db password=s3cr3t",
		} {
			if got := masked("url", url); strings.Contains(got, "s3cr3t") {
				t.Errorf("%s is shown as %s", url, got)
			}
		}
	})
}

func TestListenAddress(t *testing.T) {
	for sentence, c := range map[string]struct {
		config Config
		want   string
	}{
		"without settings, only this machine":          {Config{}, "127.0.0.1:8080"},
		"PORT alone means all interfaces":              {Config{Serving: Serving{Port: 9000}}, ":9000"},
		"LISTEN_ADDR wins over PORT":                   {Config{Serving: Serving{Port: 9000, Listen: "127.0.0.1:1"}}, "127.0.0.1:1"},
		"LISTEN_ADDR may be an IPv6 address":           {Config{Serving: Serving{Listen: "[::1]:8080"}}, "[::1]:8080"},
		"LISTEN_ADDR may omit the address":             {Config{Serving: Serving{Listen: ":8080"}}, ":8080"},
		"LISTEN_ADDR may leave the port to the system": {Config{Serving: Serving{Listen: "127.0.0.1:0"}}, "127.0.0.1:0"},
	} {
		t.Run(sentence, func(t *testing.T) {
			c.config.AuditDays, c.config.RowLevelSecurity = 400, "required" // the defaults
			if err := c.config.Validate(); err != nil || c.config.ListenAddress() != c.want {
				t.Errorf("got %s, %v", c.config.ListenAddress(), err)
			}
		})
	}
}

func TestBaseURL(t *testing.T) {
	for base, want := range map[string]string{"": "http://127.0.0.1:8080", "https://p.example.com/": "https://p.example.com", "http://h:81": "http://h:81"} {
		c := Config{Serving: Serving{BaseURL: base}}
		if got := c.PublicURL("127.0.0.1:8080"); got != want {
			t.Errorf("BASE_URL %q gives %s", base, got)
		}
	}
	for address, want := range map[string]string{":80": "http://127.0.0.1:80", "[::]:80": "http://127.0.0.1:80", "0.0.0.0:80": "http://127.0.0.1:80", "[::1]:80": "http://[::1]:80"} {
		if got := (&Config{}).PublicURL(address); got != want {
			t.Errorf("listening on %s gives %s", address, got)
		}
	}
}
