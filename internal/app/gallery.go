package app

import (
	"context"
	"log/slog"
	"net"

	"parley/web"
)

// Gallery shows every page with invented data on a listener, until the context
// ends. It opens no database.
func Gallery(ctx context.Context, listener net.Listener) error {
	pages := newApp(nil, &oldClients{log: slog.Default()})
	web.Gallery(pages)
	stop := context.AfterFunc(ctx, func() { _ = pages.Shutdown() })
	defer stop()
	return pages.Listener(listener)
}
