package main

import (
	"context"
	"fmt"
	"net"

	"parley/app"
)

type galleryCmd struct {
	Address string `default:"127.0.0.1:8090" help:"Address to listen on."`
}

// Run shows the pages until it is stopped.
func (cmd *galleryCmd) Run(ctx context.Context, io streams) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cmd.Address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Choose another address with --address", cmd.Address, err)
	}
	fmt.Fprintf(io.out, "The gallery is at http://%s\n", listener.Addr())
	return app.Gallery(ctx, listener)
}
