package views

import (
	"strings"
	"time"
)

func stamp(t time.Time) string   { return t.UTC().Format("2006-01-02 15:04 UTC") }
func date(t time.Time) string    { return t.UTC().Format("2006-01-02") }
func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// since writes a time that may not have come.
func since(t *time.Time, otherwise string) string {
	if t == nil {
		return otherwise
	}
	return stamp(*t)
}

var stateNames = map[string]string{
	"pending":    "Waiting",
	"fetching":   "Being fetched",
	"extracting": "Being read",
	"indexing":   "Being indexed",
	"ready":      "Ready",
	"failed":     "Failed",
	"removing":   "Being removed",
	"syncing":    "Looking for pages",
}

var kindNames = map[string]string{
	"markdown": "Markdown", "text": "Plain text", "html": "Web page", "pdf": "PDF", "docx": "Word", "pptx": "PowerPoint",
	"xlsx": "Excel", "csv": "Table (CSV)", "epub": "EPUB", "pairs": "Questions and answers",
}

var reachNames = map[string]string{"page": "This page", "site": "The whole site"}

var scheduleNames = map[string]string{"never": "Never", "daily": "Daily", "weekly": "Weekly"}

var roleNames = map[string]string{"owner": "Owner", "admin": "Admin", "member": "Member"}

// invoiceStates are Stripe's:
// https://docs.stripe.com/api/invoices/object#invoice_object-status
var invoiceStates = map[string]string{
	"draft": "Not final yet", "open": "To be paid", "paid": "Paid", "uncollectible": "Not paid", "void": "Void",
}

// nameOf is what people call a value, or the value if it is new.
func nameOf(value string, names map[string]string) string {
	if name, known := names[value]; known {
		return name
	}
	return value
}

// slug makes a part of an identifier of a name.
func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }
