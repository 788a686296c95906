package openai

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/llm/upstream"
	"parley/text/tokens"
)

// Config chooses the model and its server, and how patiently to call it. Only
// BaseURL and Model are required.
type Config struct {
	// BaseURL is the address in front of "chat/completions", such as
	// https://api.openai.com/v1.
	BaseURL string
	// APIKey is sent as a bearer token. Empty sends none.
	APIKey string
	// Model is the model's name at the server.
	Model string
	// Timeout bounds the whole answer, retries included. Zero means 2 minutes.
	Timeout time.Duration
	// FirstTokenTimeout bounds the wait for the first text (or reasoning) of
	// the answer, retries included. Zero means 30 seconds.
	FirstTokenTimeout time.Duration
	// Tools says that the model can call tools.
	Tools bool
	// Context is how many tokens the prompt and the answer may have together.
	// Zero means [tokens.Context] of the model's name.
	Context int
	// Retries is how often a request is sent again if it reached no server, or
	// the server answered 408, 409, 429 or 5xx. Zero means 2, below zero none.
	Retries int
	// MaxRetryDelay bounds the wait before a retry. A server whose Retry-After
	// is longer is not asked again. Zero means 5 seconds.
	MaxRetryDelay time.Duration
	// HTTPClient replaces the client that [upstream.NewHTTPClient] returns.
	HTTPClient *http.Client
	// OfOperator says that the account is the operator's of this server, who has to mend its failures.
	OfOperator bool

	// isOpenAI says that the server is OpenAI's own or Azure's, which refuse
	// the max_tokens that all others know.
	isOpenAI bool
	// limits holds the limits above with their defaults.
	limits upstream.Limits
}

// complete checks the configuration and fills in defaults.
func (c *Config) complete() error {
	if c.Model == "" {
		return errors.New("openai: name the model to use")
	}
	address, err := url.Parse(c.BaseURL)
	if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
		return errors.New("openai: the base URL must look like https://api.openai.com/v1")
	}
	host := address.Hostname()
	c.isOpenAI = host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com")
	if c.Context <= 0 {
		c.Context = tokens.Context(c.Model)
	}
	c.limits = upstream.Limits{
		Timeout: c.Timeout, FirstToken: c.FirstTokenTimeout, Retries: c.Retries, MaxRetryDelay: c.MaxRetryDelay,
	}.Complete()
	if c.HTTPClient == nil {
		c.HTTPClient = upstream.NewHTTPClient()
	}
	return nil
}

// failure is an error as the caller gets it.
func (c *Config) failure(err error) error {
	if c.OfOperator {
		return upstream.OfOperator(err)
	}
	return err
}
