package openai

import (
	"net/http"

	"parley/core/fault"
)

// Failure is OpenAI's error object.
type Failure struct {
	Error failure `json:"error"`
}

type failure struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	// Param is the parameter that is wrong, or null.
	Param *string `json:"param"`
	Code  string  `json:"code"`
}

// insufficientQuota is a month whose messages are used up, as a code and as a type.
const insufficientQuota = "insufficient_quota"

// wellKnown are the codes of OpenAI's that programs look for.
var wellKnown = map[fault.Code]string{
	"invalid_token":          "invalid_api_key",
	fault.QuotaExceeded:      insufficientQuota,
	fault.TokenQuotaExceeded: insufficientQuota,
	"rate_limited":           "rate_limit_exceeded",
	fault.TooManyAnswers:     "rate_limit_exceeded",
}

// fields are the parameters that stand for fields of our own.
var fields = map[Form]map[string]string{
	Completions: {"message": "messages", "context": "messages", "external_user_id": "user"},
	Responses:   {"message": "input", "context": "instructions", "external_user_id": "user"},
}

// FailureOf is the error object of a failure: its status, its stable name, its message, and
// the field that it is about, which may be empty.
func FailureOf(form Form, status int, code fault.Code, message, field string) Failure {
	f := failure{Message: message, Type: typeOf(status, code), Code: string(code)}
	if known, ok := wellKnown[code]; ok {
		f.Code = known
	}
	if field != "" {
		if ours, ok := fields[form][field]; ok {
			field = ours
		}
		f.Param = &field
	}
	return Failure{f}
}

func typeOf(status int, code fault.Code) string {
	switch {
	case wellKnown[code] == insufficientQuota:
		return insufficientQuota
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}

// stays are failures that the same request meets again.
var stays = map[fault.Code]bool{
	fault.QuotaExceeded: true, fault.TokenQuotaExceeded: true, fault.KeyReused: true, fault.ModelKeyRejected: true, fault.ModelUnknown: true, fault.ModelUnpaid: true,
	fault.ModelRefused: true, fault.ModelDeclined: true, fault.ContextTooLong: true, fault.AnswerStopped: true,
}

// Stays reports whether the clients, which by themselves repeat what failed with a status
// of 409, 429 or above 499, must be told not to.
func Stays(code fault.Code) bool { return stays[code] }
