package stripetest

import (
	"fmt"
	"maps"
	"slices"
)

// configuration is https://docs.stripe.com/api/customer_portal/configurations/object.
type configuration struct {
	head
	Active           bool                      `json:"active"`
	IsDefault        bool                      `json:"is_default"`
	BusinessProfile  map[string]any            `json:"business_profile"`
	DefaultReturnURL ref                       `json:"default_return_url"`
	Features         map[string]map[string]any `json:"features"`
	LoginPage        map[string]any            `json:"login_page"`
	Metadata         map[string]string         `json:"metadata"`
	Updated          moment                    `json:"updated"`

	// prices are the prices that a customer may change to, and downgradesLater says that
	// a lower one starts with the next period.
	prices          []*price
	downgradesLater bool
	cancels         bool
}

func (s *Server) createConfiguration(r *Request) (any, error) {
	if len(r.params().hash("features")) == 0 {
		return nil, required("features")
	}
	made := &configuration{
		head: s.newHead("bpc", "billing_portal.configuration"), Active: true, BusinessProfile: map[string]any{},
		Features: map[string]map[string]any{}, LoginPage: map[string]any{"enabled": false},
	}
	for _, feature := range []string{"customer_update", "invoice_history", "payment_method_update", "subscription_cancel", "subscription_pause", "subscription_update"} {
		made.Features[feature] = map[string]any{"enabled": false}
	}
	made.Features["subscription_update"]["products"] = []any{}
	if err := s.configure(made, r.params()); err != nil {
		return nil, err
	}
	s.configurations = append(s.configurations, made)
	s.byID[made.ID] = made
	s.emit("billing_portal.configuration.created", made)
	return made, nil
}

func (s *Server) updateConfiguration(r *Request) (any, error) {
	found, err := s.configuration(r.id, "")
	if err == nil {
		err = s.configure(found, r.params())
	}
	if err != nil {
		return nil, err
	}
	s.emit("billing_portal.configuration.updated", found)
	return found, nil
}

func (s *Server) configure(made *configuration, p params) error {
	features := p.hash("features")
	if update := features.hash("subscription_update"); len(update) > 0 {
		if err := s.configureUpdate(made, update); err != nil {
			return err
		}
	}
	if features.hash("subscription_cancel").has("enabled") {
		made.cancels = features.hash("subscription_cancel").yes("enabled")
	}
	for _, feature := range features.keys() {
		if made.Features[feature] == nil {
			return invalid("features", "Received unknown parameter: features[%s]", feature)
		}
		maps.Copy(made.Features[feature], features.hash(feature).tree())
	}
	maps.Copy(made.BusinessProfile, p.hash("business_profile").tree())
	if p.has("default_return_url") {
		made.DefaultReturnURL = ref(p.get("default_return_url"))
	}
	if p.has("active") {
		made.Active = p.yes("active")
	}
	made.Metadata, made.Updated = p.mergeMetadata(made.Metadata), s.moment()
	return nil
}

// configureUpdate reads the prices that a customer may change to: at most one price of a
// product for each interval.
func (s *Server) configureUpdate(made *configuration, update params) error {
	made.downgradesLater = len(update.hash("schedule_at_period_end").hashes("conditions")) > 0
	if update.has("enabled") && !update.yes("enabled") {
		made.prices = nil
		return nil
	}
	var prices []*price
	for i, offered := range update.hashes("products") {
		param := fmt.Sprintf("features[subscription_update][products][%d]", i)
		of, err := s.product(offered.get("product"), param+"[product]")
		if err != nil {
			return err
		}
		for _, id := range offered.list("prices") {
			found, err := s.price(id, param+"[prices]")
			switch {
			case err != nil:
				return err
			case found.Product != ref(of.ID) || !found.Active:
				return invalid(param+"[prices]", "The price `%s` is not an active price of the product `%s`.", id, of.ID)
			case slices.ContainsFunc(prices, func(other *price) bool { return other.Product == found.Product && other.Recurring == found.Recurring }):
				return invalid(param+"[prices]", "Each price of a product must have a unique billing interval.")
			}
			prices = append(prices, found)
		}
	}
	made.prices = prices
	return nil
}

func (s *Server) configuration(id, param string) (*configuration, error) {
	if found, ok := find(s.configurations, id); ok {
		return found, nil
	}
	return nil, missing("configuration", id, param)
}

func (s *Server) listConfigurations(r *Request) (any, error) {
	p := r.params()
	return page(r, s.configurations, func(found *configuration) bool {
		return p.is("active", fmt.Sprint(found.Active)) && p.is("is_default", fmt.Sprint(found.IsDefault))
	})
}
