package stripetest

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"
)

// deliveryTimeout bounds one delivery.
const deliveryTimeout = 30 * time.Second

// SetWebhook sets where events go. Empty means nowhere: they stay undelivered.
func (s *Server) SetWebhook(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.webhookURL = url
}

// Take empties the queue of deliveries and returns it. Events that the test does not pass to
// [Server.Send] are lost until [Server.Redeliver]; the test decides on order, repetition and
// delay.
func (s *Server) Take() []stripe.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.queue
	s.queue = nil
	return sentAll(taken)
}

// Send delivers events in order, and returns how many responses were 2xx. Events without
// such a response are listed with delivery_success=false.
func (s *Server) Send(events ...stripe.Event) (accepted int) {
	for _, e := range events {
		body, signature := s.Signed(e)
		if s.post(body, signature) {
			accepted++
			s.markDelivered(e.ID)
		}
	}
	return accepted
}

// Deliver sends the queue in order, and returns how many of how many events were accepted.
func (s *Server) Deliver() (accepted, of int) {
	taken := s.Take()
	return s.Send(taken...), len(taken)
}

// Redeliver sends again what was never accepted and is not in the queue, as Stripe does for
// three days.
func (s *Server) Redeliver() (accepted, of int) {
	s.mu.Lock()
	queued := map[string]bool{}
	for _, e := range s.queue {
		queued[e.ID] = true
	}
	var again []*event
	for _, e := range s.events {
		if !e.delivered && !queued[e.ID] {
			again = append(again, e)
		}
	}
	sent := sentAll(again)
	s.mu.Unlock()
	return s.Send(sent...), len(sent)
}

// Signed returns the body of a delivery and its Stripe-Signature.
func (s *Server) Signed(e stripe.Event) (body []byte, signature string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := find(s.events, e.ID)
	if !ok {
		panic("stripetest: event " + e.ID + " is of another server")
	}
	at := time.Now()
	if s.options.SignByClock {
		at = s.now
	}
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: rendered(found), Secret: s.WebhookSecret, Timestamp: at})
	return signed.Payload, signed.Header
}

func (s *Server) markDelivered(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, _ := find(s.events, id)
	found.delivered, found.PendingWebhooks = true, 0
}

// post reports whether the response to a delivery was 2xx.
func (s *Server) post(body []byte, signature string) bool {
	s.mu.Lock()
	url := s.webhookURL
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), deliveryTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil || url == "" {
		return false
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("Stripe-Signature", signature)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode/100 == 2
}

// deliverLive delivers each event as it happens.
func (s *Server) deliverLive() {
	for {
		select {
		case <-s.woken:
			s.Deliver()
		case <-s.closing:
			return
		}
	}
}
