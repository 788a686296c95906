package anthropic

import (
	"cmp"
	"net/http"

	"parley/llm/upstream"
)

// statusOverloaded is Anthropic's own status: the whole service is too busy.
const statusOverloaded = 529

// codes maps the API's types of errors to their statuses (Anthropic, "Errors").
// They may be logged.
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

// api describes how servers of this API refuse requests.
var api = upstream.API{
	CodeAt: []string{"error.type"},
	Known:  func(code string) bool { return codes[code] != 0 },
	Busy:   busy,
}

func busy(status int) bool {
	return status == http.StatusTooManyRequests || status == statusOverloaded
}

// refusalIn returns the error that a data line of a stream reports. Its status is
// the one it would have had before the stream began.
func refusalIn(line []byte) error {
	if long := upstream.Reported(line); long != nil {
		return long
	}
	code := api.Code(line)
	status := cmp.Or(codes[code], http.StatusInternalServerError)
	return &upstream.Refusal{
		StatusCode: status, Code: code, Busy: busy(status), InStream: true,
	}
}

const errMalformed = upstream.Error("an event of the stream is not a JSON object")

// Useless answers.
var (
	errManyCalls error = &upstream.Useless{Reason: "the answer calls tools more than 16 times"}
	errLongCalls error = &upstream.Useless{Reason: "the calls of tools in the answer are longer than 64 KiB"}
)
