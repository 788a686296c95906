package parley

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// maxPause is the longest wait before a try, also when the server asks for a longer one.
	maxPause = time.Minute
	// maxAnswer bounds what is read of one JSON answer, in bytes.
	maxAnswer = 64 << 20
)

// request is one call of the API.
type request struct {
	method, path string
	query        url.Values
	body         any // nil for none, [written] as it is, and anything else as JSON
	key          string
	header       map[string]string
	// deletes says that what is not found after an answer was lost has been deleted.
	deletes bool
}

// written is a body that is no JSON.
type written struct {
	contentType string
	text        []byte
}

// call sends a request, again if need be, and reads its data into result, if there is one.
func (c *Client) call(ctx context.Context, r request, result any) error {
	if r.method == http.MethodPost && r.key == "" {
		r.key = rand.Text()
	}
	lost := false
	for try := 1; ; try++ {
		err := c.once(ctx, r, result)
		if e, is := errors.AsType[*Error](err); is && e.Status == http.StatusNotFound && r.deletes && lost {
			return nil
		}
		if _, broke := errors.AsType[*cut](err); broke {
			lost = true
		}
		if err == nil || try >= c.tries || !mayRetry(ctx, err) {
			return err
		}
		if err := c.wait(ctx, try, err); err != nil {
			return err
		}
	}
}

func (c *Client) once(ctx context.Context, r request, result any) error {
	response, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer); err != nil {
		return &cut{fmt.Errorf("parley: reading the answer: %w", err)}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Data, result); err != nil {
		return fmt.Errorf("parley: the answer has another form than this client knows: %w", err)
	}
	return nil
}

// send sends a request once. The answer's status is 200; its body must be closed.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	body, is := r.body.(written)
	if !is && r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("parley: %w", err)
		}
		body = written{"application/json", text}
	}
	query := maps.Clone(r.query)
	if c.endUser != "" && !fitsHeader(c.endUser) {
		if query == nil {
			query = url.Values{}
		}
		query.Add("external_user_id", c.endUser)
	}
	address := c.baseURL + r.path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body.text))
	if err != nil {
		return nil, fmt.Errorf("parley: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("User-Agent", "parley-go/"+Version)
	if body.contentType != "" {
		request.Header.Set("Content-Type", body.contentType)
	}
	if r.key != "" {
		request.Header.Set("Idempotency-Key", r.key)
	}
	if c.endUser != "" && fitsHeader(c.endUser) {
		request.Header.Set("X-External-User-Id", c.endUser)
	}
	for name, value := range r.header {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &cut{fmt.Errorf("parley: %w", err)}
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, failure(response)
	}
	return response, nil
}

// fitsHeader reports whether a header carries a text as it is: visible ASCII characters, and
// spaces that are not at an end.
func fitsHeader(text string) bool {
	return strings.TrimSpace(text) == text && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// failure reads what the server says of a failure. What stands in front of it, such as a proxy,
// may answer anything.
func failure(response *http.Response) error {
	var answer struct {
		Code    int    `json:"error"`
		Message string `json:"error_message"`
	}
	_ = json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&answer)
	e := &Error{
		Status: response.StatusCode, Code: answer.Code, Message: answer.Message,
		Name: response.Header.Get("X-Error-Code"), RequestID: response.Header.Get("X-Request-Id"),
	}
	if e.Code == 0 {
		e.Message = "The server answered " + response.Status + "."
		switch e.Status {
		case http.StatusTooManyRequests:
			e.Code = CodeRateLimited
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			e.Code = CodeUnavailable
		}
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

// cut is a connection that was not made, or broke.
type cut struct{ error }

// Unwrap returns what broke it.
func (c *cut) Unwrap() error { return c.error }

func mayRetry(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if e, is := errors.AsType[*Error](err); is {
		return e.Status != 0 && e.retry() // an error within a stream is its end
	}
	_, broke := errors.AsType[*cut](err)
	return broke
}

// wait waits before the next try: twice as long each time, with jitter, or as long as the server
// asks for. It fails if ctx ends first.
func (c *Client) wait(ctx context.Context, tried int, after error) error {
	pause := c.pause << (tried - 1)
	pause = pause/2 + mathrand.N(max(pause, 1))
	if e, is := errors.AsType[*Error](after); is && e.RetryAfter > 0 {
		pause = e.RetryAfter
	}
	if err := sleep(ctx, min(pause, maxPause)); err != nil {
		return errors.Join(err, after)
	}
	return nil
}

// sleep waits. It fails if ctx ends first.
func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
