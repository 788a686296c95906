package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
)

func TestAddressesAreForgotten(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx, old, young := b.Context(), time.Now().Add(-29*24*time.Hour), time.Now().Add(-20*24*time.Hour)
		enter := func(workspaceID, address string, at time.Time) {
			b.must(b.AddAudit(ctx, workspaceID, audit.Entry{Actor: audit.Operator, Action: audit.SignedOut, Origin: audit.Origin{Address: address, RequestID: "req_1"}, At: at}))
		}
		b.asOwner("INSERT INTO audit_entries (workspace_id, actor, action, detail, address, at) VALUES ('ws_1', 'system', 'sign_out', '', '192.0.2.50', '2026-01-01 00:00:00+00:00')")
		enter("ws_1", "192.0.2.1", old)
		enter("ws_1", "", old)
		enter("", "2001:db8::1", old)
		enter("ws_1", "192.0.2.2", young)
		enter("ws_1", "192.0.2.3", time.Now())
		exported, err := b.Audit(ctx, "ws_1", audit.Filter{Limit: 10})
		b.must(err)
		verify := func() string {
			return fmt.Sprint(b.verifyAt(time.Now()))
		}
		addresses := func() (all []string) {
			entries, err := b.AuditEntries(ctx, everywhere, audit.Query{Limit: 10})
			b.must(err)
			for _, e := range entries {
				all = append(all, e.Origin.Address+e.AddressSalt)
			}
			return all
		}

		b.Run("those of the oldest go first, in portions, with their salts, of every workspace and of none", func(t *testing.T) {
			for _, want := range []int{2, 1, 0} {
				if n, err := b.ForgetAuditAddresses(ctx, everywhere, time.Now().Add(-audit.AddressesKept), 2); err != nil || n != want {
					t.Fatalf("%d are removed, want %d: %v", n, want, err)
				}
			}
			left := addresses()
			for i, want := range []string{"192.0.2.3", "192.0.2.2", "", "", "", "", ""} {
				if !strings.HasPrefix(left[i], want) || want == "" && left[i] != "" {
					t.Errorf("left are %q", left)
				}
			}
		})
		b.Run("the chain verifies, and says from how many", func(t *testing.T) {
			if problems := verify(); problems != "map[]" {
				t.Errorf("found %s", problems)
			}
			verdict, err := audit.NewVerifier(b.ofAudit, everywhere, time.Now(), 400).Chain(ctx, "ws_1", nil)
			if err != nil || verdict.Unaddressed != 1 || verdict.Checked != 5 || verdict.Unchained != 1 {
				t.Errorf("the verdict is %+v, %v", verdict, err)
			}
		})
		b.Run("what was exported while the address was there still compares", func(t *testing.T) {
			var anchors []audit.Anchor
			for _, e := range exported {
				if e.Seq > 0 {
					anchors = append(anchors, audit.Anchor{Chain: "ws_1", Seq: e.Seq, Hash: e.Hash, Digest: e.Digest(), At: e.At})
				}
			}
			if problems := b.verifyAt(time.Now(), anchors...); len(problems) != 0 || len(anchors) != 5 {
				t.Errorf("of %d found %v", len(anchors), problems)
			}
		})
		b.Run("a clock that is ahead removes none that is young", func(t *testing.T) {
			before := fmt.Sprint(addresses())
			if n, err := b.ForgetAuditAddresses(ctx, everywhere, time.Now().Add(time.Hour), 10); err == nil || fmt.Sprint(addresses()) != before {
				t.Errorf("%d are removed", n)
			}
		})
		b.Run("the owner of the database removes none unnoticed before its time", func(t *testing.T) {
			b.unguard()
			b.asOwner("UPDATE audit_entries SET address = '', address_salt = '' WHERE workspace_id = 'ws_1' AND seq = 4")
			if problems := verify(); !strings.Contains(problems, "Entry 4 has lost its network address, though it is not old enough") {
				t.Errorf("found %s", problems)
			}
		})
	})
}
