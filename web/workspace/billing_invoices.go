package workspace

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/views/shell"
	views "parley/views/workspace"
	"parley/web/page"
)

// How many invoices the page has, and how long it waits for them.
const (
	invoicesShown  = 24
	invoiceTimeout = 5 * time.Second
)

// invoicesPage asks Stripe for invoices. The billing page shows its list once it is
// there, so that nobody waits for Stripe to see the plan.
func (s planPages) invoicesPage(c *fiber.Ctx, v page.Visit) error {
	if s.Billing == nil {
		return page.NotSold()
	}
	m := views.Invoices{}
	m.Invoices, m.Missing = s.invoices(c, v)
	l := v.Layout(c, shell.BillingSection, "Invoices")
	return page.Render(c, fiber.StatusOK, views.InvoicesPage(l.At(shell.Crumb{Text: "Usage & billing", URL: shell.BillingURL(v.WorkspaceID())}), m))
}

// invoices are the latest ones, or a sentence why they are not there.
func (s planPages) invoices(c *fiber.Ctx, v page.Visit) (shown []views.Invoice, missing string) {
	ctx, cancel := context.WithTimeout(c.UserContext(), invoiceTimeout)
	defer cancel()
	all, err := s.Billing.Invoices(ctx, v.WorkspaceID(), invoicesShown)
	if err != nil {
		s.Log.Log(ctx, fault.Level(err), "invoices not read", "workspace_id", v.WorkspaceID(), "error", err)
		return nil, "Stripe did not answer, so your invoices aren't here right now. Reload the page in a minute, or open “Manage billing” to see them."
	}
	for _, i := range all {
		if i.Number == "" {
			i.Number = "Invoice"
		}
		shown = append(shown, views.Invoice{
			Number: i.Number, At: i.CreatedAt, Amount: plan.Money(int(i.Total), i.Currency), Status: i.Status, URL: i.URL, PDF: i.PDF,
		})
	}
	return shown, ""
}
