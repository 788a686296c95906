package store_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/audit"
)

// An entry of version 1 has the address in its own hash, as the first development versions
// wrote it.
func TestEntriesOfVersion1(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		e := audit.Entry{
			WorkspaceID: "ws_1", Actor: audit.Operator, Action: audit.SignedOut, Object: audit.Object{Kind: "chatbot"}, Origin: audit.Origin{Address: "192.0.2.1", RequestID: "req_1"},
			At: epoch, Seq: 1, Version: 1,
		}
		hash := e.HashAfter("")
		b.asOwner("INSERT INTO audit_entries (workspace_id, actor, action, object_kind, detail, address, request_id, at, seq, hash) VALUES ('ws_1', 'operator', 'sign_out', 'chatbot', '', '192.0.2.1', 'req_1', '2026-03-01 12:00:00+00:00', 1, '"+hash+"')",
			"INSERT INTO audit_chains (id, seq, hash) VALUES ('ws_1', 1, '"+hash+"')")
		b.act("ws_1", 1)
		if problems := b.verify(); len(problems) != 0 {
			b.Errorf("found %v", problems)
		}
		if n, err := b.ForgetAuditAddresses(b.Context(), everywhere, epoch.Add(24*time.Hour), 10); err != nil || n != 1 {
			b.Errorf("of entry 1, whose hash needs it, and entry 2 the addresses of %d are removed, %v", n, err)
		}
		if problems := b.verify(); len(problems) != 0 {
			b.Errorf("then found %v", problems)
		}
		b.unguard()
		b.asOwner("UPDATE audit_entries SET address = '' WHERE seq = 1")
		if problem := b.verify()["ws_1"]; !strings.HasPrefix(problem, "Entry 1 does not match its hash") {
			b.Errorf("found %q", problem)
		}
	})
}

func TestVerifyFindsWhatTheOwnerOfTheDatabaseDid(t *testing.T) {
	for name, c := range map[string]struct {
		did   string
		found string
	}{
		"a changed entry":             {"UPDATE audit_entries SET actor = 'somebody' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 does not match its hash"},
		"a changed time":              {"UPDATE audit_entries SET at = '2026-03-01 14:00:00+00:00' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 does not match its hash"},
		"a changed old value":         {`UPDATE audit_entries SET changes = '[{"field":"name","old":"Cafe","new":"Guide 3"}]' WHERE workspace_id = 'ws_1' AND seq = 4`, "Entry 4 does not match its hash"},
		"another address":             {"UPDATE audit_entries SET address = '192.0.2.99' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 has another network address"},
		"an address without its salt": {"UPDATE audit_entries SET address_salt = '' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 has another network address"},
		"a salt without its address":  {"UPDATE audit_entries SET address = '' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 has another network address"},
		"another address with a fitting hash": {
			"UPDATE audit_entries SET address = '192.0.2.99', address_salt = '', address_hash = '' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 does not match its hash",
		},
		"an entry that is said to be of version 1": {"UPDATE audit_entries SET version = 1 WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 does not match its hash"},
		"an entry that was moved away":             {"UPDATE audit_entries SET workspace_id = 'ws_2' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 is missing"},
		"a deletion in the middle":                 {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 is missing"},
		"several deletions":                        {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq IN (2, 3, 4)", "Entries 2 to 4 are missing"},
		"a deletion at the beginning":              {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 1", "Entry 1 is missing"},
		"a deletion at the end":                    {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq > 4", "Entries 5 to 6 are missing: the end"},
		"the deletion of all":                      {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1'", "Entries 1 to 6 are missing: the end"},
		"two that were swapped":                    {"UPDATE audit_entries SET seq = 5 - seq WHERE workspace_id = 'ws_1' AND seq IN (2, 3)", "Entry 2 does not match its hash"},
		"an entry with a number of others":         {"INSERT INTO audit_entries (workspace_id, actor, action, detail, at, seq, hash) SELECT workspace_id, 'somebody', action, detail, at, seq, hash FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 3", "There are two entries 3"},
		"an entry without a number":                {"INSERT INTO audit_entries (workspace_id, actor, action, detail, at) SELECT workspace_id, 'somebody', action, detail, at FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 3", "There is an entry without a number"},
		"an entry after the last":                  {"INSERT INTO audit_entries (workspace_id, actor, action, detail, at, seq, hash) SELECT workspace_id, actor, action, detail, at, 7, hash FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 6", "Entry 7 does not match its hash"},
		"a head that was set back":                 {"UPDATE audit_chains SET seq = 5 WHERE id = 'ws_1'", "The head of the chain is entry 5"},
		"another head":                             {"UPDATE audit_chains SET hash = 'x' WHERE id = 'ws_1'", "The head of the chain has another hash"},
		"a missing head":                           {"DELETE FROM audit_chains WHERE id = 'ws_1'", "The head of the chain is missing"},
		"a chain that is gone with all":            {"DELETE FROM audit_chains WHERE id = 'ws_1'; DELETE FROM audit_entries WHERE workspace_id = 'ws_1'", "The chain is missing, though its entry 6 was written down"},
		"an end that was cut off, head and all": {
			"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 6; UPDATE audit_chains SET seq = 5, hash = (SELECT hash FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 5) WHERE id = 'ws_1'",
			"Entry 6 was written down, but the chain ends with entry 5",
		},
		"a beginning that was taken away as if by time": {
			"UPDATE audit_chains SET kept_seq = 6, kept_hash = hash WHERE id = 'ws_1'; DELETE FROM audit_entries WHERE workspace_id = 'ws_1'",
			"Entry 6 was written down and has been deleted, though it is not old enough",
		},
		"an entry that time took away and somebody brought back": {
			"UPDATE audit_chains SET kept_seq = 2, kept_hash = (SELECT hash FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 2) WHERE id = 'ws_1'; DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 2",
			"Entry 1 was deleted for its age, and is there again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBothDatabases(t, func(b *bundle) {
				for n := range 6 {
					b.act("ws_1", n)
				}
				b.act("ws_2", 1)
				b.act("", 1)
				head, _, err := b.ChainHead(b.Context(), "ws_1")
				b.must(err)
				anchor := audit.Anchor{Chain: head.Chain, Seq: head.Seq, Hash: head.Hash, At: epoch.Add(time.Hour)}
				if problems := b.verify(anchor); len(problems) != 0 {
					b.Fatalf("found %v before anything was done", problems)
				}
				b.unguard()
				b.asOwner(strings.Split(c.did, "; ")...)
				if problem := b.verify(anchor)["ws_1"]; !strings.HasPrefix(problem, c.found) {
					b.Errorf("found %q, want %q", problem, c.found)
				}
			})
		})
	}
	t.Run("a rewritten chain, by what was written down of it", func(t *testing.T) {
		onBothDatabases(t, func(b *bundle) {
			for n := range 3 {
				b.act("ws_1", n)
			}
			entries, err := b.Chained(b.Context(), "ws_1", 0, 0, 5)
			b.must(err)
			second := entries[1]
			anchors := []audit.Anchor{
				{Chain: "ws_1", Seq: 2, Hash: second.Hash, Digest: second.Digest()},
				{Chain: "ws_1", Seq: 2, Hash: strings.Repeat("0", 64)},
			}
			if problem := b.verify(anchors[0])["ws_1"]; problem != "" {
				b.Errorf("found %q", problem)
			}
			if problem := b.verify(anchors...)["ws_1"]; !strings.HasPrefix(problem, "Entry 2 has another hash") {
				b.Errorf("found %q", problem)
			}
			anchors[0].Digest = "another"
			if problem := b.verify(anchors[0])["ws_1"]; !strings.HasPrefix(problem, "Entry 2 says something else") {
				b.Errorf("found %q", problem)
			}
		})
	})
}
