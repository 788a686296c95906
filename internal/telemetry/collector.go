package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// SendWithin bounds how long a batch is tried.
	SendWithin = 10 * time.Second
	// firstPause is the first one before a batch is sent again. Each is twice as long.
	firstPause = time.Second
	// maxAnswer is how much of an answer is read.
	maxAnswer = 64 << 10
	// lossesEvery is how often losses are logged.
	lossesEvery = time.Minute
)

// The paths of the signals below a collector's address.
const (
	tracesPath  = "/v1/traces"
	metricsPath = "/v1/metrics"
)

// collector is the server that takes traces and metrics.
type collector struct {
	address  string
	headers  map[string]string
	client   *http.Client
	lifetime context.Context
	log      *slog.Logger
	// stopping says that nothing is sent again.
	stopping atomic.Bool

	mu      sync.Mutex
	failing bool
	// lost counts spans, and unsent the times that metrics were not sent, since they were
	// logged.
	lost, unsent int
	why          error
	logged       time.Time
}

func newCollector(lifetime context.Context, config Config, log *slog.Logger) *collector {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 2
	transport.DisableCompression = true
	return &collector{
		address: strings.TrimRight(config.Endpoint, "/"), headers: config.Headers, lifetime: lifetime, log: log,
		// The headers are for this address and no other.
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// close closes connections, and logs what was lost.
func (c *collector) close() {
	c.client.CloseIdleConnections()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logLosses()
}

// send sends a message, again while the collector says that it may take it later.
func (c *collector) send(ctx context.Context, path string, body message) error {
	ctx, cancel := context.WithTimeout(ctx, SendWithin)
	defer cancel()
	defer context.AfterFunc(c.lifetime, cancel)()
	if c.lifetime.Err() != nil {
		return errStopped
	}
	for pause := firstPause; ; pause *= 2 {
		after, err := c.post(ctx, path, body)
		if err == nil || after < 0 || c.stopping.Load() {
			return err
		}
		select {
		case <-time.After(max(after, pause-rand.N(pause/2))):
		case <-ctx.Done():
			return err
		}
	}
}

var (
	errStopped  = errors.New("the server has stopped")
	errNoAnswer = errors.New("it did not answer in time")
)

// never says that what was not taken will not be taken later.
const never = -1

// post sends a body once. If it was not taken, after is how long the collector asks to wait,
// or never.
func (c *collector) post(ctx context.Context, path string, body []byte) (after time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+path, bytes.NewReader(body))
	if err != nil {
		return never, errors.New("the collector's address is not valid")
	}
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("User-Agent", "parley")
	response, err := c.client.Do(request)
	c.note(err)
	if err != nil {
		if ctx.Err() != nil {
			return 0, errNoAnswer
		}
		var failed *url.Error
		if errors.As(err, &failed) { // which quotes the address
			err = failed.Err
		}
		return 0, err
	}
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer)) // all of it, so that the connection can be used again
	_ = response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		c.countRejected(path, answer)
		return 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return min(time.Duration(max(0, seconds)), SendWithin/time.Second) * time.Second, fmt.Errorf("it answered %d", response.StatusCode)
	}
	return never, fmt.Errorf("it answered %d", response.StatusCode)
}

// note notes whether the collector answered.
func (c *collector) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failing = err != nil
}

// fails reports whether the collector did not answer when it was sent something last.
func (c *collector) fails() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failing
}

// lose counts what was not sent: spans, or the metrics of one time if there are none. It
// logs the sum, at most once a minute.
func (c *collector) lose(spans int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost += spans; spans == 0 {
		c.unsent++
	}
	if c.why == nil || !errors.Is(err, errStopped) {
		c.why = err
	}
	if time.Since(c.logged) >= lossesEvery {
		c.logLosses()
	}
}

func (c *collector) logLosses() {
	if c.lost == 0 && c.unsent == 0 {
		return
	}
	c.log.Warn("the collector of OTEL_EXPORTER_OTLP_ENDPOINT did not take all telemetry", "lost_spans", c.lost, "unsent_metrics", c.unsent, "error", c.why)
	c.logged, c.lost, c.unsent = time.Now(), 0, 0
}
