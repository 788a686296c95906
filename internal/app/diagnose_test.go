package app

import (
	"slices"
	"testing"

	"parley/internal/app/config"
)

func TestClientsBehindAnUnknownProxy(t *testing.T) {
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
			config := &Config{Serving: config.Serving{BaseURL: c.base, DataDir: t.TempDir()}, Clients: config.Clients{Proxies: c.proxies}}
			if config.ClientsAreOne() != c.want || diagnoseProxies(config).OK == c.want {
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
		"on all interfaces, links need BASE_URL":            {Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1"}, Serving: config.Serving{Listen: "0.0.0.0:8080"}}, true},
		"on a port alone, too":                              {Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1"}, Serving: config.Serving{Port: 8080}}, true},
		"with BASE_URL they are right":                      {Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1"}, Serving: config.Serving{Port: 8080, BaseURL: "https://parley.example.com"}}, false},
		"on loopback they are right for who is on loopback": {Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1"}}, false},
		"without mails there are no links":                  {Config{Serving: config.Serving{Port: 8080}}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := c.config.LinksLeadNowhere(); got != c.want {
				t.Errorf("they lead nowhere: %t", got)
			}
		})
	}
	t.Run("the doctor does not pass a server whose mails lead nowhere", func(t *testing.T) {
		config := &Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1", MailFrom: "parley@example.com"}, Serving: config.Serving{Port: 8080, DataDir: t.TempDir()}}
		found := Diagnose(t.Context(), config)
		if !slices.ContainsFunc(found, func(d Diagnosis) bool { return d.Part == "links" && !d.OK }) {
			t.Errorf("it says %+v", found)
		}
	})
}
