package workspace

import (
	"regexp"
	"strings"
	"time"

	"github.com/a-h/templ"

	"parley/views/shell"
	"parley/views/ui"
)

// Billing is the page of usage, plan and payments.
type Billing struct {
	Standing Standing
	Usage    []Usage
	// Resets says when the monthly counts start over.
	Resets string
	Plans  []Plan
	// Limits are the rows of the comparison, and Prices its rows of prices.
	Limits []Limit
	Prices []PriceRow
	// TrialDays is how many days would be free.
	TrialDays int
	// ByHand lets the person change the plan at once.
	ByHand bool
	// Why says why the person may not change the plan.
	Why string
	// Manage shows the button that leads to Stripe's portal, and the invoices.
	Manage bool
	// PayURL is Stripe's page of the invoice that is to be paid, if there is one.
	PayURL    string
	Reversals []Reversal
	// Disputed is a sentence about a dispute that is open.
	Disputed string
	// TaxInclusive says that prices include taxes.
	TaxInclusive bool
	Month        Month
	History      []Entry
	Form         ui.Form
}

// Standing says in sentences how a workspace pays. The first is the plan.
type Standing struct {
	Sentences []string
	// Badge is the state of the subscription in a word or two; it may be empty.
	Badge string
	Tone  ui.Tone
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

// amount is what its meter shows.
func (u Usage) amount() ui.Amount {
	text := u.Text
	if u.Over {
		text += ", over the limit"
	}
	return ui.Amount{ID: "usage-" + slugged.ReplaceAllString(strings.ToLower(u.Name), "-"), Name: u.Name, Text: text, Used: u.Used, Limit: u.Limit}
}

var slugged = regexp.MustCompile(`[^a-z]+`)

// Plan is a plan that a workspace has or could have.
type Plan struct {
	Name, Title string
	Current     bool
	// Price is what it costs, and Other what at another interval; it may be empty.
	Price, Other string
	// Difference is the one thing that it has and the plan below it lacks. Plus
	// comes before it.
	Plus, Difference string
	// Points are what people compare plans by.
	Points  []string
	Changes Changes
	// Button is the word on the button that buys it, and Choices the prices at which
	// it can be bought. There are none where plans are changed by hand.
	Button  string
	Choices []Choice
}

// Choice is a price to buy a plan at.
type Choice struct{ Interval, Text string }

// changes reports whether the person may change to a plan.
func (m Billing) changes(p Plan) bool { return p.Choices != nil || m.ByHand && !p.Current }

func (m Billing) buttonOf(p Plan) string {
	if p.Button != "" {
		return p.Button
	}
	return "Choose"
}

// lookOf makes the button of the next plan above the present one stand out.
func (m Billing) lookOf(p Plan) ui.Look {
	above := false
	for _, other := range m.Plans {
		if above && m.changes(other) {
			if other.Name == p.Name {
				return ui.Primary
			}
			break
		}
		above = above || other.Current
	}
	return ui.Secondary
}

// changesAt is where the form of a change posts.
func changesAt(workspaceID string, p Plan) templ.SafeURL {
	if len(p.Choices) > 0 {
		return templ.SafeURL(shell.BillingURL(workspaceID) + "/checkout")
	}
	return templ.SafeURL(shell.BillingURL(workspaceID))
}

// confirmation is the word on the button that does it.
func confirmation(p Plan) string {
	if p.Current {
		return "Change how you pay"
	}
	return "Change to " + p.Title
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
	// Plan is the plan's name.
	Plan, Text string
	// Note is below it; it may be empty.
	Note string
	// Button is the word on a button that buys, empty for none.
	Button string
}

// Invoices is the page of a workspace's invoices.
type Invoices struct {
	Invoices []Invoice
	// Missing says why there are none.
	Missing string
}

// Invoice is a row of the invoices.
type Invoice struct {
	Number string
	At     time.Time
	// Amount has its currency.
	Amount string
	Status string
	// URL is Stripe's page of the invoice, and PDF its file. Either may be empty.
	URL, PDF string
}

// Reversal is a row of the refunds and disputes.
type Reversal struct {
	At time.Time
	// Amount has its currency.
	What, Amount, State string
}

// Entry is a change of the plan.
type Entry struct {
	At            time.Time
	Actor, Detail string
}

// invoiceStates are Stripe's:
// https://docs.stripe.com/api/invoices/object#invoice_object-status
var invoiceStates = map[string]string{
	"draft": "Not final yet", "open": "To be paid", "paid": "Paid", "uncollectible": "Not paid", "void": "Void",
}

var invoiceTones = map[string]ui.Tone{"open": ui.Warn, "paid": ui.Good, "uncollectible": ui.Bad}
