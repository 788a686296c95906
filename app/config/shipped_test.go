package config

import (
	"os"
	"regexp"
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

// TestShippedProxies checks that the deployments we ship trust the proxy in front of
// them: otherwise the wrong passwords of one client block everybody's sign-in.
func TestShippedProxies(t *testing.T) {
	read := func(t *testing.T, name string) string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Run("fly.toml trusts Fly's proxy, and a header that no client can forge", func(t *testing.T) {
		text := read(t, "fly.toml")
		config := &Config{Serving: Serving{BaseURL: shippedSetting(t, text, "BASE_URL")}, Clients: Clients{Proxies: strings.Split(shippedSetting(t, text, "TRUSTED_PROXIES"), ","), ProxyHeader: shippedSetting(t, text, "CLIENT_ADDRESS_HEADER")}}
		if proxies, err := config.TrustedProxies(); err != nil || !proxies.Any() || config.ClientsAreOne() {
			t.Errorf("all clients count as one behind it: %v", err)
		}
		// Fly appends the app's own address to X-Forwarded-For, which would be the same
		// for everybody.
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
