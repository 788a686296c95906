package views

// plansPages are the page of plans for who may change nothing, buys, and
// changes by hand.
func plansPages() (read, sold, byHand Plans) {
	read = Plans{
		Standing: Standing{Sentences: []string{"This workspace is on the Starter plan."}},
		Usage: []Usage{
			{Name: "Chatbots", Text: "3 of 1", Used: 3, Limit: 1, Over: true},
			{Name: "API tokens of a chatbot", Text: "0 of 0"},
			{Name: "Messages a month", Text: "7, without a limit", Used: 7, Limit: -1},
		},
		Plans: []Plan{
			{Name: "starter", Title: "Starter", Current: true},
			{Name: "standard", Title: "Standard", Changes: Changes{
				Cost: "79.00 USD a month instead of 19.00 USD a month", Gains: []string{"API access"}, Loses: []string{hostile}, Exceeded: []string{"There are 3 chatbots: 2 would be suspended."},
			}},
		},
		Limits: []Limit{{"Chatbots", []string{"1", "10"}}, {"API access", []string{"No", "Yes"}}},
		Prices: []PriceRow{{Interval: "monthly", Name: "Monthly price", Prices: []Price{
			{Plan: "starter", Title: "Starter", Text: "Free"}, {Plan: "standard", Title: "Standard", Text: "79.00 USD"},
		}}},
		Why: "An owner of the workspace can change the plan.",
	}
	sold, byHand = read, read
	sold.Why, byHand.Why, byHand.ByHand = "", "", true
	sold.Standing = Standing{Sentences: []string{"Payment failed on 3 November; access until 24 November."}, Urgent: true}
	sold.TrialDays, sold.Manage = 14, true
	sold.Prices = []PriceRow{{Interval: "monthly", Name: "Monthly price", Prices: []Price{
		{Plan: "starter", Title: "Starter", Text: "Free"}, {Plan: "standard", Title: "Standard", Text: "79.00 USD", Note: "You pay 49.00 USD", Button: "Upgrade"},
	}}}
	sold.Invoices = []Invoice{
		{Number: "A-1", At: day, Amount: "79.00 USD", Status: "paid", URL: "https://invoice.stripe.com/i/1"},
		{Number: hostile, At: day, Amount: "1 JPY", Status: "new one", URL: "javascript:alert(1)"},
		{Number: "A-3", At: day, Amount: "0.00 USD", Status: "open"},
	}
	sold.PayURL, sold.Disputed, sold.TaxInclusive = "https://invoice.stripe.com/i/3", "A payment of 79.00 USD is disputed at the bank.", true
	sold.Reversals = []Reversal{{At: day, What: "Dispute", Amount: "79.00 USD", State: "Under review by the bank"}, {At: day, What: "Refund", Amount: "1 JPY", State: hostile}}
	sold.History = []Entry{{At: day, Actor: "Stripe", Detail: hostile}}
	byHand.Manage, byHand.InvoicesMissing = true, "Invoices are not available right now."
	return read, sold, byHand
}

func overLimits(mayChoose bool) OverLimits {
	return OverLimits{MayChoose: mayChoose, Groups: []OverGroup{
		{Resource: "chatbots", Title: "Chatbots", Includes: "The Starter plan includes 1 chatbot.", MayChoose: true, Sets: []OverSet{
			{Items: []OverItem{{ID: "cb_1", Name: hostile, Stays: true}, {ID: "cb_2", Name: "Old"}}, Suspended: true},
		}},
		{Resource: "members", Title: "Members", Includes: "The Starter plan includes 1 member.", MayChoose: true, Sets: []OverSet{
			{Items: []OverItem{{ID: "usr_1", Name: "ada@example.com", Stays: true, Vital: true}, {ID: "usr_2", Name: "ben@example.com"}}, Suspended: true},
		}},
		{Resource: "tokens", Title: "API tokens", Includes: "The Starter plan includes no API tokens for each chatbot.", Sets: []OverSet{
			{Name: hostile, Items: []OverItem{{ID: "tok_1", Name: "Website"}}, Suspended: true},
		}},
	}}
}
