package knowledge

import (
	"context"
	"maps"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"parley/core/retrieval"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/passage"
	"parley/ent/scope"
	"parley/store"
	"parley/text/encode"
)

// Encodings keeps the encodings of passages. It remembers those that it has read: an
// encoding never changes, and no id is used twice. That a passage has none it remembers
// for a moment, so that questions meanwhile need not look again.
type Encodings struct {
	store *store.Store
	known *lru.Cache[int64, knownEncoding]
	now   func() time.Time
}

// knownEncoding is an encoding with whose it is, or none that is to be looked for again
// from a time on.
type knownEncoding struct {
	workspaceID, chatbotID string
	encode.Encoding
	again time.Time
}

// missingFor is how long a passage is taken to have no encoding.
const missingFor = 5 * time.Second

// encodingsKnown bounds how many encodings a process remembers: in all some 16 MiB, or some
// 30 where passages are long and have parts.
const encodingsKnown = 15_000

// NewEncodings returns the encodings of a database.
func NewEncodings(db *store.Store) *Encodings {
	known, _ := lru.New[int64, knownEncoding](encodingsKnown) // fails below one
	return &Encodings{db, known, time.Now}
}

// Encodings returns the encodings of the chatbot's passages that have one, by passage id.
func (s *Encodings) Encodings(ctx context.Context, workspaceID, chatbotID string, ids []int64) (map[int64]encode.Encoding, error) {
	found := make(map[int64]encode.Encoding, len(ids))
	var unknown []int64
	for _, id := range ids {
		e, ok := s.known.Get(id)
		switch {
		case !ok || e.workspaceID != workspaceID || e.chatbotID != chatbotID:
			unknown = append(unknown, id)
		case e.Encoding != nil:
			found[id] = e.Encoding
		case !s.now().Before(e.again):
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	rows, err := s.store.Client(ctx).Passage.Query().
		Where(passage.IDIn(unknown...), passage.ChatbotID(chatbotID), passage.EncodingNotNil()).
		Select(passage.FieldID, passage.FieldEncoding).All(scope.Workspace(ctx, workspaceID))
	if err != nil {
		return nil, store.MapError(err)
	}
	for _, row := range rows {
		found[row.ID] = *row.Encoding
	}
	again := s.now().Add(missingFor)
	for _, id := range unknown {
		s.known.Add(id, knownEncoding{workspaceID, chatbotID, found[id], again})
	}
	return found, nil
}

// ChatbotsUnencoded returns the chatbots that have passages without an encoding, grouped by
// workspace.
func (s *Encodings) ChatbotsUnencoded(ctx context.Context, access system.Access) (chatbots []retrieval.Scope, err error) {
	var rows []struct {
		WorkspaceID string `json:"workspace_id"`
		ChatbotID   string `json:"chatbot_id"`
	}
	err = s.store.Client(ctx).Passage.Query().Where(passage.EncodingIsNil()).Order(passage.ByWorkspaceID(), passage.ByChatbotID()).
		Unique(true).Select(passage.FieldWorkspaceID, passage.FieldChatbotID).Scan(scope.System(ctx, access), &rows)
	for _, row := range rows {
		chatbots = append(chatbots, retrieval.Scope(row))
	}
	return chatbots, store.MapError(err)
}

// Unencoded returns passages of a chatbot without an encoding, the oldest first.
func (s *Encodings) Unencoded(ctx context.Context, workspaceID, chatbotID string, limit int) ([]retrieval.Passage, error) {
	rows, err := s.unencoded(ctx, workspaceID, chatbotID).Order(passage.ByID()).Limit(limit).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, passageFromRow)
}

// UnencodedOf counts the passages of a chatbot that have no encoding.
func (s *Encodings) UnencodedOf(ctx context.Context, workspaceID, chatbotID string) (int, error) {
	n, err := s.unencoded(ctx, workspaceID, chatbotID).Count(scope.Workspace(ctx, workspaceID))
	return n, store.MapError(err)
}

func (s *Encodings) unencoded(ctx context.Context, workspaceID, chatbotID string) *ent.PassageQuery {
	return s.store.Client(ctx).Passage.Query().
		Where(passage.WorkspaceID(workspaceID), passage.ChatbotID(chatbotID), passage.EncodingIsNil())
}

// CountAttempt adds to the attempts at passages that began and did not end.
func (s *Encodings) CountAttempt(ctx context.Context, workspaceID string, passageIDs []int64, by int) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Passage.Update().Where(passage.IDIn(passageIDs...)).AddBegun(by).Exec(ctx)
	})
}

// SaveEncodings stores encodings by the ids of their passages.
func (s *Encodings) SaveEncodings(ctx context.Context, workspaceID string, encodings map[int64]encode.Encoding) error {
	defer func() { // also what this process takes to be missing
		for id := range encodings {
			s.known.Remove(id)
		}
	}()
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		// In order: two transactions that save the same ones must not deadlock.
		for _, id := range slices.Sorted(maps.Keys(encodings)) {
			if err := db.Passage.Update().Where(passage.ID(id)).SetEncoding(encodings[id]).SetBegun(0).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// CountUnencoded counts the passages of all workspaces that have no encoding.
func (s *Encodings) CountUnencoded(ctx context.Context, access system.Access) (int, error) {
	n, err := s.store.Client(ctx).Passage.Query().Where(passage.EncodingIsNil()).Count(scope.System(ctx, access))
	return n, store.MapError(err)
}
