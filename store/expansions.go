package store

import (
	"context"
	"maps"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"parley/core/retrieval"
	"parley/ent"
	"parley/ent/passage"
	"parley/ent/scope"
)

// Expansions keeps the expansions of passages. It remembers those that it has read: an
// expansion never changes, and no id is used twice.
type Expansions struct {
	store *Store
	known *lru.Cache[int64, knownExpansion]
}

// knownExpansion is an expansion with whose it is.
type knownExpansion struct {
	workspaceID, chatbotID string
	retrieval.Expansion
}

// expansionsKnown bounds how many expansions a process remembers: in all some 16 MiB.
const expansionsKnown = 20_000

// NewExpansions returns the expansions of a database.
func NewExpansions(db *Store) *Expansions {
	known, _ := lru.New[int64, knownExpansion](expansionsKnown) // fails below one
	return &Expansions{db, known}
}

// Expansions returns those of the chatbot's passages that have one, by the passage's id.
func (s *Expansions) Expansions(ctx context.Context, workspaceID, chatbotID string, ids []int64) (map[int64]retrieval.Expansion, error) {
	found := make(map[int64]retrieval.Expansion, len(ids))
	var unknown []int64
	for _, id := range ids {
		if e, ok := s.known.Get(id); ok && e.workspaceID == workspaceID && e.chatbotID == chatbotID {
			found[id] = e.Expansion
		} else {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	rows, err := s.store.db(ctx).Passage.Query().
		Where(passage.IDIn(unknown...), passage.ChatbotID(chatbotID), passage.ExpansionNotNil()).
		Select(passage.FieldID, passage.FieldExpansion).All(within(ctx, workspaceID))
	if err != nil {
		return nil, mapError(err)
	}
	for _, row := range rows {
		found[row.ID] = *row.Expansion
		s.known.Add(row.ID, knownExpansion{workspaceID, chatbotID, *row.Expansion})
	}
	return found, nil
}

// WorkspacesUnexpanded returns the workspaces that have passages without an expansion.
func (s *Expansions) WorkspacesUnexpanded(ctx context.Context) ([]string, error) {
	names, err := s.store.db(ctx).Passage.Query().Where(passage.ExpansionIsNil()).Order(passage.ByWorkspaceID()).
		Unique(true).Select(passage.FieldWorkspaceID).Strings(scope.System(ctx))
	return names, mapError(err)
}

// Unexpanded returns passages of a workspace without an expansion, the oldest first.
func (s *Expansions) Unexpanded(ctx context.Context, workspaceID string, limit int) ([]retrieval.Passage, error) {
	rows, err := s.store.db(ctx).Passage.Query().Where(passage.WorkspaceID(workspaceID), passage.ExpansionIsNil()).
		Order(passage.ByID()).Limit(limit).All(within(ctx, workspaceID))
	return mapped(rows, err, passageFromRow)
}

// SaveExpansions stores expansions by the ids of their passages.
func (s *Expansions) SaveExpansions(ctx context.Context, workspaceID string, expansions map[int64]retrieval.Expansion) error {
	return s.store.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		// In order: two transactions that save the same ones must not deadlock.
		for _, id := range slices.Sorted(maps.Keys(expansions)) {
			if err := db.Passage.Update().Where(passage.ID(id)).SetExpansion(expansions[id]).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// CountUnexpanded counts the passages of all workspaces that have no expansion.
func (s *Expansions) CountUnexpanded(ctx context.Context) (int, error) {
	n, err := s.store.db(ctx).Passage.Query().Where(passage.ExpansionIsNil()).Count(scope.System(ctx))
	return n, mapError(err)
}
