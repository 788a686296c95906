package harness

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"parley/core/webhook"
)

// WebhookOwner is an owner with a receiver.
type WebhookOwner struct {
	*Visitor
	// To is where the webhooks are sent.
	To   *Receiver
	Home Tenant
}

// In is the same owner in the sub-test that t belongs to.
func (h *WebhookOwner) In(t *testing.T) *WebhookOwner {
	return &WebhookOwner{h.Visitor.In(t), h.To, h.Home}
}

var (
	SecretShown = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)
	webhookLink = regexp.MustCompile(`/webhooks/(we_[a-z0-9]+)`)
	SendsAgain  = regexp.MustCompile(`/deliveries/[0-9]+/send`)
)

// Adds adds a webhook on the page, and returns its address there and its secret.
func (h *WebhookOwner) Adds(path string, kinds ...webhook.Kind) (page, secret string) {
	h.Helper()
	typed := Pairs{"url", h.To.URL + path}
	for _, kind := range kinds {
		typed = append(typed, string(kind), "on")
	}
	list := "/workspaces/" + h.Home.Workspace + "/webhooks"
	r := h.Post(list, typed)
	h.Expect(r, http.StatusOK)
	secret = SecretShown.FindString(r.Text)
	found := webhookLink.FindStringSubmatch(r.Text)
	if found == nil || secret == "" || r.Header.Get("Cache-Control") != "no-store" {
		h.Fatalf("no webhook is added: %s", Shortened(r.Text))
	}
	return list + "/" + found[1], secret
}

// Does presses a button of a webhook's page.
func (h *WebhookOwner) Does(page, act string) {
	h.Helper()
	h.Expect(h.Post(page+act, nil), http.StatusSeeOther)
}

// Comes waits for a request at a path.
func (h *WebhookOwner) Comes(path, kind string, n int) []Arrival {
	h.Helper()
	var came []Arrival
	h.Eventually(kind+" comes at "+path, func() bool {
		came = h.To.At(path, kind)
		return len(came) >= n
	})
	return came
}

// Deliveries are what the program keeps of what was sent.
func (h *WebhookOwner) Deliveries(page string) []webhook.Delivery {
	h.Helper()
	all, err := h.Server.Program.Webhooks.Deliveries.List(h.Context(), h.Home.Workspace, page[strings.LastIndex(page, "/")+1:], 0, 100)
	h.Must(err)
	return all
}
