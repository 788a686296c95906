package knowledge

import (
	"context"
	"slices"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/retrieval"
	ent "parley/ent/generated"
	"parley/ent/generated/conversation"
	"parley/ent/generated/document"
	"parley/ent/generated/message"
	"parley/ent/generated/passage"
	"parley/ent/generated/predicate"
	"parley/ent/generated/removal"
	"parley/ent/generated/source"
	"parley/ent/scope"
	"parley/store"
	"parley/store/citation"
)

// KnowledgePages reads what people see of the knowledge, a page at a time.
type KnowledgePages struct{ store *store.Store }

// NewKnowledgePages returns the knowledge pages of a database.
func NewKnowledgePages(db *store.Store) *KnowledgePages { return &KnowledgePages{db} }

func admitted(chatbotID string, filter browse.Filter) []predicate.Document {
	conditions := []predicate.Document{document.ChatbotID(chatbotID)}
	if filter.Search != "" {
		conditions = append(conditions, FoundBy(filter.Search))
	}
	if filter.Kind != "" {
		conditions = append(conditions, document.Kind(string(filter.Kind)))
	}
	if len(filter.States) > 0 {
		states := make([]string, len(filter.States))
		for i, state := range filter.States {
			states[i] = string(state)
		}
		conditions = append(conditions, document.StateIn(states...))
	}
	if filter.SourceID != "" {
		conditions = append(conditions, document.SourceID(filter.SourceID))
	}
	if filter.ReaderOutdated {
		conditions = append(conditions, outdated())
	}
	if filter.ExternalID != "" {
		conditions = append(conditions, document.ExternalIDNEQ(""), document.ExternalID(filter.ExternalID))
	}
	return conditions
}

// outdated is the condition for documents that an older reader has read: see [knowledge.Document.ReaderOutdated].
func outdated() predicate.Document {
	var kinds []predicate.Document
	for _, o := range knowledge.OutdatedReaders() {
		kinds = append(kinds, document.And(document.Kind(string(o.Kind)), document.ReaderVersionGTE(o.From), document.ReaderVersionLT(o.Below)))
	}
	return document.And(document.LiveGT(0), document.Or(kinds...))
}

// DocumentPage returns a page of a chatbot's documents, without contents.
func (s *KnowledgePages) DocumentPage(ctx context.Context, workspaceID, chatbotID string, filter browse.Filter, slice browse.Slice) ([]knowledge.Document, error) {
	var rows []*ent.Document
	err := s.store.Client(ctx).Document.Query().Where(admitted(chatbotID, filter)...).Where(store.Sliced(slice, document.FieldCreatedAt)).
		Select(listed...).Scan(scope.Workspace(ctx, workspaceID), &rows)
	return store.Mapped(rows, err, documentFromRow)
}

// CountDocuments counts by state the documents that a filter admits.
func (s *KnowledgePages) CountDocuments(ctx context.Context, workspaceID, chatbotID string, filter browse.Filter) (map[knowledge.State]int, error) {
	if filter.Kind == "" && filter.SourceID == "" && filter.ExternalID == "" && !filter.ReaderOutdated {
		return s.countStates(ctx, workspaceID, chatbotID, filter)
	}
	var rows []struct {
		State knowledge.State
		Count int
	}
	err := s.store.Client(ctx).Document.Query().Where(admitted(chatbotID, filter)...).GroupBy(document.FieldState).
		Aggregate(ent.Count()).Scan(scope.Workspace(ctx, workspaceID), &rows)
	if err != nil {
		return nil, store.MapError(err)
	}
	counts := make(map[knowledge.State]int, len(rows))
	for _, row := range rows {
		counts[row.State] = row.Count
	}
	return counts, nil
}

// These read nothing but an index: a condition on the documents' workspace would have
// the rows read, and with them most of the file. Of what is found the state is no plain
// column: SQLite would go through the index that has states in order, and read the rows.
const (
	countedStates = `SELECT state, COUNT(*) FROM documents
	WHERE chatbot_id = (SELECT id FROM chatbots WHERE id = $2 AND workspace_id = $1) GROUP BY state`
	foundStates = `SELECT state || '', COUNT(*) FROM documents
	WHERE chatbot_id = (SELECT id FROM chatbots WHERE id = $2 AND workspace_id = $1)
	AND (search_text LIKE $3 ESCAPE '\' OR $4 <> '' AND search_text LIKE $4 ESCAPE '\') GROUP BY 1`
)

// countStates counts a chatbot's documents by state, those that a search finds if
// there is one. Without states it counts all.
func (s *KnowledgePages) countStates(ctx context.Context, workspaceID, chatbotID string, filter browse.Filter) (map[knowledge.State]int, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	statement, args := countedStates, []any{workspaceID, chatbotID}
	if filter.Search != "" {
		pattern, older := searchPatterns(filter.Search)
		statement, args = foundStates, append(args, pattern, older)
	}
	rows, err := s.store.Raw(ctx).QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	counts := map[knowledge.State]int{}
	for rows.Next() {
		var state knowledge.State
		var n int
		if err := rows.Scan(&state, &n); err != nil {
			return nil, store.MapError(err)
		}
		if len(filter.States) == 0 || slices.Contains(filter.States, state) {
			counts[state] = n
		}
	}
	return counts, store.MapError(rows.Err())
}

// SourcePage returns a page of a chatbot's sources.
func (s *KnowledgePages) SourcePage(ctx context.Context, workspaceID, chatbotID string, slice browse.Slice) ([]knowledge.Source, error) {
	rows, err := s.store.Client(ctx).Source.Query().Where(source.ChatbotID(chatbotID)).Where(store.Sliced(slice, source.FieldCreatedAt)).
		All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, sourceFromRow)
}

// CountSources counts by state the sources of a chatbot.
func (s *KnowledgePages) CountSources(ctx context.Context, workspaceID, chatbotID string) (map[knowledge.SourceState]int, error) {
	var rows []struct {
		State knowledge.SourceState
		Count int
	}
	err := s.store.Client(ctx).Source.Query().Where(source.ChatbotID(chatbotID)).GroupBy(source.FieldState).
		Aggregate(ent.Count()).Scan(scope.Workspace(ctx, workspaceID), &rows)
	if err != nil {
		return nil, store.MapError(err)
	}
	counts := make(map[knowledge.SourceState]int, len(rows))
	for _, row := range rows {
		counts[row.State] = row.Count
	}
	return counts, nil
}

// CountPages counts by state the documents of each of the sources.
func (s *KnowledgePages) CountPages(ctx context.Context, workspaceID string, sourceIDs []string) (map[string]map[knowledge.State]int, error) {
	var rows []struct {
		SourceID string `json:"source_id"`
		State    knowledge.State
		Count    int
	}
	err := s.store.Client(ctx).Document.Query().Where(document.SourceIDIn(sourceIDs...)).GroupBy(document.FieldSourceID, document.FieldState).
		Aggregate(ent.Count()).Scan(scope.Workspace(ctx, workspaceID), &rows)
	if err != nil {
		return nil, store.MapError(err)
	}
	counts := make(map[string]map[knowledge.State]int, len(sourceIDs))
	for _, row := range rows {
		if counts[row.SourceID] == nil {
			counts[row.SourceID] = map[knowledge.State]int{}
		}
		counts[row.SourceID][row.State] = row.Count
	}
	return counts, nil
}

// RemovalPage returns a page of a chatbot's receipts.
func (s *KnowledgePages) RemovalPage(ctx context.Context, workspaceID, chatbotID string, slice browse.Slice) ([]knowledge.Removal, error) {
	rows, err := s.store.Client(ctx).Removal.Query().Where(removal.ChatbotID(chatbotID)).Where(store.Sliced(slice, removal.FieldRequestedAt)).
		All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, removalFromRow)
}

// PassagePage returns passages of a document's version in order.
func (s *KnowledgePages) PassagePage(ctx context.Context, workspaceID, documentID string, version, from, limit int) ([]retrieval.Passage, error) {
	rows, err := s.store.Client(ctx).Passage.Query().
		Where(passage.DocumentID(documentID), passage.Version(version), passage.OrdinalGTE(from)).
		Order(passage.ByOrdinal()).Limit(limit).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, passageFromRow)
}

// spanBatch is how many spans one query asks for.
const spanBatch = 100

// SpanTexts returns the texts of spans of documents. A span may hold several
// passages: the search gives a passage together with its neighbors.
func (s *KnowledgePages) SpanTexts(ctx context.Context, workspaceID, chatbotID string, spans []browse.Span) (map[browse.Span]string, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	texts := map[browse.Span]string{}
	return texts, store.InBatches(spans, spanBatch, func(some []browse.Span) error {
		where := make([]predicate.Passage, len(some))
		for i, span := range some {
			where[i] = passage.And(passage.DocumentID(span.DocumentID), passage.Version(span.Version), passage.StartGTE(span.Start), passage.EndLTE(span.End), passage.EndGT(0))
		}
		rows, err := s.store.Client(ctx).Passage.Query().Where(passage.ChatbotID(chatbotID), passage.Or(where...)).Order(passage.ByOrdinal()).All(ctx)
		if err != nil {
			return store.MapError(err)
		}
		for _, span := range some {
			var parts []string
			for _, row := range rows {
				if row.DocumentID == span.DocumentID && row.Version == span.Version && row.Start >= span.Start && row.End <= span.End {
					parts = append(parts, row.Text)
				}
			}
			if len(parts) > 0 {
				texts[span] = strings.Join(parts, "\n\n")
			}
		}
		return nil
	})
}

// beginnings are those of an answer and of its question.
const beginnings = `SELECT substr(a.content, 1, $3), COALESCE((SELECT substr(q.content, 1, $3) FROM messages q
	WHERE q.workspace_id = $1 AND q.conversation_id = a.conversation_id AND q.id < a.id AND q.role = 'user' ORDER BY q.id DESC LIMIT 1), '')
	FROM messages a WHERE a.workspace_id = $1 AND a.id = $2`

// AnswersGiven returns the latest answers that were given a document, of the
// chatbot's newest conversations: what was said before that would have to be
// read whole.
func (s *KnowledgePages) AnswersGiven(ctx context.Context, workspaceID, chatbotID, documentID string, conversations, limit int) ([]browse.Answer, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	newest, err := s.store.Client(ctx).Conversation.Query().Where(conversation.ChatbotID(chatbotID)).
		Order(conversation.ByID(entsql.OrderDesc())).Limit(conversations).IDs(ctx)
	if err != nil || len(newest) == 0 {
		return nil, store.MapError(err)
	}
	rows, err := s.store.Client(ctx).Message.Query().Where(message.ConversationIDIn(newest...),
		message.DocumentIdsContains(" "+documentID+" ")).Order(message.ByID(entsql.OrderDesc())).Limit(limit).
		Select(message.FieldID, message.FieldConversationID, message.FieldSources, message.FieldCreatedAt).All(ctx)
	if err != nil {
		return nil, store.MapError(err)
	}
	answers := make([]browse.Answer, len(rows))
	for i, row := range rows {
		sources, err := citation.FromColumn(row.Sources)
		if err != nil {
			return nil, err
		}
		a := browse.Answer{ConversationID: row.ConversationID, At: row.CreatedAt.UTC()}
		for _, source := range sources {
			a.Cited = a.Cited || source.Cited && source.DocumentID == documentID
		}
		if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&a.Text, &a.Question}, beginnings, workspaceID, row.ID, browse.AnswerChars); err != nil {
			return nil, store.MapError(err)
		}
		answers[i] = a
	}
	return answers, nil
}
