// Package parley talks with a Parley chatbot over its API.
//
//	client := parley.New("https://parley.example.com/api/v1", os.Getenv("PARLEY_TOKEN"))
//	answer, err := client.Ask(ctx, parley.Question{Message: "When do you open?"})
//
// A [Client] is safe for concurrent use. It tries again what may be tried again, with an
// Idempotency-Key, so that no question is asked twice; and it resumes streams that were cut
// off. Failures are of type [*Error].
//
// It has no dependencies beside Go's standard library.
package parley

import (
	"net/http"
	"strings"
	"time"
)

// Version is the version of this package, which follows the API's version.
const Version = "0.3.0"

// Client talks with one chatbot: the one that its token belongs to.
type Client struct {
	baseURL, token string
	http           *http.Client
	tries          int
	pause          time.Duration
	endUser        string
}

// Option changes a client.
type Option func(*Client)

// WithHTTPClient makes requests with another HTTP client than [http.DefaultClient]. Its Timeout
// must be zero, because streams take as long as answers: give requests a context instead.
func WithHTTPClient(c *http.Client) Option { return func(p *Client) { p.http = c } }

// WithTries sets how often a request is sent at most, 4 by default. 1 never tries again, and
// resumes no stream.
func WithTries(most int) Option { return func(p *Client) { p.tries = max(most, 1) } }

// WithPause sets how long to wait before the second try, half a second by default. Later waits
// are longer. What a server asks for in Retry-After, up to a minute, goes first.
func WithPause(first time.Duration) Option { return func(p *Client) { p.pause = first } }

// WithEndUser sends every request for one user of yours: see [Question.ExternalUserID].
func WithEndUser(id string) Option { return func(p *Client) { p.endUser = id } }

// New returns a client. The base URL is a server's address and "/api/v1". The token begins with
// "parley_"; keep it out of programs that run on other people's machines.
func New(baseURL, token string, options ...Option) *Client {
	c := &Client{baseURL: strings.TrimRight(baseURL, "/"), token: token, http: http.DefaultClient, tries: 4, pause: 500 * time.Millisecond}
	for _, option := range options {
		option(c)
	}
	return c
}
