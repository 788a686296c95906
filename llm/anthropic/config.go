package anthropic

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/llm/upstream"
)

const (
	// ownAddress is the address of Anthropic's own API.
	ownAddress = "https://api.anthropic.com"
	// defaultMaxTokens is requested when nobody sets an answer's length,
	// because the API requires a number.
	defaultMaxTokens = 4096
)

// Config chooses the model and how patiently to call it. Only Model is required,
// and APIKey at Anthropic's own address.
type Config struct {
	// BaseURL is the address in front of "v1/messages". Empty means
	// https://api.anthropic.com. A "/v1" at its end is dropped.
	BaseURL string
	// APIKey is sent as X-Api-Key. Empty sends none.
	APIKey string
	// Model is the model's name at the server.
	Model string
	// Tools says that the model can call tools. Every Claude can.
	Tools bool
	// Context is how many tokens the prompt and the answer may have together.
	// Zero means 150,000 for a Claude, and [tokens.Context] for others.
	Context int
	// Timeout bounds the whole answer, retries included. Zero means 2 minutes.
	Timeout time.Duration
	// FirstTokenTimeout bounds the wait for the first text (or thinking, or
	// call) of the answer, retries included. Zero means 30 seconds.
	FirstTokenTimeout time.Duration
	// Retries is how often a request is sent again if it reached no server, or
	// the server answered 408, 409, 429 or 5xx. Zero means 2, below zero none.
	Retries int
	// MaxRetryDelay bounds the wait before a retry after a response. A server
	// whose Retry-After is longer is not asked again. Zero means 5 seconds.
	MaxRetryDelay time.Duration
	// HTTPClient replaces the client that [upstream.NewHTTPClient] returns. It
	// never follows redirects, whatever its own policy.
	HTTPClient *http.Client
	// OfOperator says that the account is the operator's of this server, who has to mend its failures.
	OfOperator bool

	// limits holds the limits above with their defaults.
	limits upstream.Limits
}

// complete checks the configuration and fills in defaults.
func (c *Config) complete() error {
	if c.Model == "" {
		return errors.New("anthropic: name the model to use")
	}
	if c.BaseURL == "" {
		c.BaseURL = ownAddress
	}
	address, err := url.Parse(c.BaseURL)
	if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
		return errors.New("anthropic: the base URL must look like " + ownAddress)
	}
	c.BaseURL = strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1")
	c.Context = orDefault(c.Context, contextOf(c.Model))
	c.limits = upstream.Limits{
		Timeout: c.Timeout, FirstToken: c.FirstTokenTimeout, Retries: c.Retries, MaxRetryDelay: c.MaxRetryDelay,
	}.Complete()
	if c.HTTPClient == nil {
		c.HTTPClient = upstream.NewHTTPClient()
	}
	return nil
}

func orDefault(given, otherwise int) int {
	if given <= 0 {
		return otherwise
	}
	return given
}

// failure is an error as the caller gets it.
func (c *Config) failure(err error) error {
	if c.OfOperator {
		return upstream.OfOperator(err)
	}
	return err
}
