package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/app/config"
	"parley/llm/llmtest"
)

func TestClientsBehindAnUnknownProxy(t *testing.T) {
	for sentence, c := range map[string]struct {
		base    string
		proxies []string
		want    bool
	}{
		"with https but without a proxy all clients count as one": {"https://parley.example.com", nil, true},
		"with https behind a trusted proxy clients differ":        {"https://parley.example.com", []string{"127.0.0.1"}, false},
		"with http clients connect directly":                      {"http://parley.local:8080", nil, false},
		"the default counts as http":                              {"", nil, false},
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
		"a server on all interfaces needs BASE_URL for links":   {Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1"}, Serving: config.Serving{Listen: "0.0.0.0:8080"}}, true},
		"so does a server with only a port":                     {Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1"}, Serving: config.Serving{Port: 8080}}, true},
		"with BASE_URL links work":                              {Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1"}, Serving: config.Serving{Port: 8080, BaseURL: "https://parley.example.com"}}, false},
		"on loopback links work for people on the same machine": {Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1"}}, false},
		"without mails there are no links":                      {Config{Serving: config.Serving{Port: 8080}}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := c.config.LinksLeadNowhere(); got != c.want {
				t.Errorf("they lead nowhere: %t", got)
			}
		})
	}
	t.Run("the doctor reports a server whose links in mails lead nowhere", func(t *testing.T) {
		config := &Config{Mail: config.Mail{SMTPURL: "smtp://127.0.0.1:1", MailFrom: "parley@example.com"}, Serving: config.Serving{Port: 8080, DataDir: t.TempDir()}}
		found := Diagnose(t.Context(), config)
		if !slices.ContainsFunc(found, func(d Diagnosis) bool { return d.Part == "links" && !d.OK }) {
			t.Errorf("it says %+v", found)
		}
	})
}

func TestDoctorWithoutADataFolder(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "data")
	for sentence, c := range map[string]config.Serving{
		"DATA_DIR":            {DataDir: missing},
		"the database's path": {DataDir: t.TempDir(), DatabaseURL: "sqlite:" + missing + "/parley.db"},
	} {
		t.Run("a folder of "+sentence+" that is not there is named, and not made", func(t *testing.T) {
			found := Diagnose(t.Context(), &Config{Serving: c})
			if len(found) != 1 || found[0].OK || !strings.Contains(found[0].Detail, missing) || !strings.Contains(found[0].Remedy, "parley serve") {
				t.Errorf("it says %+v", found)
			}
			if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder: %v", err)
			}
		})
	}
}

func TestDoctorAsksTheEmbeddingModel(t *testing.T) {
	server := llmtest.NewEmbeddings(t, 8)
	embeddings := func(address, model string) Diagnosis {
		c := &Config{}
		c.EmbedBaseURL, c.EmbedModel, c.EmbedAPIKey = address, model, "sk-secret"
		return diagnoseEmbeddings(t.Context(), c)
	}
	if d := embeddings("", ""); !d.OK || d.Detail != "built in" {
		t.Errorf("the built-in one: %+v", d)
	}
	if d := embeddings(server.BaseURL(), "double"); !d.OK || d.Detail != "double" || len(server.Requests()) != 1 {
		t.Errorf("one that works: %+v after %d requests", d, len(server.Requests()))
	}
	server.Always(llmtest.EmbeddingReply{Reply: llmtest.Reply{Status: 401}})
	for sentence, address := range map[string]string{"one that refuses the key": server.BaseURL(), "one that is away": "http://127.0.0.1:1/v1"} {
		if d := embeddings(address, "double"); d.OK || !strings.Contains(d.Remedy, "EMBED_API_KEY") || strings.Contains(d.Detail+d.Remedy, "sk-secret") {
			t.Errorf("%s: %+v", sentence, d)
		}
	}
}
