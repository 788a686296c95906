package upstream

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"parley/core/fault"
)

// maxRetryAfter bounds how long a server can tell callers to wait.
const maxRetryAfter = 5 * time.Minute

// Refusal is a response that is not an answer, or an error that a server
// reports within a stream. Callers find its status with errors.As and an
// interface with the method Status.
type Refusal struct {
	// StatusCode is the HTTP status of the refusal, or the one it would have
	// had as a separate response.
	StatusCode int
	// Code is the server's own name for it, if it may be logged. It may be
	// empty.
	Code string
	// Parameter is the part of the request that the server refused: in its own
	// words, or one of the API's optional fields that they name. Never log it: a
	// server can put anything there.
	Parameter string
	// TooMany says that, by its words, the server may take the request in parts.
	TooMany bool
	// Busy says that the server may answer in a moment.
	Busy bool
	// InStream says that it arrived within a stream.
	InStream bool

	retryAfter time.Duration
}

// Status is the HTTP status of the refusal.
func (r *Refusal) Status() int { return r.StatusCode }

// Error has the status and the code, for the log.
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

// API describes how the servers of one API refuse requests.
type API struct {
	// CodeAt lists the paths, in gjson's syntax, where the JSON of a refusal may
	// hold its code. The first known code counts.
	CodeAt []string
	// ParameterAt lists the paths of the refused parameter, if there is one.
	ParameterAt []string
	// Optional lists the fields without which a request can be sent again, each with
	// the words, in lower case, by which refusals name it.
	Optional []Field
	// Known reports whether a code belongs to the API. Others are not logged:
	// a server can put anything there, including the prompt and the key.
	Known func(code string) bool
	// Busy reports whether a status means that the server may answer in a
	// moment.
	Busy func(status int) bool
}

// Field is a field of requests.
type Field struct {
	Name  string
	Words []string
}

// codeTooLong is the code of a prompt that exceeds the model's context.
const codeTooLong = "context_length_exceeded"

// TooLong reports whether a server refused a prompt for its length.
func TooLong(err error) bool {
	var refused *Refusal
	return errors.As(err, &refused) && refused.meaning().code == fault.ContextTooLong
}

// Reported returns the error that a server reports within a stream, if it says that
// the prompt is too long, and otherwise its meaning is unknown: nil.
func Reported(body []byte) error {
	if !saysTooLong(body) {
		return nil
	}
	return &Refusal{StatusCode: http.StatusBadRequest, Code: codeTooLong, InStream: true}
}

// accepted distinguishes answers from refusals and missing responses. If it
// returns a response, the caller closes its body; otherwise accepted has closed it.
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
		if found.mayBeMended() {
			found.read(a, body)
		}
	}
	if _, stays := byCode[found.Code]; stays {
		found.Busy = false // such as an account without credit
	}
	return found
}

// mayBeMended reports whether a refusal can be about a part of the request, and not
// about who asks, how often, or for which model.
func (r *Refusal) mayBeMended() bool {
	switch r.StatusCode {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	}
	_, final := byCode[r.Code]
	return r.StatusCode >= http.StatusBadRequest && !final
}

// read reads what a refusal says about parts of the request.
func (r *Refusal) read(a *API, body []byte) {
	if saysTooLong(body) {
		r.Code = codeTooLong
		return
	}
	r.Parameter = a.parameter(body)
	r.TooMany = saysTooMany(body)
}

// Code returns the known code in the JSON of a refusal, or "".
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

// parameter returns the refused parameter. Where the body has no field for it, the
// optional fields are looked for in its words.
func (a *API) parameter(body []byte) string {
	if isJSON(body) {
		for _, path := range a.ParameterAt {
			if named := gjson.GetBytes(body, path).Str; named != "" && !strings.EqualFold(named, "none") && !strings.EqualFold(named, "null") {
				return named
			}
		}
	}
	for _, field := range a.Optional {
		if containsAny(body, field.Words) {
			return field.Name
		}
	}
	return ""
}

// RetryAfter reads the header's seconds or date (RFC 9110, 10.2.3), at most 5
// minutes. For anything else it returns 0.
func RetryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return min(time.Duration(max(0, min(seconds, 3600)))*time.Second, maxRetryAfter)
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, min(time.Until(date), maxRetryAfter))
	}
	return 0
}
