package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
)

func TestHash(t *testing.T) {
	entry := audit.Entry{
		WorkspaceID: "ws_1", At: time.Date(2026, 3, 1, 13, 0, 0, 500000000, time.FixedZone("", 3600)), Actor: audit.Person("usr_1", "ada@example.com"),
		Action: audit.ChatbotChanged, Object: audit.Object{Kind: "chatbot", ID: "cb_1", Name: "Café"}, Detail: "Said.",
		Changes: []audit.Change{{Field: "name", Old: "Old", New: "Café"}}, Origin: audit.Origin{Address: "192.0.2.1", RequestID: "req_1"},
		AddressHash: strings.Repeat("0", 64), Version: 2, Seq: 12,
	}
	sum := func(text string) string {
		digest := sha256.Sum256([]byte(text))
		return hex.EncodeToString(digest[:])
	}
	t.Run("it is what docs/audit.md describes", func(t *testing.T) {
		digest := sum("14:parley audit 2,4:ws_1,2:12,22:2026-03-01T12:00:00.5Z,15:ada@example.com,5:usr_1,15:chatbot.changed,7:chatbot,4:cb_1,5:Café,5:Said.,64:" + entry.AddressHash + ",5:req_1,4:name,3:Old,5:Café,")
		if entry.Digest() != digest {
			t.Errorf("the digest is %s", entry.Digest())
		}
		if got := entry.HashAfter("abc"); got != sum("3:abc,64:"+digest+",") {
			t.Errorf("the hash is %s", got)
		}
	})
	t.Run("that of version 1 has the address itself", func(t *testing.T) {
		first := entry
		first.Version, first.AddressHash = 1, ""
		digest := sum("14:parley audit 1,4:ws_1,2:12,22:2026-03-01T12:00:00.5Z,15:ada@example.com,5:usr_1,15:chatbot.changed,7:chatbot,4:cb_1,5:Café,5:Said.,9:192.0.2.1,5:req_1,4:name,3:Old,5:Café,")
		if first.Digest() != digest || first.AddressState() != audit.AddressThere {
			t.Errorf("the digest is %s, the state %d", first.Digest(), first.AddressState())
		}
	})
	t.Run("every field that an entry has changes it, but for the id that the database gives, the hash itself, and what the hash of the address is made of", func(t *testing.T) {
		changed := map[string]func(*audit.Entry){
			"WorkspaceID": func(e *audit.Entry) { e.WorkspaceID = "" }, "At": func(e *audit.Entry) { e.At = e.At.Add(time.Microsecond) },
			"Actor": func(e *audit.Entry) { e.Actor.UserID = "usr_2" }, "Action": func(e *audit.Entry) { e.Action = audit.ChatbotDeleted },
			"Object": func(e *audit.Entry) { e.Object.Name = "Cafe" }, "Detail": func(e *audit.Entry) { e.Detail = "" },
			"Changes": func(e *audit.Entry) { e.Changes = nil }, "Origin": func(e *audit.Entry) { e.Origin.RequestID = "req_2" },
			"AddressHash": func(e *audit.Entry) { e.AddressHash = strings.Repeat("1", 64) }, "Version": func(e *audit.Entry) { e.Version = 3 },
			"Seq": func(e *audit.Entry) { e.Seq++ },
		}
		fields := reflect.TypeFor[audit.Entry]()
		for i := range fields.NumField() {
			name := fields.Field(i).Name
			if name == "ID" || name == "Hash" || name == "AddressSalt" {
				continue
			}
			other := entry
			if changed[name] == nil {
				t.Fatalf("the hash says nothing of %s", name)
			}
			if changed[name](&other); other.Digest() == entry.Digest() {
				t.Errorf("%s may change unnoticed", name)
			}
		}
	})
	t.Run("a text cannot move from one field to the next", func(t *testing.T) {
		moved := entry
		moved.Object.ID, moved.Object.Name = "cb_1,5:Ca", "fé"
		if moved.Digest() == entry.Digest() {
			t.Error("it moved")
		}
	})
	t.Run("what no database keeps is replaced before it is hashed", func(t *testing.T) {
		var kept logged
		bad := audit.Entry{Object: audit.Object{ID: "a\x00b", Name: "a\xffb"}, Detail: "a\xffb", Changes: []audit.Change{{Field: "f", Old: "\x00", New: "\xff"}}}
		if err := audit.Record(t.Context(), &kept, "", time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC), bad); err != nil {
			t.Fatal(err)
		}
		got := kept[0]
		if got.Object.ID != "ab" || got.Object.Name != "a\uFFFDb" || got.Detail != "a\uFFFDb" || got.Changes[0].Old != "" || got.Changes[0].New != "\uFFFD" || got.At.Nanosecond() != 123456000 {
			t.Errorf("it is %+v", got)
		}
		if strings.ContainsRune(got.Detail, 0) {
			t.Error("it has a NUL")
		}
	})
}

func TestAddressOfAnEntry(t *testing.T) {
	append1 := func(address string) audit.Entry {
		head, entries := audit.Head{Chain: "ws_1"}, []audit.Entry{{WorkspaceID: "ws_1", Origin: audit.Origin{Address: address}}}
		if err := head.Append(entries, strings.NewReader("sixteen bytes ...")); err != nil {
			t.Fatal(err)
		}
		return entries[0]
	}
	t.Run("its hash is what docs/audit.md describes", func(t *testing.T) {
		e := append1("192.0.2.1")
		salt := hex.EncodeToString([]byte("sixteen bytes .."))
		sum := sha256.Sum256([]byte("20:parley audit address,32:" + salt + ",9:192.0.2.1,"))
		if e.AddressSalt != salt || e.AddressHash != hex.EncodeToString(sum[:]) || e.Version != audit.HashVersion {
			t.Errorf("it is %+v", e)
		}
	})
	t.Run("without randomness there is no entry", func(t *testing.T) {
		head := audit.Head{Chain: "ws_1"}
		if err := head.Append([]audit.Entry{{Origin: audit.Origin{Address: "192.0.2.1"}}}, strings.NewReader("short")); err == nil || head.Seq != 0 {
			t.Errorf("%v, the head is %+v", err, head)
		}
	})
	for sentence, c := range map[string]struct {
		address string
		does    func(*audit.Entry)
		want    audit.AddressState
	}{
		"as it was written it is there":           {"192.0.2.1", func(*audit.Entry) {}, audit.AddressThere},
		"an entry without one has none":           {"", func(*audit.Entry) {}, audit.AddressNone},
		"with its salt it is removed":             {"192.0.2.1", func(e *audit.Entry) { e.Origin.Address, e.AddressSalt = "", "" }, audit.AddressRemoved},
		"without its salt it is another":          {"192.0.2.1", func(e *audit.Entry) { e.Origin.Address = "" }, audit.AddressAltered},
		"a salt alone is not taken away":          {"192.0.2.1", func(e *audit.Entry) { e.AddressSalt = "" }, audit.AddressAltered},
		"another is noticed":                      {"192.0.2.1", func(e *audit.Entry) { e.Origin.Address = "192.0.2.2" }, audit.AddressAltered},
		"one that was added is noticed":           {"", func(e *audit.Entry) { e.Origin.Address = "192.0.2.2" }, audit.AddressAltered},
		"one that is put back must be the former": {"192.0.2.1", func(e *audit.Entry) { e.AddressSalt = strings.Repeat("0", 32) }, audit.AddressAltered},
	} {
		t.Run(sentence, func(t *testing.T) {
			e := append1(c.address)
			digest := e.Digest()
			if c.does(&e); e.AddressState() != c.want || e.Digest() != digest {
				t.Errorf("the state is %d, and the digest %s", e.AddressState(), e.Digest())
			}
		})
	}
}
