package app

import (
	"context"
	"log/slog"
	"net"

	"parley/app/letters"
	"parley/web"
)

// Gallery shows every page and every mail with invented data on a listener, until the context
// ends. It opens no database.
func Gallery(ctx context.Context, listener net.Listener) error {
	mails, err := letters.Samples()
	if err != nil {
		return err
	}
	pages := newApp(nil, &oldClients{log: slog.Default()})
	web.Gallery(pages, mails)
	stop := context.AfterFunc(ctx, func() { _ = pages.Shutdown() })
	defer stop()
	return pages.Listener(listener)
}
