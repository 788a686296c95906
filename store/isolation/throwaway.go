// Package isolation keeps the workspaces with which an operator checks that workspaces are kept
// apart.
package isolation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/isolation"
	"parley/core/privacy"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/chatbot"
	"parley/ent/generated/conversation"
	"parley/ent/generated/document"
	"parley/ent/generated/predicate"
	"parley/ent/generated/user"
	"parley/ent/generated/workspace"
	"parley/ent/scope"
	"parley/internal/id"
	"parley/store"
	"parley/store/people"
	privacystore "parley/store/privacy"
)

// ThrowAways keeps the workspaces with which an operator checks that workspaces are kept apart.
// They are told by their identifiers, which no other workspace can have.
type ThrowAways struct{ store *store.Store }

var _ isolation.Store = (*ThrowAways)(nil)

// NewThrowAways returns the throw-away workspaces of a database.
func NewThrowAways(db *store.Store) *ThrowAways { return &ThrowAways{db} }

// ThrowAways returns the throw-away workspaces, the earliest first, and after them the
// workspaces of which only accounts are left.
func (s *ThrowAways) ThrowAways(ctx context.Context, access system.Access) ([]isolation.Found, error) {
	ctx = scope.System(store.Background(ctx), access)
	rows, err := s.store.Client(ctx).Workspace.Query().Where(predicate.Workspace(entsql.FieldHasPrefix(workspace.FieldID, id.ThrowAwayPrefix("ws", "")))).
		Order(workspace.ByCreatedAt(), workspace.ByID()).All(ctx)
	found, err := store.Mapped(rows, err, func(row *ent.Workspace) isolation.Found {
		return isolation.Found{ID: row.ID, CreatedAt: row.CreatedAt.UTC()}
	})
	if err != nil {
		return nil, err
	}
	people, err := s.store.Client(ctx).User.Query().Where(predicate.User(entsql.FieldHasPrefix(user.FieldID, id.ThrowAwayPrefix("usr", "")))).Order(user.ByCreatedAt(), user.ByID()).All(ctx)
	for _, person := range people {
		tag := id.TagOf(person.ID)
		if !slices.ContainsFunc(found, func(f isolation.Found) bool { return id.TagOf(f.ID) == tag }) {
			found = append(found, isolation.Found{ID: id.ThrowAwayPrefix("ws", tag), CreatedAt: person.CreatedAt.UTC()})
		}
	}
	return found, store.MapError(err)
}

// ThrowAwayDocuments returns the chatbots of a throw-away workspace, each with its documents.
func (s *ThrowAways) ThrowAwayDocuments(ctx context.Context, workspaceID string) (map[string][]string, error) {
	bots, err := s.store.Client(ctx).Chatbot.Query().Where(chatbot.WorkspaceID(workspaceID)).IDs(scope.Workspace(ctx, workspaceID))
	if err != nil {
		return nil, store.MapError(err)
	}
	found := map[string][]string{}
	for _, bot := range bots {
		ids, err := s.store.Client(ctx).Document.Query().Where(document.ChatbotID(bot)).IDs(scope.Workspace(ctx, workspaceID))
		if err != nil {
			return nil, store.MapError(err)
		}
		found[bot] = ids
	}
	return found, nil
}

const deleteRequestMinute = `DELETE FROM request_minutes WHERE workspace_id = $1`

// EraseThrowAway deletes a throw-away workspace and its people.
func (s *ThrowAways) EraseThrowAway(ctx context.Context, workspaceID string) error {
	if !id.IsThrowAway(workspaceID) {
		return fault.New(fault.Invalid, "%s is no throw-away workspace.", workspaceID)
	}
	err := people.NewWorkspaces(s.store).DeleteWorkspace(ctx, workspaceID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	// What has no reference to a workspace is left when the workspace goes.
	err = s.store.InTx(store.Background(scope.Workspace(ctx, workspaceID)), func(ctx context.Context) error {
		if _, err := s.store.Client(ctx).Erasure.Delete().Exec(ctx); err != nil { // those of its scope
			return err
		}
		if s.store.IsSQLite() {
			return nil
		}
		_, err := s.store.Changes(ctx, deleteRequestMinute, workspaceID)
		return err
	})
	if err != nil {
		return err
	}
	return s.store.Write(store.Background(ctx), func(ctx context.Context, db *ent.Client) error {
		_, err := db.User.Delete().Where(ofThrowAway(workspaceID)).Exec(ctx)
		return err
	})
}

// ofThrowAway is the condition for the people of a throw-away workspace.
func ofThrowAway(workspaceID string) predicate.User {
	return predicate.User(entsql.FieldHasPrefix(user.FieldID, id.ThrowAwayPrefix("usr", id.TagOf(workspaceID))))
}

// RemainingOf counts what the tables still hold of a throw-away workspace: entries of the audit
// log, too, which stay. What index_changes has goes by itself.
func (s *ThrowAways) RemainingOf(ctx context.Context, workspaceID string) (map[string]int64, error) {
	ctx = scope.Workspace(store.Background(ctx), workspaceID)
	remaining := map[string]int64{}
	for _, t := range s.tables() {
		column := "workspace_id"
		if t.Name == "workspaces" {
			column = "id"
		}
		query, args := s.store.Builder().Select(entsql.Count("*")).From(entsql.Table(t.Name)).Where(entsql.EQ(column, workspaceID)).Query()
		var n int64
		if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, query, args...); err != nil {
			return nil, store.MapError(err)
		}
		if n > 0 {
			remaining[t.Name] = n
		}
	}
	people, err := s.store.Client(ctx).User.Query().Where(ofThrowAway(workspaceID)).Count(ctx)
	if people > 0 {
		remaining["users"] = int64(people)
	}
	return remaining, store.MapError(err)
}

// tables are those with rows of workspaces, but for index_changes, which PostgreSQL writes.
func (s *ThrowAways) tables() []privacy.Table {
	return slices.DeleteFunc(privacy.Tables(), func(t privacy.Table) bool {
		return t.Owner != privacy.OfWorkspace || t.Name == "index_changes" || t.Name == "request_minutes" && s.store.IsSQLite()
	})
}

// passing are columns and tables that change by themselves.
var passing = map[string]bool{
	"message_holds": true, "request_minutes": true,
	"tokens.last_used_at": true, "tokens.last_used_ip": true, "tokens.last_used_agent": true,
}

// Fingerprint returns a hash of the rows of a workspace for each table, and of its people.
func (s *ThrowAways) Fingerprint(ctx context.Context, workspaceID string) (map[string]string, error) {
	prints, rows := map[string]string{}, privacystore.NewRows(s.store)
	people, err := s.store.Client(ctx).User.Query().Where(ofThrowAway(workspaceID)).Order(user.ByID()).All(ctx)
	if err != nil {
		return nil, store.MapError(err)
	}
	// What somebody has tried in the playground is shown to them alone.
	tried, err := s.store.Client(ctx).Conversation.Query().Where(conversation.Origin(string(chat.Playground)), conversation.WorkspaceID(workspaceID)).First(scope.Workspace(ctx, workspaceID))
	if err != nil && !ent.IsNotFound(err) {
		return nil, store.MapError(err)
	}
	which := privacy.Selection{}
	if tried != nil {
		which.Viewer = tried.BegunBy
	}
	for _, t := range s.tables() {
		if passing[t.Name] {
			continue
		}
		columns := slices.DeleteFunc(t.Columns(), func(column string) bool { return passing[t.Name+"."+column] })
		sum := sha256.New()
		for row, err := range rows.ColumnsOf(ctx, workspaceID, t, which, columns) {
			if err != nil {
				return nil, err
			}
			fmt.Fprintln(sum, row...)
		}
		prints[t.Name] = hex.EncodeToString(sum.Sum(nil))
	}
	var b strings.Builder
	for _, person := range people {
		fmt.Fprintln(&b, person.ID, person.Email, person.PasswordHash, person.Name, person.TimeZone, person.Appearance)
	}
	prints["users"] = id.Hash(b.String())
	return prints, nil
}

// ProbeWall tries to reach the rows of one throw-away workspace from another.
func (s *ThrowAways) ProbeWall(ctx context.Context, workspaceID, otherID string) ([]isolation.Probe, error) {
	return store.NewWall(s.store).Probe(ctx, workspaceID, otherID)
}
