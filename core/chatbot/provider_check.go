package chatbot

import (
	"net/url"
	"strconv"
	"strings"

	"parley/core/fault"
)

const (
	maxBaseURL = 2_000
	maxKey     = 2_000
	// A key of fewer characters shows none of them.
	minHintedKey = 16
)

// check refuses settings that no server can be asked by.
func (s *Providers) check(settings ProviderSettings) (ProviderSettings, error) {
	var err error
	if settings.Name, err = checkName(settings.Name); err != nil {
		return settings, err
	}
	if settings.Name == "" {
		return settings, fault.InField("name", "Enter a name.")
	}
	if settings.BaseURL, err = checkBaseURL(settings.BaseURL, s.options.PlainHTTP); err != nil {
		return settings, err
	}
	settings.Key, err = checkKey(settings.Key)
	return settings, err
}

func checkKind(kind ProviderKind) error {
	switch kind {
	case OpenAI, Anthropic:
		return nil
	}
	return fault.InField("kind", "Choose openai or anthropic.")
}

// checkBaseURL returns an address without the slashes at its end. Which
// networks it may lead to is seen when it is connected to.
func checkBaseURL(text string, plainHTTP bool) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	if len(text) > maxBaseURL {
		return "", fault.InField("base_url", "This address is too long; at most %d characters are allowed.", maxBaseURL)
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || !isPort(u.Port()) || strings.ContainsFunc(text, notVisible) {
		return "", fault.InField("base_url", "Enter an address such as https://api.example.com/v1.")
	}
	switch {
	case u.Scheme == "http" && plainHTTP, u.Scheme == "https":
	case u.Scheme == "http":
		return "", fault.InField("base_url", "Enter an address that begins with https://. Over http everybody on the way could read the key.")
	default:
		return "", fault.InField("base_url", "Enter an address that begins with https://.")
	}
	if u.User != nil {
		return "", fault.InField("base_url", "Leave the user and password out of the address: the key has a field of its own.")
	}
	if strings.ContainsAny(text, "?#") {
		return "", fault.InField("base_url", "Leave out what begins with ? or # in the address.")
	}
	u.Host = strings.ToLower(u.Host)
	return strings.TrimRight(u.String(), "/"), nil
}

func isPort(text string) bool {
	if text == "" {
		return true
	}
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= 65535
}

// checkKey admits what a header can carry.
func checkKey(key Key) (Key, error) {
	text := strings.TrimSpace(string(key))
	if len(text) > maxKey {
		return "", fault.InField("key", "This key is too long; at most %d characters are allowed.", maxKey)
	}
	if strings.ContainsFunc(text, notVisible) {
		return "", fault.InField("key", "A key has no spaces, and only letters, digits and signs of ASCII. Copy it once more.")
	}
	return Key(text), nil
}

func notVisible(r rune) bool { return r <= ' ' || r > '~' }

func keyHint(key Key) string {
	switch {
	case key == "":
		return ""
	case len(key) < minHintedKey:
		return "…"
	}
	return "…" + string(key[len(key)-4:])
}

// origin is the scheme, host and port of an address that was checked. A key is
// given for an origin.
func origin(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
