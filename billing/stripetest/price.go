package stripetest

import (
	"fmt"
	"slices"
)

// largestAmount is the largest that Stripe accepts, in a currency's smallest unit.
const largestAmount = 99_999_999

func (s *Server) createPrice(r *Request) (any, error) {
	p := r.params()
	repeats := p.hash("recurring")
	switch {
	case p.get("currency") == "":
		return nil, required("currency")
	case !p.has("unit_amount"):
		return nil, required("unit_amount")
	case p.number("unit_amount") < 0 || p.number("unit_amount") > largestAmount:
		return nil, invalid("unit_amount", "Invalid unit amount.")
	case repeats.get("interval") != "month" && repeats.get("interval") != "year":
		return nil, invalid("recurring[interval]", "Invalid recurring[interval]: this Stripe knows month and year.")
	}
	of, err := s.product(p.get("product"), "product")
	if err != nil {
		return nil, err
	}
	made := &price{
		head: s.newHead("price", "price"), Product: ref(of.ID), Active: true, Currency: p.get("currency"), UnitAmount: p.number("unit_amount"),
		TaxBehavior: "unspecified", BillingScheme: "per_unit", Type: "recurring",
		Recurring: recurring{repeats.get("interval"), max(1, int(repeats.number("interval_count"))), "licensed"},
	}
	if err := s.changePrice(made, p); err != nil {
		return nil, err
	}
	s.prices = append(s.prices, made)
	s.byID[made.ID] = made
	s.emit("price.created", made)
	return made, nil
}

// changePrice makes the changes that a price allows. Its amount never changes.
func (s *Server) changePrice(made *price, p params) error {
	if p.has("lookup_key") {
		if err := s.giveLookupKey(made, p); err != nil {
			return err
		}
	}
	if p.has("active") {
		of, _ := find(s.products, string(made.Product))
		if !p.yes("active") && of.DefaultPrice == ref(made.ID) {
			return invalid("active", "This price cannot be archived because it is the default price of its product.")
		}
		made.Active = p.yes("active")
	}
	if p.has("nickname") {
		made.Nickname = ref(p.get("nickname"))
	}
	if p.has("tax_behavior") {
		if made.TaxBehavior != "unspecified" && made.TaxBehavior != p.get("tax_behavior") {
			return invalid("tax_behavior", "The tax_behavior of a price cannot be changed once it is set.")
		}
		made.TaxBehavior = p.get("tax_behavior")
	}
	made.Metadata = p.mergeMetadata(made.Metadata)
	return nil
}

func (s *Server) giveLookupKey(made *price, p params) error {
	key := ref(p.get("lookup_key"))
	i := slices.IndexFunc(s.prices, func(other *price) bool { return key != "" && other.LookupKey == key && other != made })
	if i >= 0 {
		if !p.yes("transfer_lookup_key") {
			return invalid("lookup_key", "A price (`%s`) already uses that lookup key.", s.prices[i].ID)
		}
		s.prices[i].LookupKey = ""
		s.emit("price.updated", s.prices[i])
	}
	made.LookupKey = key
	return nil
}

func (s *Server) updatePrice(r *Request) (any, error) {
	found, err := s.price(r.id, "")
	if err != nil {
		return nil, err
	}
	for _, fixed := range []string{"unit_amount", "currency", "recurring", "product"} {
		if slices.Contains(r.params().keys(), fixed) {
			return nil, invalid(fixed, "Received unknown parameter: %s", fixed)
		}
	}
	if err := s.changePrice(found, r.params()); err != nil {
		return nil, err
	}
	s.emit("price.updated", found)
	return found, nil
}

func (s *Server) listPrices(r *Request) (any, error) {
	p := r.params()
	keys := p.list("lookup_keys")
	if len(keys) > 10 {
		return nil, invalid("lookup_keys", "You can only specify up to 10 lookup_keys.")
	}
	return page(r, s.prices, func(found *price) bool {
		return p.is("active", fmt.Sprint(found.Active)) && p.is("product", string(found.Product)) && p.is("type", found.Type) &&
			p.is("currency", found.Currency) && (len(keys) == 0 || slices.Contains(keys, string(found.LookupKey)))
	})
}
