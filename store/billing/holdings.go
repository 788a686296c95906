package billing

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/tenant"
	ent "parley/ent/generated"
	entchatbot "parley/ent/generated/chatbot"
	"parley/ent/generated/member"
	"parley/ent/generated/token"
	"parley/ent/scope"
	"parley/store"
)

// Holdings keeps what is suspended, and what an owner wants to keep active.
type Holdings struct{ store *store.Store }

// NewHoldings returns the holdings of a database.
func NewHoldings(db *store.Store) *Holdings { return &Holdings{db} }

// Holdings returns a workspace's chatbots, members and tokens that were not
// revoked, the oldest of each first.
func (s *Holdings) Holdings(ctx context.Context, workspaceID string) ([]tenant.Holding, error) {
	held, err := s.holdingsOf(scope.Workspace(ctx, workspaceID), workspaceID)
	return held[workspaceID], store.MapError(err)
}

// holdingsOf is Holdings of several workspaces, by their ids, in as many statements.
func (s *Holdings) holdingsOf(ctx context.Context, workspaceIDs ...string) (map[string][]tenant.Holding, error) {
	held := make(map[string][]tenant.Holding, len(workspaceIDs))
	for _, read := range []func(context.Context, []string, map[string][]tenant.Holding) error{s.addChatbots, s.addMembers, s.addTokens} {
		if err := read(ctx, workspaceIDs, held); err != nil {
			return nil, err
		}
	}
	return held, nil
}

// settling says of workspaces whether one may have holdings to suspend, or whose
// suspension ends: some are suspended, or there are more than the plan includes. Expired
// tokens count, and a plan's -1 is without a limit.
const settling = `SELECT w.id, w.plan,
	EXISTS (SELECT 1 FROM chatbots c WHERE c.workspace_id = w.id AND (c.over_limit
		OR EXISTS (SELECT 1 FROM tokens t WHERE t.chatbot_id = c.id AND t.over_limit AND t.revoked_at IS NULL)
		OR p.tokens_per_chatbot >= 0 AND (SELECT COUNT(*) FROM tokens t WHERE t.chatbot_id = c.id AND t.revoked_at IS NULL) > p.tokens_per_chatbot))
	OR EXISTS (SELECT 1 FROM members m WHERE m.workspace_id = w.id AND m.over_limit)
	OR p.chatbots >= 0 AND (SELECT COUNT(*) FROM chatbots c WHERE c.workspace_id = w.id) > p.chatbots
	OR p.members >= 0 AND (SELECT COUNT(*) FROM members m WHERE m.workspace_id = w.id) > p.members
	FROM workspaces w JOIN plans p ON p.id = w.plan WHERE w.id > $1 ORDER BY w.id LIMIT $2`

// settlingAtOnce is of how many workspaces the holdings are read together.
const settlingAtOnce = 100

// Settling reads of every workspace whether it may have something to settle, and what
// it holds if so.
func (s *Holdings) Settling(ctx context.Context, access system.Access) iter.Seq2[tenant.Settling, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) (all []tenant.Settling, err error) {
		var maybe []string
		err = store.EachRow(ctx, s.store.Raw(ctx), settling, []any{after, store.PortionRows}, func(row *sql.Rows) error {
			var w tenant.Settling
			err := row.Scan(&w.WorkspaceID, &w.Plan, &w.Maybe)
			if all = append(all, w); w.Maybe {
				maybe = append(maybe, w.WorkspaceID)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		held := make(map[string][]tenant.Holding, len(maybe))
		for few := range slices.Chunk(maybe, settlingAtOnce) {
			for len(few) < settlingAtOnce { // one text, so that the statement stays prepared
				few = append(few, few[0])
			}
			some, err := s.holdingsOf(ctx, few...)
			if err != nil {
				return nil, err
			}
			maps.Copy(held, some)
		}
		for i := range all {
			all[i].Holdings = held[all[i].WorkspaceID]
		}
		return all, nil
	}, func(w tenant.Settling) string { return w.WorkspaceID })
}

func (s *Holdings) addChatbots(ctx context.Context, workspaceIDs []string, held map[string][]tenant.Holding) error {
	var rows []*ent.Chatbot
	err := s.store.Client(ctx).Chatbot.Query().Where(entchatbot.WorkspaceIDIn(workspaceIDs...)).
		Order(entchatbot.ByCreatedAt(), entchatbot.ByID()).
		Select(entchatbot.FieldID, entchatbot.FieldWorkspaceID, entchatbot.FieldName, entchatbot.FieldKept, entchatbot.FieldOverLimit, entchatbot.FieldCreatedAt).
		Scan(ctx, &rows)
	for _, row := range rows {
		held[row.WorkspaceID] = append(held[row.WorkspaceID], tenant.Holding{
			Resource: plan.Chatbots, Name: row.Name, OverLimit: row.OverLimit,
			Holding: plan.Holding{ID: row.ID, Kept: row.Kept, CreatedAt: row.CreatedAt.UTC()},
		})
	}
	return err
}

func (s *Holdings) addMembers(ctx context.Context, workspaceIDs []string, held map[string][]tenant.Holding) error {
	rows, err := s.store.Client(ctx).Member.Query().Where(member.WorkspaceIDIn(workspaceIDs...)).WithUser().
		Order(member.ByCreatedAt(), member.ByID()).All(ctx)
	hasOwner := map[string]bool{}
	for _, row := range rows {
		firstOwner := !hasOwner[row.WorkspaceID] && row.Role == string(tenant.RoleOwner)
		hasOwner[row.WorkspaceID] = hasOwner[row.WorkspaceID] || firstOwner
		held[row.WorkspaceID] = append(held[row.WorkspaceID], tenant.Holding{
			Resource: plan.Members, Name: row.Edges.User.Email, OverLimit: row.OverLimit,
			Holding: plan.Holding{ID: row.UserID, Vital: firstOwner, Kept: row.Kept, CreatedAt: row.CreatedAt.UTC()},
		})
	}
	return err
}

func (s *Holdings) addTokens(ctx context.Context, workspaceIDs []string, held map[string][]tenant.Holding) error {
	var rows []*ent.Token
	// Tokens have no index by workspace, so the query finds them by the workspace's
	// chatbots. With ent's own condition, EXISTS, SQLite reads the tokens of all workspaces.
	ofWorkspaces := func(q *entsql.Selector) {
		chatbots := entsql.Table(entchatbot.Table)
		q.Where(entsql.In(q.C(token.FieldChatbotID), entsql.Dialect(q.Dialect()).Select(chatbots.C(entchatbot.FieldID)).From(chatbots).
			Where(entsql.In(chatbots.C(entchatbot.FieldWorkspaceID), store.Column(workspaceIDs, func(id *string) any { return *id })...))))
	}
	err := s.store.Client(ctx).Token.Query().
		Where(ofWorkspaces, token.RevokedAtIsNil()).
		Order(token.ByCreatedAt(), token.ByID()).
		Select(token.FieldID, token.FieldWorkspaceID, token.FieldChatbotID, token.FieldName, token.FieldKept, token.FieldOverLimit, token.FieldReplaces, token.FieldExpiresAt, token.FieldCreatedAt).
		Scan(ctx, &rows)
	for _, row := range rows {
		held[row.WorkspaceID] = append(held[row.WorkspaceID], tenant.Holding{
			Resource: plan.Tokens, ChatbotID: row.ChatbotID, ExpiresAt: store.UTC(row.ExpiresAt), Replaces: row.Replaces, Name: row.Name, OverLimit: row.OverLimit,
			Holding: plan.Holding{ID: row.ID, Kept: row.Kept, CreatedAt: row.CreatedAt.UTC()},
		})
	}
	return err
}

// SetOverLimit marks what has one of these ids as over the limit, and all others of
// the resource as not over it.
func (s *Holdings) SetOverLimit(ctx context.Context, workspaceID string, resource plan.Resource, ids []string) error {
	return s.mark(ctx, workspaceID, resource, "over_limit", ids)
}

// SetKept says which of a resource an owner wants to stay, and that the others
// may be suspended.
func (s *Holdings) SetKept(ctx context.Context, workspaceID string, resource plan.Resource, ids []string) error {
	return s.mark(ctx, workspaceID, resource, "kept", ids)
}

// heldIn has the table of a resource, the column that names one of it, and how those
// of a workspace are found: tokens have no index by workspace, and go by the chatbots.
var heldIn = map[plan.Resource]struct{ table, id, found string }{
	plan.Chatbots: {"chatbots", "id", "workspace_id = $1"}, plan.Members: {"members", "user_id", "workspace_id = $1"},
	plan.Tokens: {"tokens", "id", "workspace_id = $1 AND chatbot_id IN (SELECT id FROM chatbots WHERE workspace_id = $1)"},
}

// mark has a column say of the ids true, and of all others false. It writes
// only what changes, which nearly always is nothing.
func (s *Holdings) mark(ctx context.Context, workspaceID string, resource plan.Resource, column string, ids []string) error {
	in, known := heldIn[resource]
	if !known {
		return fault.New(fault.Internal, "nobody holds the resource %d", resource)
	}
	return s.store.InTx(ctx, func(ctx context.Context) error {
		marked, err := s.marked(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s AND %s", in.id, in.table, in.found, column), workspaceID)
		if err != nil {
			return store.MapError(err)
		}
		var add []string
		for _, id := range ids {
			if !marked[id] {
				add = append(add, id)
			}
			delete(marked, id)
		}
		take := make([]string, 0, len(marked))
		for id := range marked {
			take = append(take, id)
		}
		update := fmt.Sprintf("UPDATE %s SET %s = $1 WHERE workspace_id = $2 AND %s IN ", in.table, column, in.id)
		if err := s.setEach(ctx, update, true, workspaceID, add); err != nil {
			return store.MapError(err)
		}
		return store.MapError(s.setEach(ctx, update, false, workspaceID, take))
	})
}

// marked returns the ids that a query finds in a workspace.
func (s *Holdings) marked(ctx context.Context, query, workspaceID string) (map[string]bool, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	rows, err := s.store.Raw(ctx).QueryContext(ctx, query, workspaceID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		found[id] = true
	}
	return found, rows.Err()
}

func (s *Holdings) setEach(ctx context.Context, update string, value bool, workspaceID string, ids []string) error {
	ctx = scope.Workspace(ctx, workspaceID)
	return store.InBatches(ids, store.BatchRows, func(batch []string) error {
		args := []any{value, workspaceID}
		for _, id := range batch {
			args = append(args, id)
		}
		_, err := s.store.Raw(ctx).ExecContext(ctx, update+store.Placeholders(3, len(batch)), args...)
		return err
	})
}
