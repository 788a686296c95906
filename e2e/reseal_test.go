package e2e

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/seal"
	"parley/core/webhook"
	"parley/internal/app"
)

func TestResealCommand(t *testing.T) {
	t.Parallel()
	former := seal.ServerKey{1}.Text()
	current := base64.StdEncoding.EncodeToString([]byte("current key of thirty-two bytes!"))
	onTerminals(t, func(term *terminal) {
		workspace, _ := term.newChatbot("standard")
		provider, hook := term.sealProvider(workspace, former)

		term.fails("cannot be read", "provider", "reseal", "--secret-key="+current)
		if out, _, _ := term.run("", "provider", "reseal", "--json", "--secret-key="+current); !strings.Contains(out, provider) || !strings.Contains(out, workspace+"/"+hook) {
			term.Errorf("it does not name what cannot be read: %s", out)
		}
		if got := term.record("provider", "reseal", "--secret-key="+current+","+former); got["sealed"] != 1.0 || got["webhooks"] != 1.0 {
			term.Errorf("it prints %v", got)
		}
		if got := term.record("provider", "reseal", "--secret-key="+current); got["sealed"] != 1.0 || got["webhooks"] != 1.0 || strings.Contains(term.ok("doctor", "--secret-key="+current), "FAILED") {
			term.Errorf("the former key is still needed for %s: %v", provider, got)
		}
		must := func(err error) {
			if err != nil {
				term.Error(err)
			}
		}
		must(filepath.WalkDir(term.folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			content, err := os.ReadFile(path)
			if strings.Contains(string(content), providerCanary) {
				term.Errorf("%s has the key", path)
			}
			return err
		}))
	})
}

// sealProvider makes a provider and a webhook as a server with a key does.
func (term *terminal) sealProvider(workspace, secret string) (provider, hook string) {
	term.Helper()
	config := &app.Config{}
	config.DataDir, config.DatabaseURL, config.LogLevel, config.SecretKey, config.WebhookAllow = term.folder, term.database, "error", secret, []string{nobodyListens}
	p, err := app.Open(term.Context(), config, app.NewLog(config))
	if err != nil {
		term.Fatal(err)
	}
	defer p.Close()
	made, err := p.Chatbots.Providers.Create(term.Context(), workspace, chatbot.ProviderSettings{Name: "a", Kind: chatbot.Anthropic, Key: providerCanary})
	if err != nil {
		term.Fatal(err)
	}
	endpoint, _, err := p.Webhooks.Endpoints.Create(term.Context(), workspace, webhook.Settings{URL: "http://" + nobodyListens, Kinds: webhook.Kinds()})
	if err != nil {
		term.Fatal(err)
	}
	return made.ID, endpoint.ID
}
