package insight

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/internal/plain"
)

// Reason says why a question is a gap.
type Reason string

// The reasons.
const (
	// Unknown is that the answer said that it does not know.
	Unknown Reason = "no_answer"
	// Disliked is that it got a thumb down.
	Disliked Reason = "thumbs_down"
)

// State is what became of a gap.
type State string

// The states of a gap.
const (
	Open      State = "open"
	Answered  State = "answered"
	Dismissed State = "dismissed"
)

// Gap is a question that was not answered well.
type Gap struct {
	ID             int64
	ChatbotID      string
	ConversationID int64
	// MessageID is the answer's message id.
	MessageID int64
	Question  string
	Reason    Reason
	State     State
	// DocumentID is the question-and-answer pair that was added for it.
	DocumentID string
	CreatedAt  time.Time
}

// GapStore is the port to gaps. A missing row is a NotFound fault.
type GapStore interface {
	// Gaps returns a chatbot's gaps in a state, newest first, at most limit, with the first
	// [ListedChars] of their questions.
	Gaps(ctx context.Context, workspaceID, chatbotID string, state State, limit int) ([]Gap, error)
	// Gap returns the gap of an answer.
	Gap(ctx context.Context, workspaceID, chatbotID string, messageID int64) (Gap, error)
	// SettleGaps gives open gaps another state. An answered one gets its document.
	SettleGaps(ctx context.Context, workspaceID, chatbotID string, ids []int64, state State, documentID string, at time.Time) (int, error)
	// CountGaps is how many open gaps a chatbot has.
	CountGaps(ctx context.Context, workspaceID, chatbotID string) (int, error)
}

// Pairs is the port to the knowledge, to which answers are added.
type Pairs interface {
	Add(ctx context.Context, workspaceID, chatbotID string, request knowledge.NewDocument) (knowledge.Document, error)
}

// Gaps finds the questions that a chatbot should be taught to answer.
type Gaps struct {
	store    GapStore
	pairs    Pairs
	embedder Embedder
	now      func() time.Time
	kept     kept
}

// NewGaps returns the gaps of a store. Without an embedder questions are alike by
// their words alone.
func NewGaps(store GapStore, pairs Pairs, embedder Embedder, now func() time.Time) *Gaps {
	return &Gaps{store: store, pairs: pairs, embedder: embedder, now: now, kept: kept{of: map[place]*keptGroups{}}}
}

const (
	// GroupedAtMost is how many open gaps are grouped, the newest.
	GroupedAtMost = 1_000
	// ListedChars is how much of each question is read and compared.
	ListedChars = 2_000
)

// ErrNoGap says that a gap does not exist.
var ErrNoGap = fault.New(fault.NotFound, "This question is no longer in the list.")

// Groups returns the open gaps in groups of alike questions, the largest first.
func (g *Gaps) Groups(ctx context.Context, workspaceID, chatbotID string) ([]Group, error) {
	return g.Newest(ctx, workspaceID, chatbotID, GroupedAtMost)
}

// Newest is Groups of the newest open gaps.
func (g *Gaps) Newest(ctx context.Context, workspaceID, chatbotID string, among int) ([]Group, error) {
	among = min(among, GroupedAtMost)
	open, err := g.store.Gaps(ctx, workspaceID, chatbotID, Open, among)
	if err != nil {
		return nil, err
	}
	return g.grouped(ctx, place{workspaceID, chatbotID, among}, open), nil
}

// Count is how many open gaps a chatbot has.
func (g *Gaps) Count(ctx context.Context, workspaceID, chatbotID string) (int, error) {
	return g.store.CountGaps(ctx, workspaceID, chatbotID)
}

// Settled returns the latest gaps that were answered.
func (g *Gaps) Settled(ctx context.Context, workspaceID, chatbotID string, limit int) ([]Gap, error) {
	return g.store.Gaps(ctx, workspaceID, chatbotID, Answered, limit)
}

// Of returns the gap of an answer, whatever became of it.
func (g *Gaps) Of(ctx context.Context, workspaceID, chatbotID string, messageID int64) (Gap, error) {
	gap, err := g.store.Gap(ctx, workspaceID, chatbotID, messageID)
	if fault.Is(err, fault.NotFound) {
		return gap, ErrNoGap
	}
	return gap, err
}

// group is the group that an open gap is in.
func (g *Gaps) group(ctx context.Context, workspaceID, chatbotID string, messageID int64) (Group, error) {
	groups, err := g.Groups(ctx, workspaceID, chatbotID)
	if err != nil {
		return Group{}, err
	}
	for _, group := range groups {
		for _, gap := range group.Gaps {
			if gap.MessageID == messageID {
				return group, nil
			}
		}
	}
	gap, err := g.Of(ctx, workspaceID, chatbotID, messageID) // beyond those that are grouped
	if err == nil && gap.State != Open {
		err = ErrNoGap
	}
	return Group{Gaps: []Gap{gap}}, err
}

// Dismiss takes the group of a gap out of the list, and returns how many
// questions there were.
func (g *Gaps) Dismiss(ctx context.Context, workspaceID, chatbotID string, messageID int64) (int, error) {
	group, err := g.group(ctx, workspaceID, chatbotID, messageID)
	if err != nil {
		return 0, err
	}
	return g.store.SettleGaps(ctx, workspaceID, chatbotID, group.ids(), Dismissed, "", g.now())
}

// maxPair is the length of the longest question and of the longest answer of a
// pair, in characters.
const maxPair = 10_000

// Answer adds a question-and-answer pair to the knowledge. An [Asker] tells, when
// the document is ready, whether it works, and [Gaps.Settle] notes that it does.
func (g *Gaps) Answer(ctx context.Context, workspaceID, chatbotID, question, answer string) (knowledge.Document, error) {
	question, answer = strings.TrimSpace(question), strings.TrimSpace(answer)
	if err := checkPair("question", "Enter the question.", question); err != nil {
		return knowledge.Document{}, err
	}
	if err := checkPair("answer", "Enter the answer.", answer); err != nil {
		return knowledge.Document{}, err
	}
	pair, err := json.Marshal([]map[string]string{{"question": question, "answer": answer}})
	if err != nil {
		return knowledge.Document{}, err
	}
	return g.pairs.Add(ctx, workspaceID, chatbotID, knowledge.NewDocument{
		Title: plain.Shorten(plain.Line(question), maxPairTitle), Kind: knowledge.Pairs, Content: string(pair),
	})
}

// Settle notes that the group of a gap is answered with a document, and returns how
// many questions there were. A gap that is settled already is none.
func (g *Gaps) Settle(ctx context.Context, workspaceID, chatbotID string, messageID int64, documentID string) (int, error) {
	group, err := g.group(ctx, workspaceID, chatbotID, messageID)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return g.store.SettleGaps(ctx, workspaceID, chatbotID, group.ids(), Answered, documentID, g.now())
}

// maxPairTitle is the length of the longest title of a pair's document.
const maxPairTitle = 100

func checkPair(field, missing, text string) error {
	switch {
	case text == "":
		return fault.InField(field, "%s", missing)
	case !plain.Storable(text):
		return fault.InField(field, "Use plain text.")
	case utf8.RuneCountInString(text) > maxPair:
		return fault.InField(field, "This is longer than %d characters. Shorten it.", maxPair)
	}
	return nil
}
