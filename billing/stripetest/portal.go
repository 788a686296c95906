package stripetest

import (
	"net/http"
	"slices"
)

// portal is https://docs.stripe.com/api/customer_portal/sessions/object.
type portal struct {
	head
	URL           ref            `json:"url"`
	Customer      ref            `json:"customer"`
	Configuration ref            `json:"configuration"`
	ReturnURL     ref            `json:"return_url"`
	Flow          map[string]any `json:"flow"`

	settings *configuration
	// flow is the kind of the only page shown, or empty; sub and to are its subject.
	flow string
	sub  *subscription
	to   *price
	// after is where a flow leads when it is done.
	after string
}

// The supported flows of a session.
const (
	updateConfirm = "subscription_update_confirm"
	cancelFlow    = "subscription_cancel"
)

func (s *Server) routePortal(mux *http.ServeMux) {
	s.handle(mux, "POST /v1/billing_portal/configurations", s.createConfiguration)
	s.handle(mux, "GET /v1/billing_portal/configurations", s.listConfigurations)
	s.handle(mux, "GET /v1/billing_portal/configurations/{id}", func(r *Request) (any, error) { return s.configuration(r.id, "") })
	s.handle(mux, "POST /v1/billing_portal/configurations/{id}", s.updateConfiguration)
	s.handle(mux, "POST /v1/billing_portal/sessions", s.createPortal)
	s.showPages(mux, "/portal/{id}", s.showPortal, s.pressPortal)
}

func (s *Server) createPortal(r *Request) (any, error) {
	p := r.params()
	c, err := s.living(p.get("customer"), "customer")
	if err != nil {
		return nil, err
	}
	if !p.has("configuration") {
		return nil, invalid("configuration", "No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.")
	}
	settings, err := s.configuration(p.get("configuration"), "configuration")
	if err != nil {
		return nil, err
	}
	made := &portal{
		head: s.newHead("bps", "billing_portal.session"), Customer: ref(c.ID), Configuration: ref(settings.ID),
		ReturnURL: ref(p.get("return_url")), settings: settings,
	}
	if flow := p.hash("flow_data"); len(flow) > 0 {
		if err := s.direct(made, flow); err != nil {
			return nil, err
		}
	}
	made.URL = ref(s.pageURL("/portal/" + made.ID))
	s.portals = append(s.portals, made)
	return made, nil
}

// direct limits a session to one change.
func (s *Server) direct(made *portal, flow params) error {
	made.flow, made.Flow = flow.get("type"), flow.tree()
	made.after = flow.hash("after_completion").hash("redirect").get("return_url")
	if made.after == "" {
		made.after = string(made.ReturnURL)
	}
	if made.flow != updateConfirm && made.flow != cancelFlow {
		return invalid("flow_data[type]", "This Stripe supports only the flows subscription_update_confirm and subscription_cancel.")
	}
	about := flow.hash(made.flow)
	param := "flow_data[" + made.flow + "]"
	sub, err := s.subscription(about.get("subscription"), param+"[subscription]")
	switch {
	case err != nil:
		return err
	case sub.Customer != made.Customer:
		return missing("subscription", sub.ID, param+"[subscription]")
	case sub.over():
		return invalid(param+"[subscription]", "This subscription cannot be updated because it is canceled.")
	}
	made.sub = sub
	if made.flow == cancelFlow {
		return nil
	}
	return s.directUpdate(made, about, param)
}

func (s *Server) directUpdate(made *portal, about params, param string) error {
	items := about.hashes("items")
	switch {
	case len(items) != 1 || items[0].get("id") != made.sub.Items.Data[0].ID:
		return invalid(param+"[items]", "The items must be those of the subscription.")
	case made.sub.Schedule != "":
		return invalid(param+"[subscription]", "This subscription cannot be updated because it is managed by the subscription schedule `%s`.", made.sub.Schedule)
	}
	to, err := s.price(items[0].get("price"), param+"[items][0][price]")
	switch {
	case err != nil:
		return err
	case to == made.sub.price():
		return invalid(param+"[items]", "The subscription has this price already: there is nothing to confirm.")
	case !slices.Contains(made.settings.prices, to):
		return invalid(param+"[items][0][price]", "The price is not one that the subscription update feature of the portal configuration offers.")
	}
	made.to = to
	return nil
}
