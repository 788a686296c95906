package anthropic

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tidwall/gjson"
)

// statusOverloaded is Anthropic's own: the service as a whole is too busy.
const statusOverloaded = 529

// codes are the types of errors that the API knows, with the statuses they
// come with (Anthropic, "Errors"). Others are not logged: a server can put
// anything there, the prompt and the key included.
var codes = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      statusOverloaded,
}

// refusal is a response that is not an answer, or an error within a stream.
type refusal struct {
	status     int
	code       string
	inStream   bool
	retryAfter time.Duration
}

// Status is the HTTP status of the refusal, or that of an error within a
// stream had it come sooner. Callers find it with errors.As.
func (r *refusal) Status() int { return r.status }

func (r *refusal) Error() string {
	text := fmt.Sprintf("the server answered %d %s", r.status, http.StatusText(r.status))
	if r.inStream {
		text = "the server reported an error within the stream"
	}
	if r.code != "" {
		text += ", " + r.code
	}
	return text
}

func (r *refusal) busy() bool {
	return r.status == http.StatusTooManyRequests || r.status == statusOverloaded
}

func refusalOf(response *http.Response) *refusal {
	found := &refusal{status: response.StatusCode, retryAfter: retryAfter(response.Header.Get("Retry-After"))}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxRefusalBytes))
	if err != nil || !isObject(body) {
		return found
	}
	found.code = knownCode(body)
	return found
}

// refusalIn is the error that a data line of a stream reports.
func refusalIn(line []byte) *refusal {
	found := &refusal{status: http.StatusInternalServerError, code: knownCode(line), inStream: true}
	if found.code != "" {
		found.status = codes[found.code]
	}
	return found
}

func knownCode(body []byte) string {
	code := gjson.GetBytes(body, "error.type").Str
	if codes[code] == 0 {
		return ""
	}
	return code
}

// errDeclined is an answer that the model does not want to give.
var errDeclined error = declinedError{}

type declinedError struct{}

func (declinedError) Error() string { return "the model declined to answer" }

// Status is that of its response: the server has done its part, and a visitor
// who asks for what no model answers must not have it taken for broken.
func (declinedError) Status() int { return http.StatusOK }
