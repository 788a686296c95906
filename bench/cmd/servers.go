package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"parley/bench/relay"
	"parley/bench/upstream"
)

// upstreamServer is the fake model server.
type upstreamServer struct{}

// Run serves until the program that started it ends.
func (upstreamServer) Run(ctx context.Context) error {
	listener, err := listen()
	if err != nil {
		return err
	}
	go func() {
		untilOrphaned(ctx)
		_ = listener.Close()
	}()
	return upstream.New().Serve(listener)
}

// relayFlags are the flags of both relays.
type relayFlags struct {
	Model      string `required:"" help:"The model server's host:port."`
	StreamChat bool   `help:"Ask it for a stream for /chat, too."`
}

type bareRelay struct{ relayFlags }

// Run serves until the program that started it ends.
func (b *bareRelay) Run(ctx context.Context) error { return b.serve(ctx, nil) }

type durableRelay struct {
	relayFlags
	SQLite   string `name:"sqlite" xor:"database" required:"" help:"Directory of the messages."`
	Postgres string `name:"postgres" xor:"database" required:"" help:"URL of the database of the messages."`
	Group    bool   `help:"Let messages that come at the same time share a commit, on SQLite."`
}

// Run serves until the program that started it ends.
func (d *durableRelay) Run(ctx context.Context) error {
	ledger, err := d.ledger(ctx)
	if err != nil {
		return err
	}
	return errors.Join(d.serve(ctx, ledger), ledger.Close())
}

func (d *durableRelay) ledger(ctx context.Context) (relay.Ledger, error) {
	switch {
	case d.Postgres != "":
		return relay.Postgres(ctx, d.Postgres)
	case d.Group:
		return relay.GroupedSQLite(ctx, d.SQLite)
	default:
		return relay.SQLite(ctx, d.SQLite)
	}
}

func (f relayFlags) serve(ctx context.Context, ledger relay.Ledger) error {
	listener, err := listen()
	if err != nil {
		return err
	}
	app := relay.New(relay.Options{Upstream: f.Model, StreamChat: f.StreamChat, Ledger: ledger})
	go func() {
		untilOrphaned(ctx)
		_ = app.Shutdown()
	}()
	return app.Listener(listener)
}

// listen listens on a free port and says where.
func listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, err = fmt.Println(listener.Addr())
	return listener, err
}

// untilOrphaned returns when ctx ends, or when the program that started this
// one is gone: its end of the standard input closes then.
func untilOrphaned(ctx context.Context) {
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
	}
}
