package chatbot

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/fault"
)

func sealerWith(keys ...ServerKey) *Sealer {
	return NewSealer(rand.Reader, func() ([]ServerKey, error) { return keys, nil })
}

// sealed is a provider whose key is sealed.
func sealed(t interface{ Fatal(...any) }, s *Sealer, key Key) SealedProvider {
	provider, err := s.put(SealedProvider{Provider: Provider{ID: "mp_a", WorkspaceID: "ws_a"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

var former, current = ServerKey{1}, ServerKey{2}

func TestSealer(t *testing.T) {
	t.Run("a sealed key opens as it was, and never looks the same twice", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			key := Key(rapid.StringN(1, 200, -1).Draw(t, "key"))
			s := sealerWith(current)
			one, two := sealed(t, s, key), sealed(t, s, key)
			if got, err := s.open(one); err != nil || got != key {
				t.Errorf("it opens as %q, %v", string(got), err)
			}
			if bytes.Equal(one.SealedKey, two.SealedKey) {
				t.Error("two are the same")
			}
		})
	})

	t.Run("a provider without a key has none, with and without a server key", func(t *testing.T) {
		for _, s := range []*Sealer{nil, sealerWith(current)} {
			provider := sealed(t, s, "")
			if got, err := s.open(provider); err != nil || got != "" || provider.KeyHint != "" || provider.SealedKey != nil {
				t.Errorf("got %q, %v", string(got), err)
			}
		}
	})

	t.Run("a key that was moved to another provider or workspace does not open", func(t *testing.T) {
		s := sealerWith(current)
		for _, thief := range []Provider{
			{ID: "mp_b", WorkspaceID: "ws_a"}, {ID: "mp_a", WorkspaceID: "ws_b"}, {ID: "amp_a", WorkspaceID: "ws_"}, {ID: "_amp_a", WorkspaceID: "ws"},
		} {
			moved := SealedProvider{Provider: thief, SealedKey: sealed(t, s, "sk-secret").SealedKey}
			if _, err := s.open(moved); !errors.Is(err, errForged) {
				t.Errorf("%+v: %v", thief, err)
			}
		}
	})

	t.Run("a key of which one bit was changed, or bytes were cut off, does not open", func(t *testing.T) {
		s := sealerWith(current)
		provider := sealed(t, s, "sk-secret")
		whole := provider.SealedKey
		for i := range whole {
			for bit := range 8 {
				provider.SealedKey = bytes.Clone(whole)
				provider.SealedKey[i] ^= 1 << bit
				if _, err := s.open(provider); err == nil {
					t.Errorf("bit %d of byte %d does not matter", bit, i)
				}
			}
			provider.SealedKey = whole[:i]
			if _, err := s.open(provider); err == nil && i > 0 {
				t.Errorf("%d bytes are enough", i)
			}
		}
	})

	t.Run("a former server key opens what it sealed, and the current one seals", func(t *testing.T) {
		old := sealed(t, sealerWith(former), "sk-secret")
		rotated := sealerWith(current, former)
		if got, err := rotated.open(old); err != nil || got != "sk-secret" {
			t.Errorf("got %q, %v", string(got), err)
		}
		anew := sealed(t, rotated, "sk-secret")
		if got, err := sealerWith(current).open(anew); err != nil || got != "sk-secret" {
			t.Errorf("got %q, %v", string(got), err)
		}
	})

	t.Run("a server key that is gone is named as the reason", func(t *testing.T) {
		if _, err := sealerWith(current).open(sealed(t, sealerWith(former), "sk-secret")); !errors.Is(err, errUnknownServerKey) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("without a server key none is kept, and the sentence says what to set", func(t *testing.T) {
		for _, s := range []*Sealer{nil, sealerWith()} {
			_, err := s.put(SealedProvider{}, "sk-secret")
			if f := fault.As(err); f.Kind != fault.Unavailable || f.Field != "key" || !strings.Contains(f.Message, "SECRET_KEY") {
				t.Errorf("the error is %v", err)
			}
		}
	})

	t.Run("a server key that could not be read is asked for again", func(t *testing.T) {
		away := errors.New("the disk is away")
		s := NewSealer(rand.Reader, func() ([]ServerKey, error) {
			if away != nil {
				return nil, away
			}
			return []ServerKey{current}, nil
		})
		if _, err := s.put(SealedProvider{}, "sk-secret"); !errors.Is(err, away) {
			t.Errorf("the error is %v", err)
		}
		away = nil
		sealed(t, s, "sk-secret")
	})
}

func TestSecrecy(t *testing.T) {
	t.Run("a key is written by no verb, no log and no encoder", func(t *testing.T) {
		var out bytes.Buffer
		settings := ProviderSettings{Name: "shown", Key: "sk-secret"}
		opened := OpenedProvider{Key: "sk-secret"}
		server := ServerKey([]byte(strings.Repeat("sk-secret", 4))[:32])
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			fmt.Fprintf(&out, verb, settings)
			fmt.Fprintf(&out, verb, opened)
			fmt.Fprintf(&out, verb, &settings)
			fmt.Fprintf(&out, verb, Key("sk-secret"))
			fmt.Fprintf(&out, verb, server)
		}
		for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
			log.Info("provider", "settings", settings, "key", settings.Key, "server", server)
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

func TestParseServerKeys(t *testing.T) {
	bytes32 := "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	hexed := "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	var want ServerKey
	for i := range want {
		want[i] = byte(i)
	}
	for sentence, text := range map[string]string{
		"base64": bytes32, "base64 without padding": strings.TrimRight(bytes32, "="), "hexadecimal": hexed,
		"capitals": strings.ToUpper(hexed), "spaces around it": " " + bytes32 + "\n",
	} {
		t.Run("a key is read from "+sentence, func(t *testing.T) {
			keys, err := ParseServerKeys(text)
			if err != nil || len(keys) != 1 || keys[0] != want {
				t.Errorf("got %d, %v", len(keys), err)
			}
		})
	}
	t.Run("the first of several is the current one", func(t *testing.T) {
		keys, err := ParseServerKeys(hexed + "," + ServerKey{7}.Text())
		if err != nil || len(keys) != 2 || keys[0] != want || keys[1] != (ServerKey{7}) {
			t.Errorf("got %d, %v", len(keys), err)
		}
	})
	t.Run("no text is no keys", func(t *testing.T) {
		if keys, err := ParseServerKeys(" "); err != nil || len(keys) != 0 {
			t.Errorf("got %d, %v", len(keys), err)
		}
	})
	for sentence, text := range map[string]string{
		"31 bytes": hexed[2:], "33 bytes": hexed + "00", "a password": "correct horse battery staple", "an empty part": bytes32 + ",",
		"zeros": strings.Repeat("00", 32), "zeros in base64": ServerKey{}.Text(), "too many": strings.Repeat(bytes32+",", 16) + bytes32,
	} {
		t.Run(sentence+" are refused, and not repeated", func(t *testing.T) {
			if _, err := ParseServerKeys(text); err == nil || strings.Contains(err.Error(), text) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
