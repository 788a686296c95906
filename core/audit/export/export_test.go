package export_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/audit/export"
)

var entry = audit.Entry{
	ID: 7, WorkspaceID: "ws_1", At: time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC), Actor: audit.Person("usr_1", "=ada@example.com"),
	Action: audit.ChatbotChanged, Object: audit.Object{Kind: "chatbot", ID: "cb_1", Name: "@SUM(A1)"}, Detail: "-1 <b>\nLine",
	Changes: []audit.Change{{Field: "name", Old: "Café", New: "+1; \"two\""}, {Field: "instructions"}},
	Origin:  audit.Origin{Address: "2001:db8::1", RequestID: "req_1"},
}

// sealed is the entry as the first of a chain.
func sealed() audit.Entry {
	head, entries := audit.Head{Chain: "ws_1"}, []audit.Entry{entry}
	if err := head.Append(entries, strings.NewReader("sixteen bytes ..")); err != nil {
		panic(err)
	}
	return entries[0]
}

func all(entries ...audit.Entry) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestJSONL(t *testing.T) {
	text, err := io.ReadAll(export.NewReader(all(sealed(), sealed()), export.JSONL))
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Run("a line starts with what tells it from others", func(t *testing.T) {
		if !strings.HasPrefix(string(text), `{"audit":1,"id":7,"at":"2026-03-01T12:00:00.123456Z","workspace_id":"ws_1",`) {
			t.Errorf("it is %s", text)
		}
	})
	t.Run("what is read back is the same entry, with the digest that was hashed", func(t *testing.T) {
		anchors, err := export.ReadAnchors(bytes.NewReader(text))
		want := audit.Anchor{Chain: "ws_1", Seq: 1, Hash: sealed().Hash, Digest: sealed().Digest(), At: entry.At}
		if err != nil || !reflect.DeepEqual(anchors, map[string][]audit.Anchor{"ws_1": {want, want}}) {
			t.Errorf("%v, %+v", err, anchors)
		}
	})
	t.Run("another address in the file is noticed, and one that was removed is not missed", func(t *testing.T) {
		line, _, _ := strings.Cut(string(text), "\n")
		removed := strings.NewReplacer(`"address":"2001:db8::1"`, `"address":""`, sealed().AddressSalt, "").Replace(line)
		for text, altered := range map[string]bool{line: false, strings.ReplaceAll(line, "2001:db8::1", "2001:db8::2"): true, removed: false} {
			anchors, err := export.ReadAnchors(strings.NewReader(text))
			if err != nil || anchors["ws_1"][0].Altered != altered || anchors["ws_1"][0].Digest != sealed().Digest() {
				t.Errorf("%s gives %+v, %v", text, anchors, err)
			}
		}
	})
	t.Run("a line from before addresses could be removed is of version 1", func(t *testing.T) {
		first := entry
		first.Seq, first.Version = 1, 1
		line := `{"audit":1,"id":7,"at":"2026-03-01T12:00:00.123456Z","workspace_id":"ws_1","actor":"=ada@example.com","user_id":"usr_1","action":"chatbot.changed","object":{"kind":"chatbot","id":"cb_1","name":"@SUM(A1)"},` +
			`"detail":"-1 <b>\nLine","changes":[{"field":"name","old":"Café","new":"+1; \"two\""},{"field":"instructions","old":"","new":""}],"address":"2001:db8::1","request_id":"req_1","seq":1,"hash":"abc"}`
		anchors, err := export.ReadAnchors(strings.NewReader(line))
		if err != nil || anchors["ws_1"][0].Digest != first.Digest() || anchors["ws_1"][0].Altered {
			t.Errorf("%+v, %v", anchors, err)
		}
	})
	t.Run("heads are read as an array, and as lines", func(t *testing.T) {
		const head = `{"chain":"-","seq":3,"hash":"abc","at":null}`
		for _, text := range []string{head, "\n [" + head + "]", head + "\n"} {
			anchors, err := export.ReadAnchors(strings.NewReader(text))
			if err != nil || !reflect.DeepEqual(anchors["-"], []audit.Anchor{{Chain: "-", Seq: 3, Hash: "abc"}}) {
				t.Errorf("%q: %v, %+v", text, err, anchors)
			}
		}
	})
	t.Run("what is neither is refused", func(t *testing.T) {
		for _, text := range []string{"", "[]", "Parley is at http://127.0.0.1", `{"id":1}`, `{"action":"sign_out","seq":2}`, `[{"chain":"-","seq":"3"}]`} {
			if anchors, err := export.ReadAnchors(strings.NewReader(text)); err == nil {
				t.Errorf("%q is read as %+v", text, anchors)
			}
		}
	})
}

func TestCSV(t *testing.T) {
	text, err := io.ReadAll(export.NewReader(all(sealed()), export.CSV))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%v\n%s", err, text)
	}
	cells := map[string]string{}
	for i, name := range rows[0] {
		cells[name] = rows[1][i]
	}
	for name, want := range map[string]string{
		"actor": "'=ada@example.com", "object_name": "'@SUM(A1)", "detail": "'-1 <b>\nLine", "at": "2026-03-01T12:00:00.123456Z",
		"changes": `name: "Café" → "+1; \"two\""; instructions: "" → ""`, "seq": "1", "hash": sealed().Hash,
	} {
		if cells[name] != want {
			t.Errorf("%s is %q, want %q", name, cells[name], want)
		}
	}
}

func TestReader(t *testing.T) {
	t.Run("entries are asked for as they are read, and no further once it is closed", func(t *testing.T) {
		asked, stopped := 0, false
		from := export.NewReader(func(yield func(audit.Entry, error) bool) {
			defer func() { stopped = true }()
			for yield(sealed(), nil) {
				asked++
			}
		}, export.JSONL)
		if _, err := from.Read(make([]byte, 1)); err != nil || asked > 200 {
			t.Errorf("%d were asked for, %v", asked, err)
		}
		if err := from.Close(); err != nil || !stopped {
			t.Errorf("it goes on: %v, %v", stopped, err)
		}
	})
	t.Run("an error ends it after what was read before", func(t *testing.T) {
		failure := errors.New("gone")
		text, err := io.ReadAll(export.NewReader(func(yield func(audit.Entry, error) bool) {
			_ = yield(sealed(), nil) && yield(audit.Entry{}, failure)
		}, export.JSONL))
		if !errors.Is(err, failure) || strings.Count(string(text), "\n") != 1 {
			t.Errorf("%v after %q", err, text)
		}
	})
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestTo(t *testing.T) {
	var out, log bytes.Buffer
	export.To(&out, slog.New(slog.DiscardHandler))([]audit.Entry{sealed(), sealed()})
	if strings.Count(out.String(), "{\"audit\":1,") != 2 {
		t.Errorf("it has written %s", out.String())
	}
	export.To(fullDisk{}, slog.New(slog.NewTextHandler(&log, nil)))([]audit.Entry{sealed()})
	if !strings.Contains(log.String(), "they are in the database") || strings.Contains(log.String(), "ada") {
		t.Errorf("the log says %s", log.String())
	}
}
