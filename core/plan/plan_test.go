package plan

import (
	"slices"
	"testing"

	"parley/core/fault"
)

func TestDefaults(t *testing.T) {
	all := Defaults()
	if len(all) != len(Names()) {
		t.Fatalf("there are %d plans", len(all))
	}
	for i, p := range all {
		if p.Name != Names()[i] || p.Rank != i || p.Title != p.Name.Title() {
			t.Errorf("plan %d is %+v, want %s", i, p, Names()[i])
		}
		if err := p.Check(); err != nil {
			t.Errorf("%s would be refused: %v", p.Title, err)
		}
	}
	for i, p := range all[1:] {
		if less(p.Limits, all[i].Limits) {
			t.Errorf("%s admits less of something than %s", p.Title, all[i].Title)
		}
		if p.Price.Sold() && p.Price.Monthly <= all[i].Price.Monthly {
			t.Errorf("%s costs no more than %s", p.Title, all[i].Title)
		}
	}
}

// less reports whether a admits less of anything than b.
func less(a, b Limits) bool {
	of := func(l Limits) []int {
		return []int{
			l.Chatbots, l.Members, l.TokensPerChatbot, l.MessageChars, l.MessagesPerMonth,
			l.KnowledgeChars, l.StoredBytes, l.RequestsPerMinute, l.RetentionDays, l.AuditDays,
		}
	}
	for i, limit := range of(a) {
		if limit != Unlimited && (of(b)[i] == Unlimited || limit < of(b)[i]) {
			return true
		}
	}
	return slices.ContainsFunc(b.Features, func(f Feature) bool { return !a.Has(f) })
}

func TestHigher(t *testing.T) {
	for i, low := range Names() {
		for _, high := range Names()[i:] {
			if Higher(low, high) != high || Higher(high, low) != high {
				t.Errorf("the higher of %s and %s is %s or %s", low, high, Higher(low, high), Higher(high, low))
			}
		}
		if Higher("gold", low) != low || Higher(low, "") != low {
			t.Errorf("%s is lower than an unknown plan", low)
		}
	}
	if title := Name("gold").Title(); title != "an unknown plan" {
		t.Errorf("an unknown plan has the title %q", title)
	}
}

func TestPrice(t *testing.T) {
	price := Price{Monthly: 19_00, Yearly: 190_00}
	if price.Of(Monthly) != 19_00 || price.Of(Yearly) != 190_00 {
		t.Errorf("%d a month and %d a year", price.Of(Monthly), price.Of(Yearly))
	}
	for name, sold := range map[Name]bool{Starter: false, Basic: true, Standard: true, Premium: true, Enterprise: false} {
		if named(name).Price.Sold() != sold {
			t.Errorf("%s is sold: %v", name, !sold)
		}
	}
}

// named returns a plan of a new database.
func named(name Name) Plan { return Defaults()[rank(name)] }

func TestCheck(t *testing.T) {
	const fine = ""
	for sentence, c := range map[string]struct {
		change func(*Plan)
		field  string
	}{
		"limits can be lifted":                     {func(p *Plan) { p.Limits.Chatbots, p.Limits.RetentionDays = Unlimited, Unlimited }, fine},
		"a limit can be zero":                      {func(p *Plan) { p.Limits.Chatbots, p.Limits.MessagesPerMonth = 0, 0 }, fine},
		"a limit below unlimited is refused":       {func(p *Plan) { p.Limits.Chatbots = -2 }, "chatbots"},
		"an absurd amount is refused":              {func(p *Plan) { p.Limits.KnowledgeChars = maxAmount + 1 }, "knowledge_chars"},
		"a workspace must have a member":           {func(p *Plan) { p.Limits.Members = 0 }, "members"},
		"a message must have a maximum length":     {func(p *Plan) { p.Limits.MessageChars = Unlimited }, "message_chars"},
		"zero requests are refused":                {func(p *Plan) { p.Limits.RequestsPerMinute = 0 }, "requests_per_minute"},
		"a conversation must be kept for a day":    {func(p *Plan) { p.Limits.RetentionDays = 0 }, "retention_days"},
		"an audit log shows a day at least":        {func(p *Plan) { p.Limits.AuditDays = 0 }, "audit_days"},
		"more than a century is refused":           {func(p *Plan) { p.Limits.RetentionDays = maxDays + 1 }, "retention_days"},
		"megabytes are not mistaken for bytes":     {func(p *Plan) { p.Limits.StoredBytes = 500 }, "stored_bytes"},
		"tokens can be fewer":                      {func(p *Plan) { p.Limits.TokensPerChatbot = 1 }, fine},
		"a negative number of tokens is refused":   {func(p *Plan) { p.Limits.TokensPerChatbot = -7 }, "tokens_per_chatbot"},
		"a negative number of messages is refused": {func(p *Plan) { p.Limits.MessagesPerMonth = -7 }, "messages_per_month"},
		"an unknown feature is refused":            {func(p *Plan) { p.Limits.Features = []Feature{"gold"} }, "features"},
		"a duplicate feature is refused":           {func(p *Plan) { p.Limits.Features = []Feature{FeatureAPI, FeatureAPI} }, "features"},
		"a lower plan may not have API access":     {func(p *Plan) { p.Name = Basic }, "features"},
		"a plan may have no feature":               {func(p *Plan) { p.Limits.Features = nil }, fine},
		"a plan may be taken off sale":             {func(p *Plan) { p.Price.Monthly, p.Price.Yearly = NotSold, NotSold }, fine},
		"a paid plan must have a price":            {func(p *Plan) { p.Price.Monthly = 0 }, "price_monthly"},
		"a negative price is refused":              {func(p *Plan) { p.Price.Yearly = -2 }, "price_yearly"},
		"a price above Stripe's limit is refused":  {func(p *Plan) { p.Price.Yearly = maxPrice + 1 }, "price_yearly"},
		"the free plan stays free":                 {func(p *Plan) { p.Name, p.Limits.Features = Free, nil }, "price_monthly"},
		"a currency in capitals is refused":        {func(p *Plan) { p.Price.Currency = "USD" }, "currency"},
		"a missing currency is refused":            {func(p *Plan) { p.Price.Currency = "" }, "currency"},
		"another currency is accepted":             {func(p *Plan) { p.Price.Currency = "jpy" }, fine},
	} {
		t.Run(sentence, func(t *testing.T) {
			p := named(Standard)
			c.change(&p)
			err := p.Check()
			if c.field == fine && err != nil {
				t.Errorf("it is refused: %v", err)
			}
			if c.field != fine && (!fault.Is(err, fault.Invalid) || fault.As(err).Field != c.field) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
