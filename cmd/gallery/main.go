// Command gallery shows every page of the dashboard and every mail with invented data, for
// people who work on them. It opens no database.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"

	"parley/app"
)

func main() {
	address := flag.String("address", "127.0.0.1:8090", "address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *address); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Choose another address with -address", address, err)
	}
	fmt.Printf("The gallery is at http://%s\n", listener.Addr())
	return app.Gallery(ctx, listener)
}
