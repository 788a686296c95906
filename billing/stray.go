package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"parley/core/fault"
	"parley/core/subscription"
)

// stray says why a workspace's customer is not at this Stripe.
type stray struct {
	// elsewhere says that the customer belongs to another account. Otherwise Stripe does
	// not know it, and nobody knows whose it is.
	elsewhere bool
}

func (s *stray) Error() string {
	if s.elsewhere {
		return "the customer belongs to another account or mode of Stripe"
	}
	return "Stripe does not know the customer"
}

// strayFault returns the fault for a workspace whose customer is not at this Stripe.
func strayFault(elsewhere bool) error {
	return fault.Wrap(fault.Conflict, &stray{elsewhere},
		"Stripe does not know this workspace as a customer although it has paid, so its plan cannot be changed. Ask the operator of this server to run parley billing unlink.")
}

func isStray(err error) bool {
	var cause *stray
	return errors.As(err, &cause)
}

// noteStray marks a workspace whose customer is not at this Stripe, and raises the alarm the
// first time.
func (s *Service) noteStray(ctx context.Context, known subscription.Subscription, err error) error {
	var cause *stray
	if !errors.As(err, &cause) {
		return err
	}
	news, failed := s.books.Customers.MarkMissing(ctx, known.WorkspaceID, known.CustomerID)
	if failed != nil {
		return failed
	}
	if news {
		s.alarm(cause.reason(), slog.String("workspace", known.WorkspaceID))
	}
	return err
}

func (s *stray) reason() string {
	if s.elsewhere {
		return OtherAccount
	}
	return MissingCustomer
}

// Strays are the workspaces whose customers are not at this Stripe, by id.
type Strays struct {
	// Missing are those whose customer Stripe did not know.
	Missing []string
	// Elsewhere are those whose customer belongs to another account, or is a test
	// customer under a live key or vice versa.
	Elsewhere []string
}

// Strays returns the workspaces whose customers are not at this Stripe.
func (s *Service) Strays(ctx context.Context) (Strays, error) {
	here, err := s.Account(ctx)
	if err != nil {
		return Strays{}, err
	}
	var found Strays
	for known, err := range s.books.Ledger.All(ctx) {
		if err != nil {
			return Strays{}, err
		}
		switch {
		case known.CustomerID == "":
		case known.Account.Other(here):
			found.Elsewhere = append(found.Elsewhere, known.WorkspaceID)
		case known.MissingAt != nil:
			found.Missing = append(found.Missing, known.WorkspaceID)
		}
	}
	return found, nil
}

// Sentences describes the strays, one sentence for each kind; there are none without strays.
func (s Strays) Sentences() []string {
	var says []string
	if n := len(s.Elsewhere); n > 0 {
		says = append(says, fmt.Sprintf("%s at another Stripe account, or in another mode (test or live), than the key is for: %s.",
			counted(n, "workspace is a customer", "workspaces are customers"), named10(s.Elsewhere)))
	}
	if n := len(s.Missing); n > 0 {
		says = append(says, fmt.Sprintf("Stripe does not know the customer of %s: %s.", counted(n, "workspace", "workspaces"), named10(s.Missing)))
	}
	return says
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// named10 lists at most ten.
func named10(ids []string) string {
	const most = 10
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
