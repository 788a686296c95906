package chatbot

import (
	"fmt"
	"time"
)

// MaxProviders is how many providers a workspace may have.
const MaxProviders = 20

// Provider is a service of language models that a workspace has an account
// with.
type Provider struct {
	// ID is opaque and starts with "mp_".
	ID          string
	WorkspaceID string
	Name        string
	Kind        ProviderKind
	// BaseURL is empty for the kind's own address.
	BaseURL string
	// KeyHint tells the key from others: "…" and its last four characters, or
	// "…" alone where that would be too much of it. The key itself is never
	// shown again. A provider without a key has none.
	KeyHint string
	// Tools says that its models can call tools.
	Tools bool
	// UpdatedAt is different after each change.
	UpdatedAt time.Time
	CreatedAt time.Time
}

// ProviderKind is the interface that a provider speaks.
type ProviderKind string

// The kinds of provider.
const (
	// OpenAI is any server with OpenAI's chat completions.
	OpenAI    ProviderKind = "openai"
	Anthropic ProviderKind = "anthropic"
)

// ProviderSettings are what an owner says of a provider.
type ProviderSettings struct {
	// Name is of 1 to 100 characters.
	Name string
	// Kind is looked at when the provider is made, and does not change.
	Kind ProviderKind
	// BaseURL is an https address of at most 2,000 characters, without user,
	// query and fragment, or empty for the kind's own. http is admitted where
	// [Options.PlainHTTP] is set.
	BaseURL string
	// Key is what the provider knows the workspace by. An empty one changes
	// nothing; a provider may have none.
	Key   Key
	Tools bool
	// Seen is the [Provider.Fingerprint] of the settings that were read before
	// they were changed. Empty compares nothing.
	Seen string
}

// Fingerprint tells a provider's settings from those before and after a change.
func (p Provider) Fingerprint() string { return p.UpdatedAt.UTC().Format(time.RFC3339Nano) }

// Key is a provider's key in the clear. It is text to whoever asks for it with
// string(key), and hides from logs, formats and encoders.
type Key string

// Format writes nothing of the key.
func (k Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hiddenKey)) }

// MarshalText writes nothing of the key.
func (k Key) MarshalText() ([]byte, error) { return []byte(hiddenKey), nil }

const hiddenKey = "[key]"

// SealedProvider is a provider with its key as it is kept: see package seal.
type SealedProvider struct {
	Provider
	// SealedKey is empty if there is no key.
	SealedKey []byte
}

// OpenedProvider is a provider with its key, for asking it.
type OpenedProvider struct {
	Provider
	Key Key
}
