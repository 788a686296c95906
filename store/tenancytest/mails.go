package tenancytest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/core/outbox"
	"parley/store/tenancy"
)

// sent sends the mails that are due.
func sent(t testing.TB, services *tenancy.Services) (mails []outbox.Mail) {
	t.Helper()
	n, err := services.Mails.Send(t.Context(), func(_ context.Context, mail outbox.Mail) error {
		mails = append(mails, mail)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != len(mails) {
		t.Errorf("%d mails are said to be sent, and %d are", n, len(mails))
	}
	return mails
}

// Sends checks which mails are sent now, as "address: subject", and returns them.
func Sends(t testing.TB, services *tenancy.Services, want ...string) []outbox.Mail {
	t.Helper()
	mails := sent(t, services)
	got := make([]string, len(mails))
	for i, mail := range mails {
		got[i] = mail.To + ": " + mail.Subject
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("sent are %q, want %q", got, want)
	}
	return mails
}

// Mailed sends the mails that are due and returns the only one, and the code in its link.
func Mailed(t testing.TB, services *tenancy.Services) (mail outbox.Mail, code string) {
	t.Helper()
	mails := sent(t, services)
	if len(mails) != 1 {
		t.Fatalf("there are %d mails: %+v", len(mails), mails)
	}
	_, code, _ = strings.Cut(mails[0].Body, "#")
	code, _, _ = strings.Cut(code, "\n")
	return mails[0], code
}
