// Package export writes entries of the audit log as JSON Lines and as CSV, and reads JSON
// Lines back, to compare them with the log.
//
// It does not own what an entry says (package audit), nor who may have which.
package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/core/audit"
	"parley/internal/plain"
)

// Version is the version of a line's format. Later versions may add fields.
const Version = 1

// Line is an entry as a line of JSON.
type Line struct {
	// Version tells these lines from others on the same output.
	Version     int       `json:"audit"`
	ID          int64     `json:"id"`
	At          time.Time `json:"at"`
	WorkspaceID string    `json:"workspace_id"`
	Actor       string    `json:"actor"`
	UserID      string    `json:"user_id"`
	Action      string    `json:"action"`
	Object      Object    `json:"object"`
	Detail      string    `json:"detail"`
	Changes     []Change  `json:"changes"`
	Address     string    `json:"address"`
	AddressSalt string    `json:"address_salt"`
	AddressHash string    `json:"address_hash"`
	RequestID   string    `json:"request_id"`
	Seq         int64     `json:"seq"`
	Hash        string    `json:"hash"`
	// HashVersion says how the hash is made. Lines from before there were several have
	// none, and version 1.
	HashVersion int `json:"hash_version"`
}

// Object is the thing that the act was about.
type Object struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Change is a setting before and after.
type Change struct {
	Field string `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// Of returns the line of an entry.
func Of(e audit.Entry) Line {
	line := Line{
		Version: Version, ID: e.ID, At: e.At, WorkspaceID: e.WorkspaceID, Actor: e.Actor.Name, UserID: e.Actor.UserID, Action: string(e.Action),
		Object: Object(e.Object), Detail: e.Detail, Changes: make([]Change, len(e.Changes)),
		Address: e.Origin.Address, AddressSalt: e.AddressSalt, AddressHash: e.AddressHash, RequestID: e.Origin.RequestID,
		Seq: e.Seq, Hash: e.Hash, HashVersion: e.Version,
	}
	for i, c := range e.Changes {
		line.Changes[i] = Change(c)
	}
	return line
}

// Entry returns the entry of a line.
func (l Line) Entry() audit.Entry {
	e := audit.Entry{
		ID: l.ID, At: l.At, WorkspaceID: l.WorkspaceID, Actor: audit.Actor{Name: l.Actor, UserID: l.UserID}, Action: audit.Action(l.Action),
		Object: audit.Object(l.Object), Detail: l.Detail,
		Origin: audit.Origin{Address: l.Address, RequestID: l.RequestID}, AddressSalt: l.AddressSalt, AddressHash: l.AddressHash,
		Seq: l.Seq, Hash: l.Hash, Version: max(1, l.HashVersion),
	}
	for _, c := range l.Changes {
		e.Changes = append(e.Changes, audit.Change(c))
	}
	return e
}

// WriteJSON writes an entry as one line of JSON.
func WriteJSON(to io.Writer, e audit.Entry) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(Of(e))
}

// To returns a function that writes entries to an output, each as one line of JSON. Several
// goroutines may call it. The log has it when the output takes nothing.
func To(out io.Writer, log *slog.Logger) func(entries []audit.Entry) {
	var writing sync.Mutex
	return func(entries []audit.Entry) {
		var lines bytes.Buffer
		for _, e := range entries {
			_ = WriteJSON(&lines, e) // to memory
		}
		writing.Lock()
		defer writing.Unlock()
		if _, err := out.Write(lines.Bytes()); err != nil {
			log.Error("entries of the audit log were not written to their output; they are in the database", "error", err)
		}
	}
}

var columns = []string{
	"id", "at", "workspace_id", "actor", "user_id", "action", "object_kind", "object_id", "object_name", "detail", "changes",
	"address", "request_id", "seq", "hash",
}

// WriteHead writes the names of CSV's columns.
func WriteHead(to io.Writer) error { return writeRow(to, columns) }

// WriteCSV writes an entry as a row of CSV. No spreadsheet takes a cell of it for a
// formula.
func WriteCSV(to io.Writer, e audit.Entry) error {
	changes := make([]string, len(e.Changes))
	for i, c := range e.Changes {
		changes[i] = c.Field + ": " + strconv.Quote(c.Old) + " → " + strconv.Quote(c.New)
	}
	return writeRow(to, []string{
		strconv.FormatInt(e.ID, 10), e.At.Format(time.RFC3339Nano), e.WorkspaceID, e.Actor.Name, e.Actor.UserID, string(e.Action),
		e.Object.Kind, e.Object.ID, e.Object.Name, e.Detail, strings.Join(changes, "; "), e.Origin.Address, e.Origin.RequestID,
		strconv.FormatInt(e.Seq, 10), e.Hash,
	})
}

func writeRow(to io.Writer, cells []string) error {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = plain.Cell(cell)
	}
	w := csv.NewWriter(to)
	_ = w.Write(safe) // Error says it
	w.Flush()
	return w.Error()
}
