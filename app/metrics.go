package app

import (
	"fmt"
	"net"
)

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
