package upstream

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// maxRetryAfter bounds what a server can tell callers to wait.
const maxRetryAfter = 5 * time.Minute

// Refusal is a response that is not an answer, or an error that a server
// reports within a stream. Callers find its status with errors.As and an
// interface of the method Status.
type Refusal struct {
	// StatusCode is the HTTP status of the refusal, or that which it would
	// have had as a response of its own.
	StatusCode int
	// Code is the server's own name for it, one of those that may be logged.
	// It may be empty.
	Code string
	// Parameter is what the server refused of the request, in its own words. It
	// is not for the log: a server can put anything there.
	Parameter string
	// Busy says that the server may answer in a moment.
	Busy bool
	// InStream says that it came within a stream that had begun.
	InStream bool

	retryAfter time.Duration
}

// Status is the HTTP status of the refusal.
func (r *Refusal) Status() int { return r.StatusCode }

// Error tells the status and the code, for the log.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("the server answered %d %s", r.StatusCode, http.StatusText(r.StatusCode))
	if r.InStream {
		text = "the server reported an error within the stream"
	}
	if r.Code != "" {
		text += ", " + r.Code
	}
	return text
}

// API is how the servers of one API refuse.
type API struct {
	// CodeAt are the paths, as gjson writes them, at which the JSON of a
	// refusal may hold its code. The first known one is taken.
	CodeAt []string
	// ParameterAt is the path of the parameter that was refused, if there is one.
	ParameterAt string
	// Known reports whether a code is one of the API's. Others are not logged:
	// a server can put anything there, the prompt and the key included.
	Known func(code string) bool
	// Busy reports whether a status is that of a server that may answer in a
	// moment.
	Busy func(status int) bool
}

// accepted tells an answer from a refusal and from no response. A response
// without an error is an answer whose body is to be closed; of any other the
// body is closed here.
func (a *API) accepted(response *http.Response, err error) (*http.Response, error) {
	if response == nil {
		if err == nil {
			err = errNoResponse
		}
		return nil, err
	}
	if response.StatusCode == http.StatusOK && err == nil {
		return response, nil
	}
	refused := a.refusalOf(response)
	_ = response.Body.Close()
	return nil, refused
}

func (a *API) refusalOf(response *http.Response) *Refusal {
	found := &Refusal{
		StatusCode: response.StatusCode,
		Busy:       a.Busy(response.StatusCode),
		retryAfter: RetryAfter(response.Header.Get("Retry-After")),
	}
	if body, err := io.ReadAll(io.LimitReader(response.Body, maxRefusalBytes)); err == nil {
		found.Code = a.Code(body)
		found.Parameter = a.parameter(body)
	}
	return found
}

// Code is the known code in the JSON of a refusal, or empty.
func (a *API) Code(body []byte) string {
	if !isJSON(body) {
		return ""
	}
	for _, path := range a.CodeAt {
		if code := gjson.GetBytes(body, path).Str; code != "" && a.Known(code) {
			return code
		}
	}
	return ""
}

func (a *API) parameter(body []byte) string {
	if a.ParameterAt == "" || !isJSON(body) {
		return ""
	}
	return gjson.GetBytes(body, a.ParameterAt).Str
}

// RetryAfter reads the header's seconds or date (RFC 9110, 10.2.3), at most 5
// minutes. What is neither is 0.
func RetryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return min(time.Duration(max(0, min(seconds, 3600)))*time.Second, maxRetryAfter)
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, min(time.Until(date), maxRetryAfter))
	}
	return 0
}
