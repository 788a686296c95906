package chatbot

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/core/fault"
)

var secretShape = regexp.MustCompile(`^parley_(pub_)?[0-9A-Za-z]{43}[0-9A-Za-z]{6}$`)

// secretOf draws a secret from all that can be minted.
func secretOf(t *rapid.T) string {
	kind := rapid.SampledFrom([]TokenKind{SecretToken, PublishableToken}).Draw(t, "kind")
	return mint(bytes.NewReader(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "random")), kind)
}

func TestSecret(t *testing.T) {
	t.Run("a secret is parley_ or parley_pub_, 43 characters and their 6 check characters", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			if secret := secretOf(t); !secretShape.MatchString(secret) || !wellFormed(secret) {
				t.Fatalf("%s is not well-formed", secret)
			}
		})
	})

	t.Run("a secret with any one character changed is refused without a look-up", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			secret := secretOf(t)
			at := rapid.IntRange(0, len(secret)-1).Draw(t, "at")
			by := rapid.Byte().Filter(func(b byte) bool { return b != secret[at] }).Draw(t, "by")
			changed := secret[:at] + string([]byte{by}) + secret[at+1:]
			if wellFormed(changed) {
				t.Fatalf("%q passes for %q", changed, secret)
			}
		})
	})

	t.Run("two neighbors that change places are noticed", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			secret := []byte(secretOf(t))
			at := rapid.IntRange(0, len(secret)-2).Draw(t, "at")
			if secret[at] == secret[at+1] {
				return
			}
			secret[at], secret[at+1] = secret[at+1], secret[at]
			if wellFormed(string(secret)) {
				t.Fatalf("%s passes", secret)
			}
		})
	})

	t.Run("whatever is no secret is refused", func(t *testing.T) {
		good := mint(rand.Reader, SecretToken)
		for _, secret := range []string{"", "parley_", good[1:], good + "0", " " + good, good[:len(good)-1], strings.ToUpper(good), strings.Repeat("0", len(good)), strings.Repeat("ä", 28)} {
			if wellFormed(secret) {
				t.Errorf("%q passes", secret)
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			if secret := rapid.String().Draw(t, "secret"); wellFormed(secret) {
				t.Fatalf("%q passes", secret)
			}
		})
	})

	t.Run("what is stored is the SHA-256, and a hint that gives away 4 characters at each end", func(t *testing.T) {
		secret := mint(rand.Reader, SecretToken)
		if sum := sha256.Sum256([]byte(secret)); hash(secret) != hex.EncodeToString(sum[:]) {
			t.Errorf("the hash is %s", hash(secret))
		}
		if got, want := hint(secret), secret[:11]+"…"+secret[len(secret)-4:]; got != want {
			t.Errorf("the hint is %s, want %s", got, want)
		}
		secret = mint(rand.Reader, PublishableToken)
		if got, want := hint(secret), secret[:15]+"…"+secret[len(secret)-4:]; got != want {
			t.Errorf("the hint of a publishable one is %s, want %s", got, want)
		}
	})
}

func TestTokenStatus(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	before, after := now.Add(-time.Microsecond), now.Add(time.Microsecond)
	for sentence, c := range map[string]struct {
		token Token
		want  TokenStatus
	}{
		"a token without an end is active":         {Token{}, TokenActive},
		"a token is active until its end":          {Token{ExpiresAt: &after}, TokenActive},
		"a token has expired at its end":           {Token{ExpiresAt: &now}, TokenExpired},
		"a revoked token is revoked":               {Token{RevokedAt: &before}, TokenRevoked},
		"a revoked token that expired, is revoked": {Token{RevokedAt: &before, ExpiresAt: &before}, TokenRevoked},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := c.token.Status(now); got != c.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}

func TestNeeds(t *testing.T) {
	reader := &Principal{Token: Token{Scopes: []Scope{ScopeRead}}}
	if err := reader.Needs(ScopeRead); err != nil {
		t.Error(err)
	}
	if err := reader.Needs(ScopeChat); !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), `"chat"`) {
		t.Errorf("the error is %v", err)
	}
}
