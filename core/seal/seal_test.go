package seal

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

const workspace, owner = "ws_a", "mp_a"

// sealed is a secret of the owner.
func sealed(t interface{ Fatal(...any) }, s *Sealer, text string) []byte {
	sealed, err := s.Seal(workspace, owner, text)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func opened(s *Sealer, sealed []byte) (string, error) { return s.Unseal(workspace, owner, sealed) }

var former, current = ServerKey{1}, ServerKey{2}

func TestSealer(t *testing.T) {
	t.Run("a sealed key opens as it was, and never looks the same twice", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			key := rapid.StringN(1, 200, -1).Draw(t, "key")
			s := sealerWith(current)
			one, two := sealed(t, s, key), sealed(t, s, key)
			if got, err := opened(s, one); err != nil || got != key {
				t.Errorf("it opens as %q, %v", got, err)
			}
			if bytes.Equal(one, two) {
				t.Error("two are the same")
			}
		})
	})

	t.Run("a key that was moved to another provider or workspace does not open", func(t *testing.T) {
		s := sealerWith(current)
		for _, thief := range [][2]string{{"ws_a", "mp_b"}, {"ws_b", "mp_a"}, {"ws_", "amp_a"}, {"ws", "_amp_a"}, {"", "ws_amp_a"}} {
			if _, err := s.Unseal(thief[0], thief[1], sealed(t, s, "sk-secret")); !errors.Is(err, errForged) {
				t.Errorf("%v: %v", thief, err)
			}
		}
	})

	t.Run("a key of which one bit was changed, or bytes were cut off, does not open", func(t *testing.T) {
		s := sealerWith(current)
		whole := sealed(t, s, "sk-secret")
		for i := range whole {
			for bit := range 8 {
				changed := bytes.Clone(whole)
				changed[i] ^= 1 << bit
				if _, err := opened(s, changed); err == nil {
					t.Errorf("bit %d of byte %d does not matter", bit, i)
				}
			}
			if _, err := opened(s, whole[:i]); err == nil {
				t.Errorf("%d bytes are enough", i)
			}
		}
	})

	t.Run("a former server key opens what it sealed, and the current one seals", func(t *testing.T) {
		old := sealed(t, sealerWith(former), "sk-secret")
		rotated := sealerWith(current, former)
		if got, err := opened(rotated, old); err != nil || got != "sk-secret" {
			t.Errorf("got %q, %v", got, err)
		}
		anew := sealed(t, rotated, "sk-secret")
		if got, err := opened(sealerWith(current), anew); err != nil || got != "sk-secret" {
			t.Errorf("got %q, %v", got, err)
		}
	})

	t.Run("a server key that is gone is named as the reason", func(t *testing.T) {
		if _, err := opened(sealerWith(current), sealed(t, sealerWith(former), "sk-secret")); !errors.Is(err, errUnknownServerKey) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("without a server key none is kept, and the sentence says what to set", func(t *testing.T) {
		for _, s := range []*Sealer{nil, sealerWith()} {
			_, err := s.Seal(workspace, owner, "sk-secret")
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
		if _, err := s.Seal(workspace, owner, "sk-secret"); !errors.Is(err, away) {
			t.Errorf("the error is %v", err)
		}
		away = nil
		sealed(t, s, "sk-secret")
	})
}

func TestSecrecy(t *testing.T) {
	t.Run("a server key is written by no verb, no log and no encoder", func(t *testing.T) {
		var out bytes.Buffer
		server := ServerKey([]byte(strings.Repeat("sk-secret", 4))[:32])
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			fmt.Fprintf(&out, verb, server)
			fmt.Fprintf(&out, verb, &server)
		}
		for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
			log.Info("keys", "server", server)
		}
		encoded, err := json.Marshal(server)
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
