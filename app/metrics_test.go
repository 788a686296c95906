package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"parley/app/config"
	"parley/billing"
)

func TestEveryAlarmIsZeroAtFirst(t *testing.T) {
	t.Parallel()
	p, err := Open(t.Context(), &Config{Serving: config.Serving{DataDir: t.TempDir(), Listen: "127.0.0.1:0"}, Operation: config.Operation{MetricsAddr: "127.0.0.1:0"}}, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	s, err := Listen(p)
	must(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() { stop(); must(t, <-served) })
	answer, err := http.Get("http://" + s.MetricsAddr().String() + "/metrics")
	must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	figures := string(body)
	for _, reason := range billing.Alarms() {
		t.Run(reason+" is exported as zero before it first occurs", func(t *testing.T) {
			if !strings.Contains(figures, fmt.Sprintf("parley_billing_alarms_total{reason=%q} 0\n", reason)) {
				t.Error("it is missing")
			}
		})
	}
}
