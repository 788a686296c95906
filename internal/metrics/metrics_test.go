package metrics_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/metrics"
)

// served serves the figures and returns the address.
func served(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- m.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("serving ended with: %v", err)
		}
	})
	return "http://" + listener.Addr().String()
}

func ask(t *testing.T, method, address string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestFigures(t *testing.T) {
	m := metrics.New()
	base := served(t, m)
	m.Event("invoice.paid", "applied")
	m.Event("invoice.paid", "applied")
	m.Event("made.up.by.a.stranger", "ignored")
	m.Corrected()
	m.Alarm("two_subscriptions")
	m.KnowAlarms("two_subscriptions", "never_rung")
	m.DeclareSecurity("token_refused")
	m.Security("sign_in_refused")
	m.Request("POST", "/api/v1/chat", 200, 20*time.Millisecond)
	_, body := ask(t, "GET", base+"/metrics")
	for _, line := range []string{
		`parley_billing_events_total{outcome="applied",type="invoice.paid"} 2`,
		`parley_billing_events_total{outcome="ignored",type="other"} 1`,
		`parley_billing_corrections_total 1`,
		`parley_billing_alarms_total{reason="two_subscriptions"} 1`,
		`parley_billing_alarms_total{reason="never_rung"} 0`,
		`parley_requests_total{method="POST",route="/api/v1/chat",status="200"} 1`,
		`parley_request_duration_seconds_bucket{method="POST",route="/api/v1/chat",le="0.05"} 1`,
		`parley_security_events_total{event="token_refused"} 0`,
		`parley_security_events_total{event="sign_in_refused"} 1`,
		`go_goroutines`,
	} {
		t.Run("there is "+line, func(t *testing.T) {
			if !strings.Contains(body, "\n"+line) {
				t.Errorf("it is not in\n%s", body)
			}
		})
	}
	t.Run("a made-up type is not shown", func(t *testing.T) {
		if strings.Contains(body, "stranger") {
			t.Error("the type is shown")
		}
	})
	for target, want := range map[string]int{"GET /": 404, "GET /metrics/x": 404, "POST /metrics": 405, "GET /debug/pprof/cmdline": 404, "GET /debug/pprof/": 200, "GET /debug/pprof/goroutine": 200, "GET /debug/pprof/heap": 200, "GET /debug/pprof/profile?seconds=600": 400, "GET /debug/pprof/trace": 404} {
		t.Run(fmt.Sprintf("%s is answered with %d", target, want), func(t *testing.T) {
			method, path, _ := strings.Cut(target, " ")
			if status, _ := ask(t, method, base+path); status != want {
				t.Errorf("got %d", status)
			}
		})
	}
}
