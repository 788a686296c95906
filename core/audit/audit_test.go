package audit_test

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
)

type logged []audit.Entry

func (l *logged) AddAudit(_ context.Context, _ string, entry audit.Entry) error {
	*l = append(*l, entry)
	return nil
}

func TestRecord(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	record := func(ctx context.Context, entry audit.Entry) audit.Entry {
		var kept logged
		if err := audit.Record(ctx, &kept, "ws_1", at, entry); err != nil {
			t.Fatal(err)
		}
		return kept[0]
	}
	t.Run("the actor and the origin are the context's, the time is UTC", func(t *testing.T) {
		origin := audit.Origin{Address: "192.0.2.1", RequestID: "req_1"}
		ctx := audit.As(audit.From(t.Context(), origin), audit.Person("usr_1", "ada@example.com"))
		got := record(ctx, audit.Entry{Actor: audit.Operator, Action: audit.SignedIn})
		if got.Actor != audit.Person("usr_1", "ada@example.com") || got.Origin != origin || got.WorkspaceID != "ws_1" ||
			got.At.Location() != time.UTC || !got.At.Equal(at) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("where nobody acts it is the program", func(t *testing.T) {
		if got := record(t.Context(), audit.Entry{}); got.Actor != audit.System {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a visitor who signs in becomes the actor, an operator stays the actor", func(t *testing.T) {
		ada := audit.Person("usr_1", "ada@example.com")
		for actor, want := range map[audit.Actor]audit.Actor{audit.Visitor: ada, audit.Operator: audit.Operator} {
			if got := audit.ActorOf(audit.AsPerson(audit.As(t.Context(), actor), "usr_1", "ada@example.com")); got != want {
				t.Errorf("%v became %v", actor, got)
			}
		}
	})
	t.Run("no text is too long for the database, and no entry has too many changes", func(t *testing.T) {
		long := strings.Repeat("ß", 5000)
		got := record(t.Context(), audit.Entry{
			Object: audit.Object{Name: long}, Detail: long, Changes: make([]audit.Change, 500),
		})
		if len(got.Object.Name) > 400 || len(got.Detail) > 2000 || len(got.Changes) != audit.MaxChanges {
			t.Errorf("%d bytes, %d bytes, %d changes", len(got.Object.Name), len(got.Detail), len(got.Changes))
		}
	})
}

type inner struct {
	ProviderID string
	Rate       *float64
}

type before struct {
	ID    string
	Name  string
	Text  string
	Hosts []string
	Model inner
}

type after struct {
	Name     string
	Text     string
	Hosts    []string
	Model    inner
	MaxItems int
}

func TestDifferences(t *testing.T) {
	half := 0.5
	old := before{ID: "1", Name: "Old", Text: "secret", Hosts: []string{"a"}}
	now := after{Name: "New", Text: "another secret", Hosts: []string{"a", "b"}, Model: inner{"mp_1", &half}}
	t.Run("fields that differ are told, withheld ones without their values", func(t *testing.T) {
		want := []audit.Change{
			{Field: "name", Old: "Old", New: "New"},
			{Field: "text"},
			{Field: "hosts", Old: "a", New: "a, b"},
			{Field: "model.provider_id", New: "mp_1"},
			{Field: "model.rate", New: "0.5"},
		}
		if got := audit.Differences(old, now, "Text"); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("an equal value, or nil instead of empty, is no change", func(t *testing.T) {
		same := after{Name: "Old", Text: "secret", Hosts: []string{"a"}}
		if got := audit.Differences(old, same); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		if got := audit.Differences(after{}, after{Hosts: []string{}}); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range audit.Actions() {
		if !strings.Contains(string(text), "`"+string(action)+"`") {
			t.Errorf("docs/audit.md does not have the action %s", action)
		}
	}
}

func TestProgram(t *testing.T) {
	if got := audit.Program("Website", "parley_a1b2…y9z0").Name; got != "API token Website (parley_a1b2…y9z0)" {
		t.Errorf("it is %q", got)
	}
	if got := audit.Program(strings.Repeat("🤖", 100), "parley_pub_a1b2…y9z0").Name; len(got) > 320 || !strings.HasSuffix(got, "… (parley_pub_a1b2…y9z0)") {
		t.Errorf("the name of %d bytes is %q", len(got), got)
	}
}
