// Package relay is what the benchmark compares with: a relay from the
// conversation API to a model server in plain Fiber, with nothing in it that
// could be left out.
//
// A bare relay passes the message on and the answer back. A durable relay also
// looks the token up and stores both, each in a commit of its own; see
// [Ledger]. There is no retrieval, no conversation and no limit in either.
package relay

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// Ledger is what a durable relay reads and writes. Safe for concurrent use.
type Ledger interface {
	// Chatbot returns the chatbot that a token belongs to.
	Chatbot(ctx context.Context, token string) (string, error)
	// Append stores a message, and returns when it is committed.
	Append(ctx context.Context, chatbot, role, text string) error
	Close() error
}

// Token is the only token that ledgers know.
const Token = "parley_bench"

// Options are what relays differ in.
type Options struct {
	// Upstream is the model server's host:port.
	Upstream string
	// StreamChat asks the model server for a stream for /chat, too, and puts
	// the answer together.
	StreamChat bool
	// Ledger makes the relay durable. It may be nil.
	Ledger Ledger
}

type relay struct {
	Options
	// whole reads an answer before it returns, streamed does not.
	whole, streamed *fasthttp.HostClient
}

// New returns a relay.
func New(options Options) *fiber.App {
	r := &relay{Options: options, whole: client(options.Upstream, false), streamed: client(options.Upstream, true)}
	app := fiber.New(fiber.Config{DisableStartupMessage: true, Immutable: true})
	app.Post("/api/v1/chat", r.chat)
	app.Post("/api/v1/chat/stream", r.stream)
	return app
}

func client(address string, stream bool) *fasthttp.HostClient {
	return &fasthttp.HostClient{
		Addr: address, StreamResponseBody: stream,
		MaxConns: 1 << 16, MaxIdleConnDuration: time.Minute,
	}
}

var errUpstream = errors.New("the model server gave no answer")

// turn is one question on its way.
type turn struct {
	ctx      context.Context
	ledger   Ledger
	chatbot  string
	question string
}

// begin reads the question and, in a durable relay, stores it.
func (r *relay) begin(c *fiber.Ctx) (*turn, error) {
	var body struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(c.Body(), &body); err != nil {
		return nil, fiber.NewError(fiber.StatusBadRequest, err.Error())
	}
	t := &turn{ctx: context.Background(), ledger: r.Ledger, question: body.Message}
	if t.ledger == nil {
		return t, nil
	}
	token := strings.TrimPrefix(c.Get(fiber.HeaderAuthorization), "Bearer ")
	var err error
	if t.chatbot, err = t.ledger.Chatbot(t.ctx, token); err != nil {
		return nil, err
	}
	return t, t.ledger.Append(t.ctx, t.chatbot, "user", t.question)
}

// end stores the answer in a durable relay.
func (t *turn) end(answer string) error {
	if t.ledger == nil {
		return nil
	}
	return t.ledger.Append(t.ctx, t.chatbot, "assistant", answer)
}
