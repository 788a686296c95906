package openai

import (
	"errors"
	"net/http"

	"parley/llm/upstream"
)

const (
	errMalformed = upstream.Error("a chunk of the stream is not a JSON object")
	errReported  = upstream.Error("the server reported an error within the stream")
	errVectors   = upstream.Error("the vectors do not fit the texts")
)

var errCalls error = &upstream.Useless{Reason: "the answer has more than 16 calls of tools, or more than 64 KiB of them"}

// knownCodes lists the codes and types of errors that may be logged.
var knownCodes = map[string]bool{
	"authentication_error": true, "billing_hard_limit_reached": true, "content_filter": true,
	"context_length_exceeded": true, "insufficient_quota": true, "invalid_api_key": true,
	"invalid_request_error": true, "model_not_found": true, "not_found_error": true, "permission_error": true,
	"rate_limit_exceeded": true, "server_error": true, "unsupported_parameter": true, "unsupported_value": true,
}

// api describes how servers of this API refuse requests (OpenAI, "Error codes").
var api = upstream.API{
	CodeAt:      []string{"error.code", "error.type"},
	ParameterAt: "error.param",
	Known:       func(code string) bool { return knownCodes[code] },
	Busy:        func(status int) bool { return status == http.StatusTooManyRequests },
}

// refusesTemperature reports whether the server refused a request for its
// temperature. Reasoning models accept only their own.
func refusesTemperature(err error) bool {
	var refused *upstream.Refusal
	return errors.As(err, &refused) && refused.StatusCode == http.StatusBadRequest && refused.Parameter == "temperature"
}
