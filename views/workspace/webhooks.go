package workspace

import (
	"strconv"
	"time"

	"parley/views/shell"
	"parley/views/ui"
)

// Webhooks is the page of a workspace's webhooks.
type Webhooks struct {
	Endpoints []Webhook
	// Events and Chatbots are what one can choose from.
	Events   []WebhookEvent
	Chatbots []ui.Option
	// Upgrade says why the plan has none, or is empty.
	Upgrade string
	Form    ui.Form
}

// WebhookEvent is a kind of event with what it means.
type WebhookEvent struct{ Kind, About string }

// Webhook is an address that events are sent to.
type Webhook struct {
	ID, URL, Host, Description string
	// Chatbot is a name, or what stands for all.
	Chatbot string
	Events  []string
	// State is active, paused or disabled, for which there is a reason.
	State, Reason string
	// Unreadable says that nothing can be signed.
	Unreadable bool
	// Rotating is until when the previous secret signs, too.
	Rotating *time.Time
	// Secret is shown once.
	Secret string
}

func (w Webhook) active() bool { return w.State == "active" }

// badge is the state in a word.
func (w Webhook) badge() (ui.Tone, string) {
	switch {
	case w.Unreadable:
		return ui.Bad, "Secret unreadable"
	case w.active():
		return ui.Good, "Active"
	case w.State == "paused":
		return ui.Neutral, "Paused"
	}
	return ui.Bad, "Turned off"
}

// WebhookLog is the page of one webhook.
type WebhookLog struct {
	Webhook    Webhook
	Events     []WebhookEvent
	Chatbots   []ui.Option
	Deliveries []Delivery
	Pager      ui.Pager
	Form       ui.Form
}

// Delivery is a message to a webhook.
type Delivery struct {
	ID       int64
	Event    string
	Message  string
	State    string
	At       time.Time
	Next     *time.Time
	Attempts []Attempt
}

// Attempt is one try to deliver.
type Attempt struct {
	Result string
	Answer string
}

func (d Delivery) badge() (ui.Tone, string) {
	switch d.State {
	case "delivered":
		return ui.Good, "Delivered"
	case "failed":
		return ui.Bad, "Failed"
	case "canceled":
		return ui.Neutral, "Canceled"
	}
	if len(d.Attempts) > 0 {
		return ui.Warn, "Retrying"
	}
	return ui.Neutral, "Waiting"
}

func (d Delivery) again(workspaceID, webhookID string) string {
	return shell.WebhookURL(workspaceID, webhookID) + "/deliveries/" + strconv.FormatInt(d.ID, 10) + "/send"
}
