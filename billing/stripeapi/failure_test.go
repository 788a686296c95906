package stripeapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stripe/stripe-go/v76"

	"parley/core/fault"
)

func TestFailure(t *testing.T) {
	tests := []struct {
		name   string
		status int
		want   fault.Kind
	}{
		{"a wrong key", http.StatusUnauthorized, fault.Unavailable},
		{"a key without permission", http.StatusForbidden, fault.Unavailable},
		{"too many calls", http.StatusTooManyRequests, fault.Unavailable},
		{"a wrong request", http.StatusBadRequest, fault.Upstream},
		{"a missing object", http.StatusNotFound, fault.Upstream},
		{"a failure at Stripe", http.StatusInternalServerError, fault.Upstream},
	}
	for _, test := range tests {
		t.Run(test.name+" reveals no secrets", func(t *testing.T) {
			err := failure(&stripe.Error{
				HTTPStatusCode: test.status, Code: stripe.ErrorCodeParameterUnknown, RequestID: "req_1",
				Msg: "Invalid API Key provided: sk_live_****1234, of ada@example.com",
			})
			if !fault.Is(err, test.want) {
				t.Errorf("got %v, want kind %d", err, test.want)
			}
			if strings.Contains(err.Error(), "sk_live") || strings.Contains(err.Error(), "ada@") || !strings.Contains(err.Error(), "req_1") {
				t.Errorf("the log would have %q", err.Error())
			}
		})
	}
}
