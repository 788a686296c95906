package api

import (
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/fault"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/mail/mailtest"
)

func TestMails(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		stripe, post := stripetest.New(t, stripetest.Options{}), mailtest.New(t, mailtest.Options{})
		w := start(harness.PaidAt(stripe), func(c *app.Config) {
			c.SMTPURL, c.MailFrom, c.BaseURL = "smtp://"+post.Address, "Parley <parley@example.com>", "http://parley.example"
			c.TrialDays = 0
		})
		w.Sells(stripe)
		baker := w.NewTenant("baker", plan.Starter)
		customer := w.SignedIn(baker.Email, baker.Password).Buys(stripe, baker, plan.Standard)
		send := func(w *harness.Instance, after time.Duration) error {
			var err error
			w.Later(after, func(p *app.Program) { _, err = p.Tenants.Mails.Send(w.Context(), w.Server.Mails.Send) })
			return err
		}
		// arrived returns what has arrived since it was last called. The server
		// itself sends, too, and may be faster.
		seen := 0
		arrived := func(w *harness.Instance) (subjects []string, last mailtest.Mail) {
			w.Helper()
			for _, mail := range post.Mails()[seen:] {
				message, err := netmail.ReadMessage(strings.NewReader(mail.Data))
				w.Must(err)
				subjects, last = append(subjects, message.Header.Get("Subject")), mail
				seen++
			}
			return subjects, last
		}
		// comes sends what is due after a while, until something arrives.
		comes := func(w *harness.Instance, after time.Duration) (subjects []string, last mailtest.Mail) {
			w.Helper()
			w.Eventually("a mail arrives", func() bool {
				w.Must(send(w, after))
				return len(post.Mails()) > seen
			})
			return arrived(w)
		}

		t.Run("an owner is told at once that the plan will end, with a link", func(t *testing.T) {
			w := w.Within(t)
			stripe.CancelAtPeriodEnd(customer, true)
			w.Delivers(stripe)
			subjects, mail := comes(w, 0)
			if len(subjects) != 1 || !strings.HasPrefix(subjects[0], "The Standard plan of baker ends on ") || mail.To != baker.Email {
				t.Fatalf("to %s came %q", mail.To, subjects)
			}
			if link := "http://parley.example/workspaces/" + baker.Workspace + "/billing"; !strings.Contains(mail.Data, link) {
				t.Errorf("there is no link %s in %s", link, mail.Data)
			}
		})
		t.Run("no mail is sent twice", func(t *testing.T) {
			w := w.Within(t)
			w.Must(send(w, time.Hour))
			if again, _ := arrived(w); len(again) != 0 {
				t.Errorf("again came %q", again)
			}
		})
		t.Run("whoever resumes gets no further mail, and a failed payment is mailed with its date", func(t *testing.T) {
			w := w.Within(t)
			stripe.CancelAtPeriodEnd(customer, false)
			stripe.FailPayments(customer, true)
			stripe.Advance(32 * 24 * time.Hour)
			w.Delivers(stripe)
			post.Refuse(450)
			if err := send(w, 0); err != nil && !fault.Is(err, fault.Upstream) { // nil: the server itself was faster
				t.Errorf("with a server that is busy, sending ends with %v", err)
			}
			if came, _ := arrived(w); len(came) != 0 {
				t.Errorf("the busy server took %q", came)
			}
			post.Refuse(0)
			subjects, mail := comes(w, time.Hour)
			if len(subjects) != 1 || subjects[0] != "A payment for baker failed" || !strings.Contains(mail.Data, "The plan goes on until") {
				t.Errorf("came %q: %s", subjects, mail.Data)
			}
		})
	})
}
