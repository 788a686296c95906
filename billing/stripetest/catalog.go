package stripetest

import (
	"fmt"
	"net/http"
	"slices"
)

// product is https://docs.stripe.com/api/products/object.
type product struct {
	head
	Name         string            `json:"name"`
	Description  ref               `json:"description"`
	Active       bool              `json:"active"`
	DefaultPrice ref               `json:"default_price"`
	TaxCode      ref               `json:"tax_code"`
	Metadata     map[string]string `json:"metadata"`
}

// price is https://docs.stripe.com/api/prices/object.
type price struct {
	head
	Product       ref               `json:"product"`
	Active        bool              `json:"active"`
	Currency      string            `json:"currency"`
	UnitAmount    int64             `json:"unit_amount"`
	LookupKey     ref               `json:"lookup_key"`
	Nickname      ref               `json:"nickname"`
	TaxBehavior   string            `json:"tax_behavior"`
	BillingScheme string            `json:"billing_scheme"`
	Type          string            `json:"type"`
	Recurring     recurring         `json:"recurring"`
	Metadata      map[string]string `json:"metadata"`
}

type recurring struct {
	Interval      string `json:"interval"`
	IntervalCount int    `json:"interval_count"`
	UsageType     string `json:"usage_type"`
}

// months returns how many months a price covers.
func (p *price) months() int {
	if p.Recurring.Interval == "year" {
		return 12 * p.Recurring.IntervalCount
	}
	return p.Recurring.IntervalCount
}

func (s *Server) routeCatalog(mux *http.ServeMux) {
	s.handle(mux, "POST /v1/products", s.createProduct)
	s.handle(mux, "GET /v1/products", s.listProducts)
	s.handle(mux, "GET /v1/products/{id}", func(r *Request) (any, error) { return s.product(r.id, "") })
	s.handle(mux, "POST /v1/products/{id}", s.updateProduct)
	s.handle(mux, "POST /v1/prices", s.createPrice)
	s.handle(mux, "GET /v1/prices", s.listPrices)
	s.handle(mux, "GET /v1/prices/{id}", func(r *Request) (any, error) { return s.price(r.id, "") })
	s.handle(mux, "POST /v1/prices/{id}", s.updatePrice)
}

func (s *Server) product(id, param string) (*product, error) {
	if p, ok := find(s.products, id); ok {
		return p, nil
	}
	return nil, missing("product", id, param)
}

func (s *Server) price(id, param string) (*price, error) {
	if p, ok := find(s.prices, id); ok {
		return p, nil
	}
	return nil, missing("price", id, param)
}

func (s *Server) createProduct(r *Request) (any, error) {
	p := r.params()
	if p.get("name") == "" {
		return nil, required("name")
	}
	made := &product{head: s.newHead("prod", "product"), Active: true}
	if id := p.get("id"); id != "" {
		made.ID = id
	}
	if _, taken := find(s.products, made.ID); taken {
		return nil, failure{Status: http.StatusBadRequest, Type: invalidRequest, Code: "resource_already_exists", Message: "Product already exists."}
	}
	if err := s.changeProduct(made, p); err != nil {
		return nil, err
	}
	s.products = append(s.products, made)
	s.byID[made.ID] = made
	s.emit("product.created", made)
	return made, nil
}

func (s *Server) changeProduct(made *product, p params) error {
	if p.has("default_price") {
		if _, err := s.price(p.get("default_price"), "default_price"); err != nil {
			return err
		}
		made.DefaultPrice = ref(p.get("default_price"))
	}
	if p.has("name") {
		made.Name = p.get("name")
	}
	if p.has("description") {
		made.Description = ref(p.get("description"))
	}
	if p.has("active") {
		made.Active = p.yes("active")
	}
	if p.has("tax_code") {
		made.TaxCode = ref(p.get("tax_code"))
	}
	made.Metadata = p.mergeMetadata(made.Metadata)
	return nil
}

func (s *Server) updateProduct(r *Request) (any, error) {
	found, err := s.product(r.id, "")
	if err == nil {
		err = s.changeProduct(found, r.params())
	}
	if err != nil {
		return nil, err
	}
	s.emit("product.updated", found)
	return found, nil
}

func (s *Server) listProducts(r *Request) (any, error) {
	p := r.params()
	ids := p.list("ids")
	return page(r, s.products, func(found *product) bool {
		return p.is("active", fmt.Sprint(found.Active)) && (len(ids) == 0 || slices.Contains(ids, found.ID))
	})
}
