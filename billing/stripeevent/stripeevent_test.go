package stripeevent

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"parley/core/fault"
)

const secret = "whsec_test"

var now = time.Unix(1_770_000_000, 0)

// read verifies and reads an event of a kind about an object.
func read(t *testing.T, kind, object string) Event {
	t.Helper()
	body := fmt.Appendf(nil, `{"id":"evt_1","object":"event","api_version":"2020-08-27","type":%q,"data":{"object":%s}}`, kind, object)
	e, err := Verify(body, sign(body, now), secret, now)
	if err != nil {
		t.Fatal(err)
	}
	return Of(e)
}

func sign(body []byte, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: at}).Header
}

func TestOf(t *testing.T) {
	for sentence, c := range map[string]struct {
		kind, object string
		want         Event
		label        string
	}{
		"a subscription is about its customer": {
			"customer.subscription.updated", `{"id":"sub_1","customer":"cus_1"}`, Event{Customer: "cus_1"}, "",
		},
		"the customer may be there whole": {
			"invoice.paid", `{"id":"in_1","customer":{"id":"cus_1","object":"customer"}}`, Event{Customer: "cus_1"}, "",
		},
		"a deleted customer is the object itself": {
			"customer.deleted", `{"id":"cus_1"}`, Event{Customer: "cus_1"}, "",
		},
		"a refund is about its charge, whose customer is asked for": {
			"charge.refunded", `{"id":"ch_1","customer":"cus_1"}`, Event{Reversed: Reversed{Charge: "ch_1"}}, "",
		},
		"so is one that changed": {
			"charge.refund.updated", `{"id":"re_1","charge":"ch_1"}`, Event{Reversed: Reversed{Charge: "ch_1"}}, "",
		},
		"a dispute is about itself": {
			"charge.dispute.created", `{"id":"dp_1","charge":"ch_1"}`, Event{Reversed: Reversed{Dispute: "dp_1"}}, "",
		},
		"a payment of a charge changes nothing here": {
			"charge.succeeded", `{"id":"ch_1","customer":"cus_1"}`, Event{}, OtherKind,
		},
		"a customer that is no text is nobody": {
			"invoice.paid", `{"customer":7}`, Event{}, "",
		},
		"an id that is too long to store is none": {
			"invoice.paid", `{"customer":"` + strings.Repeat("x", MaxID+1) + `"}`, Event{}, "",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			c.want.ID, c.want.Kind = "evt_1", c.kind
			if c.label == "" {
				c.label = c.kind
			}
			if got := read(t, c.kind, c.object); got != c.want || got.Label() != c.label {
				t.Errorf("got %+v, labeled %s", got, got.Label())
			}
		})
	}
	t.Run("a type that is too long to store is some other one", func(t *testing.T) {
		if got := read(t, "invoice."+strings.Repeat("x", maxKind), `{}`); got.Kind != OtherKind {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("an event without an object is about nobody", func(t *testing.T) {
		if got := Of(&stripe.Event{ID: "evt_1", Type: "invoice.paid"}); got.Customer != "" || got.Reversed.Any() {
			t.Errorf("got %+v", got)
		}
	})
}

func TestVerify(t *testing.T) {
	body := []byte(`{"id":"evt_1","object":"event","api_version":"2020-08-27","type":"invoice.paid"}`)
	nameless := []byte(`{"object":"event","api_version":"2020-08-27","type":"invoice.paid"}`)
	for sentence, c := range map[string]struct {
		body      []byte
		signature string
		secret    string
		kind      fault.Kind
		unsigned  bool
	}{
		"without a secret nothing is right":      {body, sign(body, now), "", fault.Unavailable, false},
		"another secret is refused":              {body, sign(body, now), "whsec_other", fault.Invalid, true},
		"an old signature is refused":            {body, sign(body, now.Add(-Tolerance-time.Second)), secret, fault.Invalid, true},
		"a signature of the future is refused":   {body, sign(body, now.Add(Tolerance+time.Second)), secret, fault.Invalid, true},
		"an event without an id is refused":      {nameless, sign(nameless, now), secret, fault.Invalid, false},
		"an event that is too large is not read": {make([]byte, MaxEvent+1), "", secret, fault.TooLarge, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, err := Verify(c.body, c.signature, c.secret, now)
			if !fault.Is(err, c.kind) || errors.Is(err, ErrSignature) != c.unsigned {
				t.Errorf("got %v", err)
			}
		})
	}
}
