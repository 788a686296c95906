package bench

import (
	"context"
	"errors"
	"os"

	"parley/bench/load"
	"parley/bench/relay"
	"parley/bench/upstream"
)

// The systems that are measured.
const (
	// Upstream is the fake model server itself, asked directly.
	Upstream = "upstream"
	// BareRelay passes messages on and answers back.
	BareRelay = "bare relay"
	// The durable relays also look the token up and commit two messages.
	DurableSQLite   = "durable relay, SQLite"
	GroupedSQLite   = "durable relay, SQLite, group commits"
	DurablePostgres = "durable relay, PostgreSQL"
	ParleySQLite    = "Parley, SQLite"
	ParleyPostgres  = "Parley, PostgreSQL"
)

// The endpoints.
const (
	Chat   = "/chat"
	Stream = "/chat/stream"
)

// question is what every client asks. The handbook has its words.
const question = `{"message":"How do I revoke an API token of a chatbot?"}`

// system is a server that can be started again over the same data.
type system struct {
	name   string
	token  string
	launch func(ctx context.Context) (*process, error)
	// clean removes what outlives the server. It may be nil.
	clean func() error
	// running is nil while the server is stopped.
	running *process
}

func (s *system) start(ctx context.Context) (err error) {
	s.running, err = s.launch(ctx)
	return err
}

func (s *system) stop() error {
	if s.running == nil {
		return nil
	}
	err := s.running.stop()
	s.running = nil
	return err
}

// onPostgres reports whether the system keeps what it stores in PostgreSQL.
func (s *system) onPostgres() bool { return s.name == DurablePostgres || s.name == ParleyPostgres }

// exchange is what a client does with the system.
func (s *system) exchange(endpoint string) *load.Exchange {
	address := s.running.address
	e := &load.Exchange{Address: address, Stream: endpoint == Stream, Format: load.Conversation, Want: upstream.Text()}
	if s.name == Upstream {
		body := `{"model":"bench","messages":[{"role":"user","content":"How do I revoke an API token of a chatbot?"}],"stream":false}`
		if e.Stream {
			body = body[:len(body)-len("false}")] + "true}"
		}
		e.Format, e.Request = load.Completion, load.Post(address, "/v1/chat/completions", "", body)
		return e
	}
	e.Request = load.Post(address, "/api/v1"+endpoint, s.token, question)
	return e
}

// upstreamSystem is the fake model server.
func upstreamSystem(dir string) *system {
	return &system{name: Upstream, launch: func(ctx context.Context) (*process, error) {
		return startSelf(ctx, dir, "upstream", "upstream")
	}}
}

// relaySystem is a relay before the model server.
func relaySystem(dir, name, model string, arguments ...string) *system {
	return &system{name: name, token: relay.Token, launch: func(ctx context.Context) (*process, error) {
		return startSelf(ctx, dir, name, append(arguments, "--model="+model)...)
	}}
}

// sqliteRelay keeps its messages in a new directory each time it starts.
func sqliteRelay(dir, name, model string, arguments ...string) *system {
	s := &system{name: name, token: relay.Token}
	s.launch = func(ctx context.Context) (*process, error) {
		data, err := os.MkdirTemp(dir, "relay")
		if err != nil {
			return nil, err
		}
		return startSelf(ctx, dir, name, append(arguments, "--model="+model, "--sqlite="+data)...)
	}
	return s
}

// postgresRelay keeps its messages in a new database each time it starts.
func postgresRelay(dir, name, model string, server cluster, arguments ...string) *system {
	var made []string
	s := &system{name: name, token: relay.Token}
	s.launch = func(ctx context.Context) (*process, error) {
		address, err := server.create(ctx)
		if err != nil {
			return nil, err
		}
		made = append(made, address)
		return startSelf(ctx, dir, name, append(arguments, "--model="+model, "--postgres="+address)...)
	}
	s.clean = func() (err error) {
		for _, address := range made {
			err = errors.Join(err, server.drop(address))
		}
		return err
	}
	return s
}
