package upstream

import "strings"

// tooLongWords are how servers say, beside or instead of a code, that a prompt exceeds the context of
// their model.
var tooLongWords = []string{
	"context_length_exceeded", "exceed_context_size", "contextwindowexceeded", "context window exceeded", "tokens_limit_reached",
	"maximum context length", "max context length", "maximum context size", "max context size", "maximum model length",
	"maximum prompt length", "maximum input length", "maximum sequence length", "exceeds the context", "exceeds context", "exceed context",
	"exceeds the available context", "exceeds the model's context", "longer than the model's context", "context size exceeded", "context length exceeded",
	"exceeds the maximum allowed length", "exceeds the maximum number of tokens", "exceeds the maximum input", "exceeds the maximum context",
	"exceeded max context", "exceeded model token limit", "exceeds model token limit", "model's context window", "context length of only",
	"context overflow", "reached context length", "greater than the context length", "n_keep >= n_ctx",
	"prompt is too long", "prompt too long", "input is too long", "input too long", "too many input tokens", "prompt is longer than", "input is longer than",
	"reduce the length of the", "please shorten the prompt", "too many tokens: ", "inputs` tokens +", "inputs tokens + ",
	"`inputs` must have less than", "range of input length should be", "max_tokens must be at least 1, got -", "prompt 超长",
}

// tooManyWords are how servers say that a request has too many parts.
var tooManyWords = []string{
	"batch", "too many", "too large", "at most", "maximum", "array_above_max_length", "array too long", "no more than", "not be larger", "not exceed", "exceed",
	"max number of", "max_tokens_per_request", "fewer", "only supports",
}

// saysTooLong reports whether the body of a refusal says that the prompt is too long.
func saysTooLong(body []byte) bool { return containsAny(body, tooLongWords) }

// saysTooMany reports whether the body of a refusal says that the request has too many parts.
func saysTooMany(body []byte) bool { return containsAny(body, tooManyWords) }

func containsAny(body []byte, words []string) bool {
	text := strings.ToLower(string(body))
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
