package app

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// serveMetrics serves the metrics until ctx ends. After a failure it listens anew.
func (s *Server) serveMetrics(ctx context.Context) error {
	listener := s.measured
	if s.measuredBefore {
		var err error
		if listener, err = net.Listen("tcp", s.measured.Addr().String()); err != nil {
			return err
		}
	}
	s.measuredBefore = true
	if err := s.metrics.Serve(ctx, listener); err != nil || ctx.Err() != nil {
		return err
	}
	return errNotMeasured
}

var errNotMeasured = errors.New("the metrics are served no more")

// listenForMetrics returns nil if METRICS_ADDR is not set.
func listenForMetrics(config *Config) (net.Listener, error) {
	if config.MetricsAddr == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", config.MetricsAddr)
	if err != nil {
		return nil, fmt.Errorf("cannot serve metrics on %s: %w. Choose another address with --metrics-addr", config.MetricsAddr, err)
	}
	return listener, nil
}
