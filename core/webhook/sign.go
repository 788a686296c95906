package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"parley/internal/id"
)

// secretPrefix marks secrets of Standard Webhooks.
const secretPrefix = "whsec_"

// secretSize is within the 24 to 64 bytes that the specification asks for.
const secretSize = 32

// Secret is what messages to an endpoint are signed with, such as "whsec_…". It is text
// to whoever asks for it with string(secret), and hides from logs and formats.
type Secret string

// Format writes nothing of the secret.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[secret]")) }

// MarshalText writes nothing of the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

func newSecret(random io.Reader) Secret {
	return Secret(secretPrefix + base64.StdEncoding.EncodeToString(id.Bytes(random, secretSize)))
}

// sign returns a signature of a message that is sent at a time.
func (s Secret) sign(messageID string, at time.Time, payload string) (string, error) {
	key, err := base64.StdEncoding.DecodeString(string(s[len(secretPrefix):]))
	if err != nil {
		return "", fmt.Errorf("the secret of an endpoint is not in base64")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(messageID + "." + strconv.FormatInt(at.Unix(), 10) + "." + payload))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// Vault keeps secrets from whoever reads the database. What it seals opens for the same
// workspace and endpoint only.
type Vault interface {
	Seal(workspaceID, ownerID, text string) ([]byte, error)
	Unseal(workspaceID, ownerID string, sealed []byte) (string, error)
}

// unsealed opens one of the secrets of an endpoint.
func unsealed(vault Vault, e SealedEndpoint, sealed []byte) (Secret, error) {
	opened, err := vault.Unseal(e.WorkspaceID, e.ID, sealed)
	if err == nil && !strings.HasPrefix(opened, secretPrefix) {
		err = errors.New("what is sealed is no secret of an endpoint")
	}
	return Secret(opened), err
}

// previous is the secret from before a rotation, while it signs, too.
func (e SealedEndpoint) previous(vault Vault, now time.Time) (Secret, bool) {
	if e.PreviousUntil == nil || !now.Before(*e.PreviousUntil) || len(e.SealedPrevious) == 0 {
		return "", false
	}
	secret, err := unsealed(vault, e, e.SealedPrevious)
	return secret, err == nil // the secret that counts is the present one
}

// signedRequest is a message to an endpoint, signed with its secret and, during a rotation,
// with the previous one. An error says that the secret cannot be read.
func signedRequest(vault Vault, e SealedEndpoint, m Message, now time.Time) (Request, error) {
	secret, err := unsealed(vault, e, e.SealedSecret)
	if err != nil {
		return Request{}, err
	}
	signatures, err := secret.sign(m.ID, now, m.Payload)
	if err != nil {
		return Request{}, err
	}
	if previous, signs := e.previous(vault, now); signs {
		second, err := previous.sign(m.ID, now, m.Payload)
		if err != nil {
			return Request{}, err
		}
		signatures += " " + second
	}
	return Request{
		URL: e.URL, Body: m.Payload,
		Header: map[string]string{
			"webhook-id": m.ID, "webhook-timestamp": strconv.FormatInt(now.Unix(), 10), "webhook-signature": signatures,
		},
	}, nil
}
