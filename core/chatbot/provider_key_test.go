package chatbot

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"parley/core/seal"
)

func TestProviderWithoutKey(t *testing.T) {
	t.Run("a provider without a key has none, with and without a server key", func(t *testing.T) {
		keyed := seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return []seal.ServerKey{{1}}, nil })
		for _, s := range []*seal.Sealer{nil, keyed} {
			provider, err := withKey(s, SealedProvider{}, "")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := keyOf(s, provider); err != nil || got != "" || provider.KeyHint != "" || provider.SealedKey != nil {
				t.Errorf("got %q, %v", string(got), err)
			}
		}
	})
}

func TestSecrecy(t *testing.T) {
	t.Run("a key is written by no verb, no log and no encoder", func(t *testing.T) {
		var out bytes.Buffer
		settings := ProviderSettings{Name: "shown", Key: "sk-secret"}
		opened := OpenedProvider{Key: "sk-secret"}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			fmt.Fprintf(&out, verb, settings)
			fmt.Fprintf(&out, verb, opened)
			fmt.Fprintf(&out, verb, &settings)
			fmt.Fprintf(&out, verb, Key("sk-secret"))
		}
		for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
			log.Info("provider", "settings", settings, "key", settings.Key)
		}
		encoded, err := json.Marshal(opened)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(encoded)
		for _, secret := range []string{"sk-secret", fmt.Sprintf("%x", "sk-secret"), fmt.Sprintf("%X", "sk-secret"), "115, 107", "115 107", "115,107"} {
			if strings.Contains(out.String(), secret) {
				t.Errorf("it is written as %s", secret)
			}
		}
	})
}
