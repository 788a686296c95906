package openai

import (
	"errors"
	"net/http"
	"strings"

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
	ParameterAt: []string{"error.param", "param"},
	Optional: []upstream.Field{
		{Name: fieldStreamOptions, Words: []string{fieldStreamOptions, "include_usage"}},
		{Name: fieldSystem, Words: []string{
			"system role", "system message", "system instruction", "developer instruction", "role 'system'", `role "system"`, "role: system",
			"only user and assistant roles",
		}},
		{Name: fieldTemperature, Words: []string{fieldTemperature}},
		{Name: fieldMaxTokens, Words: []string{fieldMaxCompletionTokens}},
	},
	Known: func(code string) bool { return knownCodes[code] },
	Busy:  func(status int) bool { return status == http.StatusTooManyRequests },
}

// The fields that servers refuse, though their API has them.
const (
	fieldStreamOptions       = "stream_options"
	fieldTemperature         = "temperature"
	fieldMaxTokens           = "max_tokens"
	fieldMaxCompletionTokens = "max_completion_tokens"
	fieldSystem              = "system"
)

// without says what a server is not sent, as a set.
type without uint32

const (
	withoutStreamOptions without = 1 << iota
	// withoutTemperature is for reasoning models, which accept only their own.
	withoutTemperature
	// withoutMaxTokens bounds the answer by the newer name, or at OpenAI by the older.
	withoutMaxTokens
	// withoutSystem is for templates that know no system's message.
	withoutSystem
)

// refusedIn returns what to leave out of a request that a server refused.
func refusedIn(err error) without {
	var refused *upstream.Refusal
	if !errors.As(err, &refused) {
		return 0
	}
	name, _, _ := strings.Cut(refused.Parameter, ".")
	switch name {
	case fieldStreamOptions:
		return withoutStreamOptions
	case fieldTemperature:
		return withoutTemperature
	case fieldMaxTokens, fieldMaxCompletionTokens:
		return withoutMaxTokens
	case fieldSystem:
		return withoutSystem
	}
	return 0
}
