package privacy

import (
	"context"
	"io"
	"iter"
	"strings"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	"parley/core/tenant"
)

// ExportVersion is the version of what an export looks like. It grows when a file or a
// field goes or means something else.
const ExportVersion = 1

// Exports writes copies of what is stored: a ZIP of JSON Lines, made while it is read.
type Exports struct {
	ports Ports
	now   func() time.Time
}

// Row has the values of a table's columns, in the order of [Table.Exported].
type Row []any

// Selection narrows what of a workspace is read.
type Selection struct {
	// Viewer is who gets it: what other members tried in the playground is theirs.
	Viewer string
	// EndUser, unless empty, leaves out the conversations of every other external_user_id.
	EndUser string
}

// Reader reads rows for exports, a portion at a time.
type Reader interface {
	// WorkspaceRows reads the exported columns of a workspace's rows in a table.
	WorkspaceRows(ctx context.Context, workspaceID string, table Table, which Selection) iter.Seq2[Row, error]
	// PersonRows reads the exported columns of a person's rows in a table.
	PersonRows(ctx context.Context, access system.Access, userID, email string, table Table) iter.Seq2[Row, error]
}

// Workspace writes everything that a workspace has, as one of its owners may see it.
func (e *Exports) Workspace(ctx context.Context, workspaceID, viewer string, into io.Writer) error {
	a := e.begin(into, "workspace")
	for _, t := range Tables() {
		if t.Owner != OfWorkspace || t.File == "" || t.Name == "members" {
			continue
		}
		if err := a.table(t, e.ports.Reader.WorkspaceRows(ctx, workspaceID, t, Selection{Viewer: viewer})); err != nil {
			return err
		}
	}
	if err := e.members(ctx, a, workspaceID); err != nil {
		return err
	}
	if err := e.audit(ctx, a, workspaceID); err != nil {
		return err
	}
	return a.end()
}

// EndUserObject is an end user of whom a copy is made, as the object of an act: without
// the name.
func EndUserObject(workspaceID, externalUserID string) audit.Object {
	return audit.Object{Kind: "end user", ID: EndUserHash(workspaceID, externalUserID)}
}

// WorkspaceObject is a workspace of which a copy is made.
func WorkspaceObject(w tenant.Workspace) audit.Object {
	return audit.Object{Kind: "workspace", ID: w.ID, Name: w.Name}
}

// AccountObject is an account of which a copy is made.
func AccountObject(user account.User) audit.Object {
	return audit.Object{Kind: "account", ID: user.ID, Name: user.Email}
}

// Record notes in the audit log that somebody asked for a copy.
func (e *Exports) Record(ctx context.Context, workspaceID string, object audit.Object, detail string) error {
	return audit.RecordRead(ctx, e.ports.Audit, workspaceID, e.now(), audit.Entry{Action: audit.DataExported, Object: object, Detail: detail})
}

func (e *Exports) members(ctx context.Context, a *archive, workspaceID string) error {
	members, err := e.ports.Team.Members.List(ctx, workspaceID)
	if err != nil {
		return err
	}
	f, err := a.begin("members.jsonl")
	if err != nil {
		return err
	}
	for _, m := range members {
		err := f.line([]field{{"user_id", m.UserID}, {"email", m.Email}, {"role", string(m.Role)}, {"created_at", m.CreatedAt}})
		if err != nil {
			return err
		}
	}
	a.finish(f)
	return nil
}

// auditPage is how many entries are read at a time.
const auditPage = 100

// audit writes the entries that the page of the audit log shows.
func (e *Exports) audit(ctx context.Context, a *archive, workspaceID string) error {
	f, err := a.begin("audit_log.jsonl")
	if err != nil {
		return err
	}
	filter := audit.Filter{Limit: auditPage}
	for more := true; more; {
		var page []audit.Entry
		if page, more, err = e.ports.AuditLog(ctx, workspaceID, filter); err != nil {
			return err
		}
		for _, entry := range page {
			changes := make([]map[string]string, len(entry.Changes))
			for i, c := range entry.Changes {
				changes[i] = map[string]string{"field": c.Field, "old": c.Old, "new": c.New}
			}
			err := f.line([]field{
				{"at", entry.At},
				{"actor", entry.Actor.Name},
				{"user_id", entry.Actor.UserID},
				{"action", string(entry.Action)},
				{"object_kind", entry.Object.Kind},
				{"object_id", entry.Object.ID},
				{"object_name", entry.Object.Name},
				{"detail", entry.Detail},
				{"changes", changes},
				{"address", entry.Origin.Address},
				{"request_id", entry.Origin.RequestID},
			})
			if err != nil {
				return err
			}
			filter.Before = entry.ID
		}
	}
	a.finish(f)
	return nil
}

// endUserTables are what is stored of an end user, by what hangs on their conversations.
var endUserTables = map[string]Table{
	"conversations": {},
	"messages":      {},
	"feedbacks":     {Parent: "conversations", By: "conversation_id"},
	"gaps":          {Parent: "conversations", By: "conversation_id"},
	"usage_records": {Parent: "messages", By: "message_id"},
}

// EndUser writes what a workspace stores of an end user.
func (e *Exports) EndUser(ctx context.Context, workspaceID, externalUserID string, into io.Writer) error {
	a := e.begin(into, "end_user")
	for _, t := range Tables() {
		through, is := endUserTables[t.Name]
		if !is {
			continue
		}
		if through.Parent != "" {
			t.Parent, t.By = through.Parent, through.By
		}
		if err := a.table(t, e.ports.Reader.WorkspaceRows(ctx, workspaceID, t, Selection{EndUser: externalUserID})); err != nil {
			return err
		}
	}
	return a.end()
}

// HasEndUser is NotFound if a workspace stores nothing of an end user.
func (e *Exports) HasEndUser(ctx context.Context, workspaceID, externalUserID string) error {
	if err := CheckEndUser(externalUserID); err != nil {
		return err
	}
	conversations, _ := tableNamed("conversations")
	for _, err := range e.ports.Reader.WorkspaceRows(ctx, workspaceID, conversations, Selection{EndUser: externalUserID}) {
		return err
	}
	return fault.New(fault.NotFound, "There is nothing of this end user in the workspace.")
}

func tableNamed(name string) (Table, bool) {
	for _, t := range Tables() {
		if t.Name == name {
			return t, true
		}
	}
	return Table{}, false
}

// Account writes everything that is stored of a person who signs in.
func (e *Exports) Account(ctx context.Context, user account.User, into io.Writer) error {
	a := e.begin(into, "account")
	for _, t := range Tables() {
		if t.Owner == OfPerson && t.File != "" {
			if err := a.table(t, e.ports.Reader.PersonRows(ctx, e.ports.System, user.ID, user.Email, t)); err != nil {
				return err
			}
		}
	}
	memberships, err := e.ports.Team.People.Memberships(ctx, user.ID)
	if err != nil {
		return err
	}
	f, err := a.begin("memberships.jsonl")
	if err != nil {
		return err
	}
	for _, m := range memberships {
		if err := f.line([]field{{"workspace_id", m.Workspace.ID}, {"workspace", m.Workspace.Name}, {"role", string(m.Role)}}); err != nil {
			return err
		}
	}
	a.finish(f)
	log, _ := tableNamed("audit_entries")
	log.By, log.File = "user_id", "audit_log"
	log.Plain = strings.TrimSuffix(log.Plain, " seq hash")
	if err := a.table(log, e.ports.Reader.PersonRows(ctx, e.ports.System, user.ID, user.Email, log)); err != nil {
		return err
	}
	return a.end()
}
