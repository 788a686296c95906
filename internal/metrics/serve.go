package metrics

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

const (
	requestTimeout = 10 * time.Second
	maxHeader      = 16 << 10
	// maxScrapes is how many clients may read at once.
	maxScrapes = 4
)

// Serve answers GET /metrics and the profiles below /debug/pprof/ on the listener, and
// nothing else, until ctx ends. It closes the listener.
func (m *Metrics) Serve(ctx context.Context, listener net.Listener) error {
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
	addProfiles(routes)
	server := &http.Server{
		Handler: routes, MaxHeaderBytes: maxHeader,
		ReadTimeout: requestTimeout, WriteTimeout: requestTimeout, IdleTimeout: 2 * time.Minute,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Gather returns the figures as they are now.
func (m *Metrics) Gather() ([]*dto.MetricFamily, error) { return m.registry.Gather() }
