package workspace

import (
	"time"

	"parley/views/ui"
)

// Plans is the page of a workspace's plan.
type Plans struct {
	Standing Standing
	Usage    []Usage
	Plans    []Plan
	// Limits are the rows of the comparison.
	Limits []Limit
	// Prices are its rows of prices.
	Prices []PriceRow
	// TrialDays is how many days would be free.
	TrialDays int
	// ByHand shows the buttons that change the plan at once.
	ByHand bool
	// Why says why the person may not change the plan.
	Why string
	// Manage shows the button that leads to what was bought.
	Manage   bool
	Invoices []Invoice
	// InvoicesMissing says why there are none.
	InvoicesMissing string
	// PayURL is Stripe's page of the invoice that is to be paid, if there is one.
	PayURL    string
	Reversals []Reversal
	// Disputed is a sentence about a dispute that is open.
	Disputed string
	// TaxInclusive says that prices include taxes.
	TaxInclusive bool
	History      []Entry
	Form         ui.Form
}

// Standing says in sentences how a workspace pays.
type Standing struct {
	Sentences []string
	// Urgent says that an owner has to do something.
	Urgent bool
}

// Usage is how much of a limit is in use.
type Usage struct {
	Name, Text string
	// Limit is negative for none.
	Used, Limit int
	// Over says that more is in use than the plan includes.
	Over bool
}

// id names the element of a row.
func (u Usage) id() string { return "usage-" + ui.Slug(u.Name) }

// Plan is a column of the comparison.
type Plan struct {
	Name, Title string
	Current     bool
	Changes     Changes
}

// Changes are what a workspace would have of a plan that it has not.
type Changes struct {
	Gains, Loses []string
	// Cost says what a subscriber would pay; empty where that is not known.
	Cost string
	// Exceeded are sentences about what would be suspended or end.
	Exceeded []string
	// Suspended and Resumed are the names of what would be suspended, and of what
	// would not be any more.
	Suspended, Resumed []string
}

// Limit is a row of the comparison: one amount for each plan.
type Limit struct {
	Name    string
	Amounts []string
}

// PriceRow is a row of the comparison: one price for each plan.
type PriceRow struct {
	// Interval is monthly or yearly, and Name what people read.
	Interval, Name string
	Prices         []Price
}

// Price is what a plan costs.
type Price struct {
	// Plan and Title are those of the plan.
	Plan, Title string
	Text        string
	// Note is below it; it may be empty.
	Note string
	// Button is the word on the button that buys, empty for none.
	Button string
}

// Invoice is a row of the invoices.
type Invoice struct {
	Number string
	At     time.Time
	// Amount has its currency.
	Amount string
	Status string
	// URL is Stripe's page of the invoice. It may be empty.
	URL string
}

// Reversal is a row of the refunds and disputes.
type Reversal struct {
	At time.Time
	// Amount has its currency.
	What, Amount, State string
}

// Entry is a row of what was done to the plan.
type Entry struct {
	At            time.Time
	Actor, Detail string
}

// invoiceStates are Stripe's:
// https://docs.stripe.com/api/invoices/object#invoice_object-status
var invoiceStates = map[string]string{
	"draft": "Not final yet", "open": "To be paid", "paid": "Paid", "uncollectible": "Not paid", "void": "Void",
}
