package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/core/fault"
)

const secret = "sk-5ecret"

func TestFault(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		begun bool
		want  string
		code  fault.Code
	}{
		"our own error is logged as it is":                {fmt.Errorf("%s: %w", secret, errCut), false, notAnswered + ": the stream ended before the answer did", ""},
		"an answer that had begun stopped in the middle":  {errCut, true, brokeOff + ": the stream ended before the answer did", ""},
		"a refusal is logged with status and code":        {&Refusal{StatusCode: 401, Code: "invalid_api_key"}, false, rejectsKey + ": the server answered 401 Unauthorized, invalid_api_key", fault.ModelKeyRejected},
		"a busy server is reported as busy":               {&Refusal{StatusCode: 429, Busy: true}, false, tooBusy + ": the server answered 429 Too Many Requests", fault.ModelBusy},
		"a server that has no credit left is not busy":    {&Refusal{StatusCode: 429, Code: "insufficient_quota", Busy: true}, false, unpaid + ": the server answered 429 Too Many Requests, insufficient_quota", fault.ModelUnpaid},
		"an unknown model will stay unknown":              {&Refusal{StatusCode: 404}, false, unknown + ": the server answered 404 Not Found", fault.ModelUnknown},
		"a prompt that is too long will stay too long":    {&Refusal{StatusCode: 400, Code: "context_length_exceeded"}, false, tooLong + ": the server answered 400 Bad Request, context_length_exceeded", fault.ContextTooLong},
		"a wrong request will stay wrong":                 {&Refusal{StatusCode: 400}, false, refuses + ": the server answered 400 Bad Request", fault.ModelRefused},
		"a server that gets busy within an answer is not": {&Refusal{StatusCode: 529, Busy: true, InStream: true}, true, brokeOff + ": the server reported an error within the stream", ""},
		"a useless answer has its own message":            {&Useless{Reason: "declined", Sentence: "Ask in a different way."}, true, "Ask in a different way.: declined", fault.ModelDeclined},
		"a useless answer may have the usual message":     {&Useless{Reason: "empty"}, false, notAnswered + ": empty", ""},
		"an address is not logged":                        {&url.Error{Op: "Post", URL: "http://" + secret, Err: syscall.ECONNREFUSED}, false, notAnswered + ": the connection to the server failed: connection refused", ""},
		"a name is not logged":                            {&net.DNSError{Name: secret, Err: secret}, false, notAnswered + ": the connection to the server failed: its name could not be resolved", ""},
		"a closed connection is reported as one":          {&url.Error{URL: secret, Err: io.ErrUnexpectedEOF}, false, notAnswered + ": the connection to the server failed: it was closed", ""},
		"a canceled request is reported as one":           {context.Canceled, false, notAnswered + ": the connection to the server failed: it was canceled", ""},
		"a request that timed out is reported as one":     {context.DeadlineExceeded, false, notAnswered + ": the connection to the server failed: it timed out", ""},
		"only the type of any other error is logged":      {fmt.Errorf("a: %w", errors.New(secret)), false, notAnswered + ": the connection to the server failed: *errors.errorString", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := faultOf(c.err, c.begun)
			kind, code := fault.Upstream, cmp.Or(c.code, fault.ModelFailed)
			if code == fault.ModelBusy {
				kind = fault.Unavailable
			}
			if found.Kind != kind || found.Code() != code || found.Error() != c.want {
				t.Errorf("got  %v\nwant %s", found, c.want)
			}
			if shown := fmt.Sprintf("%+v %#v", found.Cause, found.Cause); strings.Contains(shown, secret) {
				t.Errorf("the cause shows a secret: %s", shown)
			}
		})
	}
	t.Run("the status is that of the refusal or of the useless answer", func(t *testing.T) {
		for want, err := range map[int]error{529: &Refusal{StatusCode: 529}, 200: errEmpty} {
			var status interface{ Status() int }
			if !errors.As(Fault(err), &status) || status.Status() != want {
				t.Errorf("%v has no status %d", err, want)
			}
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "-7": 0, "300": 5 * time.Minute, "86400": 5 * time.Minute, "1e18": 0, "soon": 0,
		"99999999999999999999":          0,
		"Fri, 31 Dec 1999 23:59:59 GMT": 0,
		"Fri, 31 Dec 2999 23:59:59 GMT": 5 * time.Minute,
	} {
		if got := RetryAfter(header); got != want {
			t.Errorf("RetryAfter(%q) = %v, want %v", header, got, want)
		}
	}
}

func TestAccepted(t *testing.T) {
	api := API{
		CodeAt: []string{"error.code", "error.type"},
		Known:  func(code string) bool { return code == "known" || code == "other" },
		Busy:   func(status int) bool { return status == 503 },
	}
	respond := func(status int, body io.Reader) *http.Response {
		return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {"7"}}, Body: io.NopCloser(body)}
	}
	for name, c := range map[string]struct{ body, code string }{
		"a known code is kept":                          {`{"error":{"code":"known","type":"other"}}`, "known"},
		"if the first code is unknown, the next counts": {`{"error":{"code":"` + secret + `","type":"other"}}`, "other"},
		"an unknown code is dropped":                    {`{"error":{"code":"` + secret + `"}}`, ""},
		"a code that is not a string is dropped":        {`{"error":{"code":["known"]}}`, ""},
		"a refusal need not be JSON":                    {secret, ""},
		"a refusal may be empty":                        {"", ""},
		"a refusal may be brackets":                     {strings.Repeat("[", maxWholeBytes), ""},
	} {
		t.Run(name, func(t *testing.T) {
			body := &counted{Reader: strings.NewReader(c.body)}
			response, err := api.accepted(respond(503, body), errors.New(secret))
			var refused *Refusal
			if !errors.As(err, &refused) || response != nil {
				t.Fatalf("got %v and %v", response, err)
			}
			if *refused != (Refusal{StatusCode: 503, Code: c.code, Busy: true, retryAfter: 7 * time.Second}) {
				t.Errorf("got %+v", refused)
			}
			if body.bytes > maxRefusalBytes {
				t.Errorf("%d bytes were read", body.bytes)
			}
		})
	}
	t.Run("without a response the connection's error counts, if there is one", func(t *testing.T) {
		if _, err := api.accepted(nil, nil); err != errNoResponse {
			t.Errorf("err = %v", err)
		}
		if _, err := api.accepted(nil, io.EOF); err != io.EOF {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("a good response is the answer", func(t *testing.T) {
		want := respond(200, strings.NewReader(""))
		if got, err := api.accepted(want, nil); got != want || err != nil {
			t.Errorf("got %v and %v", got, err)
		}
	})
}
