package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/store"
)

// collected reads a list to its end.
func collected[Row any](list iter.Seq2[Row, error]) (all []Row, err error) {
	for row, err := range list {
		if err != nil {
			return all, err
		}
		all = append(all, row)
	}
	return all, nil
}

// numbered is a list of the numbers from 1, with what was asked of it.
type numbered struct {
	rows  int
	fails error
	asked []int
}

func (n *numbered) all(ctx context.Context) iter.Seq2[int, error] {
	return store.InKeyOrder(ctx, func(_ context.Context, after int) (rows []int, err error) {
		n.asked = append(n.asked, after)
		if after > 0 && n.fails != nil {
			return nil, n.fails
		}
		for row := after + 1; row <= min(after+store.PortionRows, n.rows); row++ {
			rows = append(rows, row)
		}
		return rows, nil
	}, func(row int) int { return row })
}

func TestInKeyOrder(t *testing.T) {
	for rows, statements := range map[int]int{0: 1, 1: 1, store.PortionRows - 1: 1, store.PortionRows: 2, store.PortionRows + 1: 2, 3 * store.PortionRows: 4} {
		t.Run(fmt.Sprintf("%d rows take %d statements", rows, statements), func(t *testing.T) {
			n := &numbered{rows: rows}
			got, err := collected(n.all(t.Context()))
			if err != nil || len(got) != rows || !slices.IsSorted(got) || len(slices.Compact(got)) != rows {
				t.Errorf("%d rows came, want each of %d once: %v", len(got), rows, err)
			}
			if len(n.asked) != statements {
				t.Errorf("statements began after %v", n.asked)
			}
		})
	}
	t.Run("a portion is read when the one before it was gone through", func(t *testing.T) {
		n := &numbered{rows: 3 * store.PortionRows}
		for row := range n.all(t.Context()) {
			if row == store.PortionRows+1 {
				break
			}
		}
		if want := []int{0, store.PortionRows}; !slices.Equal(n.asked, want) {
			t.Errorf("statements began after %v, want %v", n.asked, want)
		}
	})
	t.Run("the list ends with its first error", func(t *testing.T) {
		n := &numbered{rows: 3 * store.PortionRows, fails: errTest}
		got, err := collected(n.all(t.Context()))
		if !errors.Is(err, errTest) || len(got) != store.PortionRows {
			t.Errorf("%d rows came, and %v", len(got), err)
		}
	})
	t.Run("no portion is begun for a caller that was told to stop", func(t *testing.T) {
		n := &numbered{rows: 3 * store.PortionRows}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got, err := collected(n.all(ctx))
		if !errors.Is(err, context.Canceled) || len(got) != store.PortionRows || len(n.asked) != 1 {
			t.Errorf("%d rows came in %d statements, and %v", len(got), len(n.asked), err)
		}
	})
}

func TestListsLongerThanAPortion(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with a document and a receipt
		ctx := b.Context()
		const more = store.PortionRows + 5
		b.must(b.InTx(ctx, func(ctx context.Context) error {
			for i := range more {
				d := a.newDocument(fmt.Sprintf("doc_more_%04d", i))
				d.InputHash = d.ID
				r := a.newRemoval(fmt.Sprintf("doc_was_%04d", i))
				r.ID = fmt.Sprintf("rm_more_%04d", i)
				if err := errors.Join(b.CreateDocument(ctx, a.id, d), b.CreateRemoval(ctx, a.id, r)); err != nil {
					return err
				}
			}
			return nil
		}))
		known, err := b.Documents(ctx, a.id, a.chatbot)
		b.must(err)

		b.Run("each document is read once", func(t *testing.T) {
			for name, list := range map[string]iter.Seq2[knowledge.Document, error]{"all": b.AllDocuments(ctx, everywhere), "changed": b.ChangedDocuments(ctx, everywhere, epoch)} {
				wantOnce(t, name, list, func(d knowledge.Document) string { return d.ID }, len(known))
			}
		})
		b.Run("each receipt is read once", func(t *testing.T) {
			wantOnce(t, "removals", b.RemovalsSince(ctx, everywhere, epoch), func(r knowledge.Removal) string { return r.ID }, more+1)
		})
		b.Run("a document that is removed on the way keeps no other from being read", func(t *testing.T) {
			read := 0
			for d, err := range b.AllDocuments(ctx, everywhere) {
				b.must(err)
				b.must(b.DeleteDocument(ctx, a.id, d.ID))
				read++
			}
			if read != len(known) {
				t.Errorf("%d were read, want %d", read, len(known))
			}
		})
		b.Run("each chatbot of every workspace is read once", func(t *testing.T) {
			other := b.fill("b")
			want := map[retrieval.Scope]bool{{WorkspaceID: a.id, ChatbotID: a.chatbot}: true, {WorkspaceID: other.id, ChatbotID: other.chatbot}: true}
			for scope, err := range b.AllChatbots(ctx, everywhere) {
				b.must(err)
				if !want[scope] {
					t.Errorf("%v is read once too often, or is none", scope)
				}
				delete(want, scope)
			}
			if len(want) > 0 {
				t.Errorf("%v are not read", want)
			}
		})
	})
}

func TestListsOfWorkspaces(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()
		const all = 2*store.PortionRows + 5
		ended, oldest := epoch.Add(-time.Hour), epoch.AddDate(0, 0, -40)
		b.must(b.InTx(ctx, func(ctx context.Context) error {
			for i := range all {
				id := fmt.Sprintf("%04d", i*7%all) // not in the order in which they come
				w := tenant.Workspace{ID: "ws_" + id, Name: "Bakery", Plan: plan.Starter, CreatedAt: epoch.Add(time.Duration(i/3) * time.Second)}
				u := account.User{ID: "usr_" + id, Email: id + "@example.com", CreatedAt: w.CreatedAt}
				s := subscription.Subscription{CustomerID: "cus_" + id, CustomerStale: true, Access: plan.Access{Plan: plan.Basic, Until: &ended}}
				if i%2 == 0 {
					s.Access.Until = nil
				}
				if err := errors.Join(b.CreateWorkspace(ctx, w), b.SetGrantEnd(ctx, w.ID, &ended), b.CreateUser(ctx, u), b.SaveSubscription(ctx, w.ID, s)); err != nil {
					return err
				}
			}
			return nil
		}))
		// One of the last portion has something of everything.
		const busy = "ws_2003"
		b.must(b.CreateChatbot(ctx, busy, chatbot.Chatbot{ID: "cb_1", WorkspaceID: busy, CreatedAt: oldest}))
		_, err := b.CreateConversation(ctx, busy, chat.Conversation{ChatbotID: "cb_1", CreatedAt: oldest})
		b.must(err)
		for i := range store.PortionRows + 5 {
			id := fmt.Sprintf("tok_%04d", i)
			token := chatbot.Token{ID: id, ChatbotID: "cb_1", Kind: chatbot.PublishableToken, CreatedAt: epoch}
			token.Origins = []string{"https://shop.example", "https://" + id + ".example"}
			b.must(b.CreateToken(ctx, busy, token, id))
		}
		b.must(b.AddQuotaNotice(ctx, busy, "2026-03", 80, epoch))

		b.Run("workspaces and users are read once, oldest first", func(t *testing.T) {
			wantOnce(t, "workspaces", b.Workspaces(ctx, everywhere), func(w tenant.Workspace) string { return w.ID }, all)
			wantOnce(t, "users", b.Users(ctx), func(u account.User) string { return u.ID }, all)
			before := time.Time{}
			for w, err := range b.Workspaces(ctx, everywhere) {
				b.must(err)
				if w.CreatedAt.Before(before) {
					t.Fatalf("%s of %v comes after one of %v", w.ID, w.CreatedAt, before)
				}
				before = w.CreatedAt
			}
		})
		b.Run("subscriptions are read once", func(t *testing.T) {
			for name, list := range map[string]iter.Seq2[subscription.Subscription, error]{
				"all": b.Subscriptions(ctx, everywhere), "stale": b.StaleCustomers(ctx, everywhere), "endless": b.EndlessAccess(ctx, everywhere),
			} {
				wantOnce(t, name, list, func(s subscription.Subscription) string { return s.WorkspaceID }, all)
			}
			wantOnce(t, "lapsed", b.LapsedAccess(ctx, everywhere, epoch), func(id string) string { return id }, all/2)
		})
		b.Run("grants that have ended are read once", func(t *testing.T) {
			wantOnce(t, "grants", b.EndedGrants(ctx, everywhere, epoch), func(id string) string { return id }, all)
		})
		b.Run("how long conversations are kept is read once, with the oldest there is", func(t *testing.T) {
			wantOnce(t, "retentions", b.Retentions(ctx, everywhere), func(w chat.Forgetful) string { return w.WorkspaceID }, all)
			for w, err := range b.Retentions(ctx, everywhere) {
				b.must(err)
				if w.WorkspaceID == busy && !w.Oldest.Equal(oldest) || w.WorkspaceID != busy && !w.Oldest.IsZero() {
					t.Errorf("the oldest of %s is of %v", w.WorkspaceID, w.Oldest)
				}
			}
		})
		b.Run("messages used are read once", func(t *testing.T) {
			wantOnce(t, "quotas", b.Quotas(ctx, everywhere, "2026-03"), func(u tenant.QuotaUse) string { return u.WorkspaceID }, all)
			for u, err := range b.Quotas(ctx, everywhere, "2026-03") {
				b.must(err)
				if (u.WorkspaceID == busy) != (u.Told == 80) {
					t.Errorf("the owners of %s were told of %d", u.WorkspaceID, u.Told)
				}
			}
		})
	})
}

func TestSettling(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with a chatbot, a member and a token
		ctx := b.Context()
		maybe := func(name plan.Name) bool {
			b.Helper()
			b.must(b.SetPlan(ctx, a.id, name, name))
			all, err := collected(b.Settling(ctx, everywhere))
			b.must(err)
			if len(all) != 1 || all[0].WorkspaceID != a.id || all[0].Plan != name {
				b.Fatalf("got %+v", all)
			}
			return all[0].Maybe
		}
		held, err := b.Holdings(ctx, a.id)
		b.must(err)
		b.Run("nothing is to settle in a workspace within its plan, in which nothing is suspended", func(t *testing.T) {
			if maybe(plan.Enterprise) {
				t.Errorf("there is, of %+v", held)
			}
		})
		for _, h := range held {
			b.Run(fmt.Sprintf("there may be when a holding of the resource %d is suspended", h.Resource), func(t *testing.T) {
				b.must(b.SetOverLimit(ctx, a.id, h.Resource, []string{h.ID}))
				if !maybe(plan.Enterprise) {
					t.Error("there is not")
				}
				b.must(b.SetOverLimit(ctx, a.id, h.Resource, nil))
				if maybe(plan.Enterprise) {
					t.Error("there still is")
				}
			})
		}
		for name, lower := range map[string]func(*plan.Limits, int){
			"chatbots": func(l *plan.Limits, n int) { l.Chatbots = n }, "members": func(l *plan.Limits, n int) { l.Members = n },
			"tokens": func(l *plan.Limits, n int) { l.TokensPerChatbot = n },
		} {
			b.Run("there may be when the plan includes fewer "+name, func(t *testing.T) {
				stored, err := b.Plan(ctx, plan.Enterprise)
				b.must(err)
				none := stored
				lower(&none.Limits, 0)
				b.must(b.UpdatePlan(ctx, none))
				if !maybe(plan.Enterprise) {
					t.Error("there is not")
				}
				b.must(b.UpdatePlan(ctx, stored))
			})
		}
	})
}

// TestSettlingAPortion reads workspaces in which nothing is to settle, although there may
// be: each has a token that has expired beyond the one that its plan includes.
func TestSettlingAPortion(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()
		const workspaces = 250 // three chunks
		limited, err := b.Plan(ctx, plan.Basic)
		b.must(err)
		limited.Limits.TokensPerChatbot = 1
		b.must(b.UpdatePlan(ctx, limited))
		b.must(b.CreateUser(ctx, newUser("usr_owner")))
		b.must(b.InTx(ctx, func(ctx context.Context) error {
			for i := range workspaces {
				id := fmt.Sprintf("%04d", i)
				err := errors.Join(
					b.CreateWorkspace(ctx, tenant.Workspace{ID: "ws_" + id, Plan: plan.Basic, CreatedAt: epoch}),
					b.CreateChatbot(ctx, "ws_"+id, chatbot.Chatbot{ID: "cb_" + id, CreatedAt: epoch}),
					b.AddMember(ctx, "ws_"+id, tenant.Member{UserID: "usr_owner", Role: tenant.RoleOwner, CreatedAt: epoch}),
					b.CreateToken(ctx, "ws_"+id, chatbot.Token{ID: "tok_" + id, ChatbotID: "cb_" + id, CreatedAt: epoch}, "hash "+id),
					b.CreateToken(ctx, "ws_"+id, chatbot.Token{ID: "tok_expired_" + id, ChatbotID: "cb_" + id, ExpiresAt: &epoch, CreatedAt: epoch}, "expired hash "+id),
				)
				if err != nil {
					return err
				}
			}
			return nil
		}))
		statements := store.CountStatements(b.Store)
		all, err := collected(b.Settling(ctx, everywhere))
		b.must(err)
		b.Run("what they hold is read a hundred workspaces at a time", func(t *testing.T) {
			const each = 4 // of chatbots, members with their users, and tokens
			if n := statements.Load(); n != 1+3*each {
				t.Errorf("it took %d statements", n)
			}
		})
		b.Run("each has what it holds when it is read alone", func(t *testing.T) {
			if len(all) != workspaces {
				t.Fatalf("%d were read", len(all))
			}
			for _, w := range []tenant.Settling{all[0], all[100], all[workspaces-1]} {
				alone, err := b.Holdings(ctx, w.WorkspaceID)
				if err != nil || !w.Maybe || len(alone) != 4 || !reflect.DeepEqual(w.Holdings, alone) {
					t.Errorf("%s has %+v, want %+v: %v", w.WorkspaceID, w.Holdings, alone, err)
				}
			}
		})
	})
}

// wantOnce fails unless a list has so many rows, each with a key of its own.
func wantOnce[Row any](t *testing.T, what string, list iter.Seq2[Row, error], key func(Row) string, want int) {
	t.Helper()
	rows, err := collected(list)
	keys := map[string]bool{}
	for _, row := range rows {
		keys[key(row)] = true
	}
	if err != nil || len(rows) != want || len(keys) != want {
		t.Errorf("%s: %d rows with %d keys, want %d: %v", what, len(rows), len(keys), want, err)
	}
}
