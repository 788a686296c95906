package stripetest

import (
	"fmt"
	"net/http"
)

// failure is an error in Stripe's shape: https://docs.stripe.com/api/errors.
type failure struct {
	Status  int    `json:"-"`
	Type    string `json:"type"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Param   string `json:"param,omitempty"`
}

// The types of errors.
const (
	apiError         = "api_error"
	cardError        = "card_error"
	idempotencyError = "idempotency_error"
	invalidRequest   = "invalid_request_error"
)

func (f failure) Error() string { return f.Message }

func invalid(param, message string, arguments ...any) error {
	return failure{Status: http.StatusBadRequest, Type: invalidRequest, Param: param, Message: fmt.Sprintf(message, arguments...)}
}

func required(param string) error {
	return failure{Status: http.StatusBadRequest, Type: invalidRequest, Code: "parameter_missing", Param: param, Message: "Missing required param: " + param + "."}
}

// missing returns the error for an unknown id. Param is empty if the id was in the path.
func missing(object, id, param string) error {
	f := failure{Status: http.StatusBadRequest, Type: invalidRequest, Code: "resource_missing", Param: param, Message: fmt.Sprintf("No such %s: '%s'", object, id)}
	if param == "" {
		f.Status, f.Param = http.StatusNotFound, "id"
	}
	return f
}

func declined() error {
	return failure{Status: http.StatusPaymentRequired, Type: cardError, Code: "card_declined", Message: "Your card was declined."}
}
