package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/clientaddr"
)

// shippedSetting returns a setting as fly.toml and compose.yaml write it.
func shippedSetting(t *testing.T, text, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^\s*` + name + `\s*[:=]\s*"?([^"\n]+)"?$`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("%s is not set", name)
	}
	return found[1]
}

// TestShippedProxies holds the deployments that we ship to trusting the proxy
// in front of them: else the wrong passwords of one client stop everybody's
// sign-in.
func TestShippedProxies(t *testing.T) {
	read := func(t *testing.T, name string) string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Run("fly.toml trusts Fly's proxy, and the header that no client can write", func(t *testing.T) {
		text := read(t, "fly.toml")
		config := &Config{
			BaseURL:     shippedSetting(t, text, "BASE_URL"),
			Proxies:     strings.Split(shippedSetting(t, text, "TRUSTED_PROXIES"), ","),
			ProxyHeader: shippedSetting(t, text, "CLIENT_ADDRESS_HEADER"),
		}
		if proxies, err := config.proxies(); err != nil || !proxies.Any() || config.clientsAreOne() {
			t.Errorf("all clients are one behind it: %v", err)
		}
		// Fly ends X-Forwarded-For with the app's own address, which would be
		// everybody's.
		if config.ProxyHeader != "Fly-Client-IP" {
			t.Errorf("clients are named by %s", config.ProxyHeader)
		}
	})
	t.Run("compose.yaml trusts the address that the host has in its network", func(t *testing.T) {
		text := read(t, "compose.yaml")
		if _, err := clientaddr.Parse(strings.Split(shippedSetting(t, text, "TRUSTED_PROXIES"), ","), ""); err != nil {
			t.Error(err)
		}
		if gateway := shippedSetting(t, text, "gateway"); gateway != shippedSetting(t, text, "TRUSTED_PROXIES") {
			t.Errorf("the network's gateway is %s", gateway)
		}
	})
}

func TestClientsBehindAnUnknownProxy(t *testing.T) {
	t.Run("a server whose clients are all one does not start in silence", func(t *testing.T) {
		logged := func(environment ...string) string {
			log := &lockedBuffer{}
			server := (&site{T: t, dir: t.TempDir()}).command(log, "serve")
			server.Env = append(append(server.Env, "LISTEN_ADDR=127.0.0.1:0", "BASE_URL=https://parley.example.com"), environment...)
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = server.Process.Kill()
				_ = server.Wait() // it was killed
			}()
			(&world{T: t, log: log}).eventually("the server listens", func() bool { return strings.Contains(log.String(), "msg=listening") })
			return log.String()
		}
		if log := logged(); !regexp.MustCompile(`level=WARN .*TRUSTED_PROXIES`).MatchString(log) {
			t.Errorf("the log says %s", log)
		}
		if log := logged("TRUSTED_PROXIES=127.0.0.1"); strings.Contains(log, "TRUSTED_PROXIES") {
			t.Errorf("behind a trusted proxy the log says %s", log)
		}
	})
	for sentence, c := range map[string]struct {
		base    string
		proxies []string
		want    bool
	}{
		"https without a proxy makes all clients one": {"https://parley.example.com", nil, true},
		"https behind a trusted proxy tells them":     {"https://parley.example.com", []string{"127.0.0.1"}, false},
		"http is reached directly":                    {"http://parley.local:8080", nil, false},
		"so is the default":                           {"", nil, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			config := &Config{BaseURL: c.base, Proxies: c.proxies, DataDir: t.TempDir()}
			if config.clientsAreOne() != c.want || diagnoseProxies(config).OK == c.want {
				t.Errorf("it is %t, and doctor says %+v", !c.want, diagnoseProxies(config))
			}
		})
	}
}

func TestLinksInMails(t *testing.T) {
	for sentence, c := range map[string]struct {
		config Config
		want   bool
	}{
		"on all interfaces, links need BASE_URL":            {Config{SMTPURL: "smtp://127.0.0.1:1", Listen: "0.0.0.0:8080"}, true},
		"on a port alone, too":                              {Config{SMTPURL: "smtp://127.0.0.1:1", Port: 8080}, true},
		"with BASE_URL they are right":                      {Config{SMTPURL: "smtp://127.0.0.1:1", Port: 8080, BaseURL: "https://parley.example.com"}, false},
		"on loopback they are right for who is on loopback": {Config{SMTPURL: "smtp://127.0.0.1:1"}, false},
		"without mails there are no links":                  {Config{Port: 8080}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := c.config.linksLeadNowhere(); got != c.want {
				t.Errorf("they lead nowhere: %t", got)
			}
		})
	}
	t.Run("the doctor does not pass a server whose mails lead nowhere", func(t *testing.T) {
		config := &Config{SMTPURL: "smtp://127.0.0.1:1", MailFrom: "parley@example.com", Port: 8080, DataDir: t.TempDir()}
		found := diagnose(t.Context(), config)
		if !slices.ContainsFunc(found, func(d diagnosis) bool { return d.Part == "links" && !d.OK }) {
			t.Errorf("it says %+v", found)
		}
	})
}
