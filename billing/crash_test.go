package billing_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/billing"
	"parley/billing/stripetest"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/store"
	"parley/store/storetest"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

// childVariable makes this test binary a process that only receives events. It holds the
// child's configuration as JSON.
const childVariable = "PARLEY_TEST_BILLING_CHILD"

type childConfig struct {
	Database string
	Billing  billing.Config
	Now      time.Time
	// Dies kills the process between the commit and the answer.
	Dies bool
}

func init() {
	told := os.Getenv(childVariable)
	if told == "" {
		return
	}
	if err := runChild(told); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

// runChild serves the webhook until the process is killed.
func runChild(told string) error {
	var config childConfig
	if err := json.Unmarshal([]byte(told), &config); err != nil {
		return err
	}
	db, err := store.Open(context.Background(), config.Database)
	if err != nil {
		return err
	}
	now := func() time.Time { return config.Now }
	tenants := tenancytest.Services(db, now, tenancy.Options{Payments: subscription.Options{Grace: lifeGrace}})
	service := billing.New(config.Billing, billing.NewBooks(tenants.Subscriptions, tenants.Tenants, tenants.Audit, db), now, slog.New(slog.DiscardHandler), billing.Nop{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = service.Receive(r.Context(), body, r.Header.Get("Stripe-Signature"))
		}
		if config.Dies {
			killMyself()
		}
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
}

// killMyself is kill -9: nothing is deferred, flushed or answered.
func killMyself() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// child starts such a process and directs the webhook to it.
func (b *business) child(t *testing.T, database string, dies bool) *exec.Cmd {
	b.Helper()
	told, err := json.Marshal(childConfig{
		Database: database, Now: b.stripe.Now(), Dies: dies,
		Billing: billing.Config{Key: b.stripe.Key, WebhookSecret: b.stripe.WebhookSecret, BaseURL: b.stripe.URL},
	})
	b.must(err)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+string(told))
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	b.must(err)
	b.must(command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	b.must(err)
	b.stripe.SetWebhook(strings.TrimSpace(address))
	return command
}

// onDatabasesOfProcesses runs a test on SQLite and on PostgreSQL, with a URL that other
// processes can open.
func onDatabasesOfProcesses(t *testing.T, test func(t *testing.T, b *business, database string)) {
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return storetest.SQLite(t) },
		"postgres": func() string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := url()
			b := newBusiness(t, t, openBooks(t, database), "")
			b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
			b.comeBack(b.workspace)
			b.stripe.Take()
			test(t, b, database)
		})
	}
}

// wantOneEffect checks that a workspace's upgrade took effect exactly once since a revision
// and a length of the audit log.
func (b *business) wantOneEffect(revision, told int) {
	b.Helper()
	row := b.row(b.workspace)
	if row.Plan != plan.Premium || b.inForce(b.workspace) != plan.Premium || row.Revision != revision+1 {
		b.Errorf("the row is revision %d of %s, want %d of premium", row.Revision, row.Plan, revision+1)
	}
	if all := b.audited(b.workspace)["stripe"]; len(all) != told+1 {
		b.Errorf("the audit log has %q", all)
	}
}

func TestKilledBetweenCommitAndAnswer(t *testing.T) {
	t.Parallel()
	onDatabasesOfProcesses(t, func(t *testing.T, b *business, database string) {
		revision, told := b.row(b.workspace).Revision, len(b.audited(b.workspace)["stripe"])
		b.must(b.stripe.ChangePrice(b.customer, "parley_premium_monthly"))
		upgraded := ofType(t, b.stripe.Take(), "customer.subscription.updated")

		first := b.child(t, database, true)
		if b.stripe.Send(upgraded) != 0 {
			t.Error("a process that was killed has answered")
		}
		_ = first.Wait() // it was killed
		b.wantOneEffect(revision, told)

		second := b.child(t, database, false)
		if b.stripe.Send(upgraded) != 1 {
			t.Error("the event was not accepted when it was delivered again")
		}
		_ = second.Process.Kill()
		_ = second.Wait()
		b.wantOneEffect(revision, told)
	})
}

func TestKilledBetweenReadingAndCommit(t *testing.T) {
	t.Parallel()
	onDatabasesOfProcesses(t, func(t *testing.T, b *business, database string) {
		before, told := b.row(b.workspace), len(b.audited(b.workspace)["stripe"])
		b.must(b.stripe.ChangePrice(b.customer, "parley_premium_monthly"))
		upgraded := ofType(t, b.stripe.Take(), "customer.subscription.updated")

		first := b.child(t, database, false)
		var once sync.Once
		b.stripe.OnAnswer(func(stripetest.Request) {
			once.Do(func() {
				_ = first.Process.Kill()
				_ = first.Wait() // the answer goes to nobody
			})
		})
		if b.stripe.Send(upgraded) != 0 {
			t.Error("a process that was killed has answered")
		}
		b.stripe.OnAnswer(nil)
		if got := b.row(b.workspace); said(got) != said(before) || got.Revision != before.Revision {
			t.Errorf("something was stored: %s", said(got))
		}

		second := b.child(t, database, false)
		if b.stripe.Send(upgraded) != 1 {
			t.Error("the event was not accepted when it was delivered again")
		}
		_ = second.Process.Kill()
		_ = second.Wait()
		b.wantOneEffect(before.Revision, told)
	})
}
