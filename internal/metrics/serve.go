package metrics

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/pprof" //nolint:gosec // nobody serves http.DefaultServeMux, where it registers itself
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	requestTimeout = 10 * time.Second
	maxHeader      = 16 << 10
	// maxScrapes is how many clients may read at once.
	maxScrapes = 4
	// profileTimeout is how long writing a profile may take, and the longest time that one
	// may be about.
	profileTimeout = 5 * time.Minute
)

// Serve answers GET /metrics and the profiles below /debug/pprof/ on the listener, and
// nothing else, until ctx ends. It closes the listener.
func (m *Metrics) Serve(ctx context.Context, listener net.Listener) error {
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", soon(promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes})))
	// Not cmdline: the arguments may have secrets.
	routes.HandleFunc("GET /debug/pprof/", pprof.Index)
	routes.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	routes.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	routes.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	routes.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	server := &http.Server{
		Handler: routes, MaxHeaderBytes: maxHeader,
		ReadTimeout: requestTimeout, WriteTimeout: profileTimeout, IdleTimeout: 2 * time.Minute,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// soon ends an answer that its reader does not take in time.
func soon(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(requestTimeout))
		handler.ServeHTTP(w, r)
	})
}
