package workspace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/webhook"
	"parley/internal/id"
	"parley/internal/publicid"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// webhookPages are the handlers of webhooks.
type webhookPages struct{ *page.Base }

// deliveriesShown is how many deliveries a page has.
const deliveriesShown = 25

// aboutKinds says what events mean.
var aboutKinds = map[webhook.Kind]string{
	webhook.MessageCompleted: "An answer has ended.", webhook.MessageUnanswered: "The chatbot said that it doesn't know.",
	webhook.ConversationCreated: "Somebody began a conversation.", webhook.DocumentReady: "A document is answered from.",
	webhook.DocumentFailed: "A document could not be read.", webhook.QuotaNear: "80% of the month's messages are used, or all.",
	webhook.TokenExpiring: "An API token expires within 14 days, or within 3.",
}

func webhookEvents() (all []views.WebhookEvent) {
	for _, kind := range webhook.Kinds() {
		all = append(all, views.WebhookEvent{Kind: string(kind), About: aboutKinds[kind]})
	}
	return all
}

func (s webhookPages) chatbots(c *fiber.Ctx, v page.Visit) ([]ui.Option, error) {
	bots, err := s.Chatbots.List(c.UserContext(), v.WorkspaceID())
	options := []ui.Option{{Value: "", Text: "All chatbots"}}
	for _, bot := range bots {
		options = append(options, ui.Option{Value: bot.ID, Text: bot.Name})
	}
	return options, err
}

func readWebhook(c *fiber.Ctx) (page.Form, webhook.Settings, error) {
	names := []string{"url", "chatbot", "description"}
	for _, kind := range webhook.Kinds() {
		names = append(names, string(kind))
	}
	typed, err := page.ReadForm(c, names...)
	settings := webhook.Settings{URL: typed["url"], Description: typed["description"]}
	if typed["chatbot"] != "" { // what cannot be an identifier is no chatbot, and not all of them
		settings.ChatbotID = cmp.Or(id.Parse(typed["chatbot"]), "unknown")
	}
	for _, kind := range webhook.Kinds() {
		if typed[string(kind)] != "" {
			settings.Kinds = append(settings.Kinds, kind)
		}
	}
	return typed, settings, err
}

func webhookToView(e webhook.Endpoint, bots []ui.Option) views.Webhook {
	w := views.Webhook{
		ID: e.ID, URL: e.URL, Host: e.Host(), Description: e.Description, Chatbot: "Deleted chatbot", State: string(e.State), Reason: e.Reason, Unreadable: e.Unreadable, Rotating: e.PreviousUntil,
	}
	if i := slices.IndexFunc(bots, func(o ui.Option) bool { return o.Value == e.ChatbotID }); i >= 0 {
		w.Chatbot = bots[i].Text
	}
	for _, kind := range e.Kinds {
		w.Events = append(w.Events, string(kind))
	}
	return w
}

func (s webhookPages) listPage(c *fiber.Ctx, v page.Visit) error {
	return s.showList(c, v, fiber.StatusOK, ui.Form{Values: map[string]string{string(webhook.MessageUnanswered): "on"}})
}

func (s webhookPages) showList(c *fiber.Ctx, v page.Visit, status int, f ui.Form) error {
	endpoints, err := s.Webhooks.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return err
	}
	bots, err := s.chatbots(c, v)
	if err != nil {
		return err
	}
	bought, err := s.Tenants.Plans.Existing(c.UserContext(), v.Member.Workspace.Plan)
	if err != nil {
		return err
	}
	m := views.Webhooks{Events: webhookEvents(), Chatbots: bots, Form: f}
	if bought.Admit(plan.API, 0) != nil {
		m.Upgrade = "The " + bought.Title + " plan has no webhooks. They come with API access."
	}
	for _, e := range endpoints {
		m.Endpoints = append(m.Endpoints, webhookToView(e, bots))
	}
	return page.Render(c, status, views.WebhooksPage(v.Layout(c, shell.WebhooksSection, "Webhooks"), m))
}

func (s webhookPages) create(c *fiber.Ctx, v page.Visit) error {
	typed, settings, err := readWebhook(c)
	if err != nil {
		return err
	}
	e, secret, err := s.Webhooks.Create(c.UserContext(), v.WorkspaceID(), settings)
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showList(c, v, status, f) })
	}
	return s.showSecret(c, v, e, secret)
}

// showSecret answers the form itself: a secret is in no address and no cookie.
func (s webhookPages) showSecret(c *fiber.Ctx, v page.Visit, e webhook.Endpoint, secret webhook.Secret) error {
	w := webhookToView(e, nil)
	w.Secret = string(secret)
	return page.Render(c, fiber.StatusOK, views.WebhookSecretPage(v.Layout(c, shell.WebhooksSection, w.Host), w))
}

func (s webhookPages) endpoint(c *fiber.Ctx, v page.Visit) (webhook.Endpoint, error) {
	return s.Webhooks.Get(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("webhook")))
}

func (s webhookPages) page(c *fiber.Ctx, v page.Visit) error {
	e, err := s.endpoint(c, v)
	if err != nil {
		return err
	}
	typed := page.Form{"url": e.URL, "chatbot": e.ChatbotID, "description": e.Description}
	for _, kind := range e.Kinds {
		typed[string(kind)] = "on"
	}
	return s.show(c, v, e, fiber.StatusOK, typed.View())
}

func (s webhookPages) show(c *fiber.Ctx, v page.Visit, e webhook.Endpoint, status int, f ui.Form) error {
	bots, err := s.chatbots(c, v)
	if err != nil {
		return err
	}
	before := deliveryOf(s.IDs, c.Query("before"))
	deliveries, err := s.Deliveries.List(c.UserContext(), v.WorkspaceID(), e.ID, before, deliveriesShown+1)
	if err != nil {
		return err
	}
	m := views.WebhookLog{Webhook: webhookToView(e, bots), Events: webhookEvents(), Chatbots: bots, Form: f}
	here := shell.WebhookURL(v.WorkspaceID(), e.ID)
	if len(deliveries) > deliveriesShown {
		deliveries = deliveries[:deliveriesShown]
		m.Pager.Next = here + "?before=" + strconv.FormatInt(s.IDs.Delivery(deliveries[deliveriesShown-1].ID), 10)
	}
	if before > 0 {
		m.Pager.Previous, m.Pager.First = here, true
	}
	for _, d := range deliveries {
		shown := deliveryToView(d)
		shown.ID = s.IDs.Delivery(d.ID)
		m.Deliveries = append(m.Deliveries, shown)
	}
	return page.Render(c, status, views.WebhookPage(v.Layout(c, shell.WebhooksSection, e.Host()), m))
}

func deliveryToView(d webhook.Delivery) views.Delivery {
	shown := views.Delivery{Event: string(d.Message.Kind), Message: d.Message.ID, State: string(d.Outcome), At: d.CreatedAt, Next: d.DueAt}
	for _, a := range d.Log {
		result := "No answer"
		if a.Status > 0 {
			result = fmt.Sprintf("%d in %d ms", a.Status, a.Took.Milliseconds())
		}
		shown.Attempts = append(shown.Attempts, views.Attempt{Result: result, Answer: a.Answer})
	}
	return shown
}

func (s webhookPages) save(c *fiber.Ctx, v page.Visit) error {
	e, err := s.endpoint(c, v)
	if err != nil {
		return err
	}
	typed, settings, err := readWebhook(c)
	if err != nil {
		return err
	}
	if err := s.Webhooks.Update(c.UserContext(), v.WorkspaceID(), e.ID, settings); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.show(c, v, e, status, f) })
	}
	return page.Done(c, shell.WebhookURL(v.WorkspaceID(), e.ID), "saved")
}

func (s webhookPages) rotate(c *fiber.Ctx, v page.Visit) error {
	e, secret, err := s.Webhooks.Rotate(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("webhook")))
	if err != nil {
		return err
	}
	return s.showSecret(c, v, e, secret)
}

func (s webhookPages) pause(c *fiber.Ctx, v page.Visit) error {
	return s.done(c, v, "The webhook is paused.", s.Webhooks.Pause(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("webhook"))))
}

func (s webhookPages) resume(c *fiber.Ctx, v page.Visit) error {
	return s.done(c, v, "The webhook receives events again.", s.Webhooks.Resume(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("webhook"))))
}

func (s webhookPages) test(c *fiber.Ctx, v page.Visit) error {
	return s.done(c, v, "A test is on its way. Reload the page to see what your program answers.", s.Deliveries.SendTest(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("webhook"))))
}

func (s webhookPages) sendAgain(c *fiber.Ctx, v page.Visit) error {
	return s.done(c, v, "The message is on its way again.", s.Deliveries.SendAgain(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("webhook")), deliveryOf(s.IDs, c.Params("delivery"))))
}

// deliveryOf is the number of a delivery, or zero for an identifier that there cannot be.
func deliveryOf(ids *publicid.Codec, identifier string) int64 {
	written, err := strconv.ParseInt(identifier, 10, 64)
	if err != nil {
		return 0
	}
	sequence, _ := ids.DeliverySequence(written)
	return sequence
}

// done leads back to the webhook with a confirmation, or with the error.
func (s webhookPages) done(c *fiber.Ctx, v page.Visit, text string, err error) error {
	message := page.Message{Text: text}
	if failure := fault.As(err); err != nil {
		if failure.Kind != fault.Conflict && failure.Kind != fault.Forbidden {
			return err
		}
		message = page.Message{Text: failure.Message, Failed: true}
	}
	return s.Flash(c, shell.WebhookURL(v.WorkspaceID(), id.Parse(c.Params("webhook"))), message)
}

func (s webhookPages) remove(c *fiber.Ctx, v page.Visit) error {
	if err := s.Webhooks.Delete(c.UserContext(), v.WorkspaceID(), id.Parse(c.Params("webhook"))); err != nil {
		return err
	}
	return s.Flash(c, shell.WebhooksURL(v.WorkspaceID()), page.Message{Text: "The webhook has been deleted."})
}
