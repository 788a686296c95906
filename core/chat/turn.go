package chat

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
)

const (
	// lease is how long an answer may stay generating without a sign of life
	// from its process.
	lease = 30 * time.Second
	// passagesWanted is how many passages a question is answered from.
	passagesWanted = 5
	// historyWanted is how many earlier messages go into the prompt.
	historyWanted = 10
	// storeWithin bounds the storing of a question or an answer, which goes on
	// when the caller leaves.
	storeWithin = 10 * time.Second
	// storeAgain is the pause after the database could not be used.
	storeAgain = 200 * time.Millisecond
)

// Turn is a question that has been stored and awaits its answer. Exactly one
// of [Turn.Run] and [Turn.Abandon] is to be called.
type Turn struct {
	Conversation Conversation
	AnswerID     int64
	// Passages are what the question is answered from, best first.
	Passages []knowledge.Found

	service *Service
	claim   *claim
	prompt  Prompt
	leave   func()
}

// Answer is the end of a turn.
type Answer struct {
	MessageID int64
	// Text is Markdown: all that was generated, whatever the status.
	Text   string
	Status Status
	Usage  Usage
	Model  string
	// DocumentIDs are those whose passages the model was given.
	DocumentIDs []string
}

// Begin stores the question and retrieves what answers it. Its failures are
// Invalid, NotFound (the conversation), Conflict (the conversation is busy),
// RateLimited (the messages of the month are used up) and Upstream (retrieval).
//
// A ctx that ends fails it with the cause of ctx.
func (s *Service) Begin(ctx context.Context, p chatbot.Principal, ask Ask) (*Turn, error) {
	if err := checkAsk(p, ask); err != nil {
		return nil, err
	}
	turn := &Turn{service: s, leave: func() {}}
	ready := false
	defer func() { // a panic must not leave the conversation busy either
		if !ready {
			turn.Abandon(ctx)
		}
	}()
	// Not on the caller's goroutine: a stream's lives on, and would keep the
	// stack that this needs.
	begun := make(chan error, 1)
	go func() { begun <- protect(func() error { return s.begin(ctx, p, ask, turn) }) }()
	err := <-begun
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	ready = true
	return turn, nil
}

func (s *Service) begin(ctx context.Context, p chatbot.Principal, ask Ask, turn *Turn) (err error) {
	// Before the search, which costs something.
	if turn.claim, err = s.quota.take(ctx, p.Chatbot.WorkspaceID, p.Plan); err != nil {
		return err
	}
	defer turn.claim.drop() // what was stored is kept
	if ask.ConversationID == nil {
		return s.beginFirst(ctx, p, ask, turn)
	}
	history, err := s.beginNext(ctx, p, ask, turn)
	if err != nil {
		return err
	}
	s.track(turn.AnswerID)
	return s.retrieve(ctx, p.Chatbot, ask.Message, history, turn)
}

// beginFirst begins the first turn of a new conversation. Nothing was said
// before, so the search need not wait for the commit.
func (s *Service) beginFirst(ctx context.Context, p chatbot.Principal, ask Ask, turn *Turn) error {
	searching, cancel := context.WithCancel(ctx)
	defer cancel()
	searched := make(chan error, 1)
	go func() {
		searched <- protect(func() error { return s.retrieve(searching, p.Chatbot, ask.Message, nil, turn) })
	}()
	err := s.beginNew(ctx, p, ask, turn)
	if err != nil {
		cancel()
		<-searched
		return err
	}
	s.track(turn.AnswerID)
	return <-searched
}

// protect turns a panic into an error: on a goroutine of its own it would end
// the process.
func protect(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return do()
}

// beginNew stores the question in a new conversation.
func (s *Service) beginNew(ctx context.Context, p chatbot.Principal, ask Ask, turn *Turn) (err error) {
	ctx, cancel := storing(ctx)
	defer cancel()
	conversation := s.newConversation(p, ask.ExternalUserID)
	turn.Conversation, turn.AnswerID, err = s.store.BeginConversation(ctx, p.Chatbot.WorkspaceID, conversation, s.newTurn(0, ask))
	if err != nil {
		return inTime(err)
	}
	turn.claim.keep()
	return nil
}

// beginNext waits for the conversation, stores the question in it and returns
// what was said before.
func (s *Service) beginNext(ctx context.Context, p chatbot.Principal, ask Ask, turn *Turn) ([]Message, error) {
	conversation, err := s.conversation(ctx, p, *ask.ConversationID)
	if err != nil {
		return nil, err
	}
	if ask.ExternalUserID != "" && conversation.ExternalUserID != "" && ask.ExternalUserID != conversation.ExternalUserID {
		return nil, errNoConversation
	}
	waiting, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	turn.Conversation = conversation
	if turn.leave, err = s.queue.enter(waiting, conversation.ID); err != nil {
		turn.leave = func() {}
		return nil, err
	}
	for {
		history, err := s.append(ctx, p.Chatbot.WorkspaceID, ask, conversation, turn)
		if !fault.Is(err, fault.Conflict) {
			return history, err
		}
		if !sleep(waiting, turnPoll) {
			return nil, gaveUp(waiting)
		}
	}
}

// append stores the question and returns what was said before it.
func (s *Service) append(ctx context.Context, workspaceID string, ask Ask, conversation Conversation, turn *Turn) (history []Message, err error) {
	ctx, cancel := storing(ctx)
	defer cancel()
	var answerID int64
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if ask.ExternalUserID != "" && conversation.ExternalUserID == "" {
			if err := s.store.SetExternalUser(ctx, workspaceID, conversation.ID, ask.ExternalUserID); err != nil {
				return err
			}
		}
		if answerID, err = s.store.BeginTurn(ctx, workspaceID, s.newTurn(conversation.ID, ask)); err != nil {
			return err
		}
		// Read before, the history could lack an answer that another process
		// stored in between. The last message is the question itself.
		history, err = s.store.LastMessages(ctx, workspaceID, conversation.ID, historyWanted+1)
		return err
	})
	if err != nil {
		return nil, inTime(err)
	}
	turn.AnswerID = answerID
	turn.claim.keep()
	return history[:len(history)-1], nil
}

// storing returns a context that does not end with the caller's: of a commit
// that is broken off nobody learns whether it happened, and the conversation
// would be busy until the lease ends.
func storing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
}

// inTime gives what was not stored in time its kind.
func inTime(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "The database cannot be used just now. Try again.")
	}
	return err
}

func (s *Service) newTurn(conversationID int64, ask Ask) NewTurn {
	now := s.now()
	return NewTurn{ConversationID: conversationID, Question: ask.Message, At: now, LeaseUntil: now.Add(lease), Month: monthName(now)}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *Service) retrieve(ctx context.Context, bot chatbot.Chatbot, question string, history []Message, turn *Turn) error {
	scope := knowledge.Scope{WorkspaceID: bot.WorkspaceID, ChatbotID: bot.ID}
	query := knowledge.Query{Text: question, Context: questions(history), Limit: passagesWanted}
	found, err := s.searcher.Search(ctx, scope, query)
	if err != nil && ctx.Err() == nil && bot.AnswerWithoutKnowledge {
		s.log.Warn("answering without knowledge", "chatbot_id", bot.ID, "error", err)
		err = nil
	}
	if err != nil {
		return fault.Wrap(fault.Upstream, err, "The knowledge could not be searched. Try again.")
	}
	turn.Passages = found
	turn.prompt = compose(bot, found, history, question)
	return nil
}

func questions(history []Message) []string {
	var asked []string
	for _, m := range history {
		if m.Role == User {
			asked = append(asked, m.Content)
		}
	}
	return asked
}

// Run generates the answer, calling emit with each piece, and stores it. With
// no emit the model need not stream. The answer is returned with the error,
// too: it has what was generated until then. An error of emit, or a ctx that
// ends, interrupts the generation; the cause of ctx is the error then.
func (t *Turn) Run(ctx context.Context, emit func(text string) error) (Answer, error) {
	answer := Answer{
		MessageID: t.AnswerID, Status: Complete, Model: t.service.model.Name(), DocumentIDs: documentIDs(t.Passages),
	}
	var err error
	answer.Text, answer.Usage, err = t.generate(ctx, emit)
	if err != nil {
		answer.Status = Failed
		if ctx.Err() != nil {
			answer.Status, err = Interrupted, context.Cause(ctx)
		}
	}
	stored := t.finish(ctx, answer)
	if stored != nil {
		t.service.log.Error("answer not stored", "message_id", t.AnswerID, "error", stored)
	}
	return answer, errors.Join(err, stored)
}

// documentIDs are the distinct documents of passages.
func documentIDs(passages []knowledge.Found) []string {
	var ids []string
	for _, p := range passages {
		if !slices.Contains(ids, p.DocumentID) {
			ids = append(ids, p.DocumentID)
		}
	}
	return ids
}

// generate returns all that the model gave, also when it failed.
func (t *Turn) generate(ctx context.Context, emit func(string) error) (answer string, usage Usage, err error) {
	var text strings.Builder
	defer func() {
		answer = text.String()
		if r := recover(); r != nil {
			err = fmt.Errorf("panic while generating: %v\n%s", r, debug.Stack())
		}
	}()
	prompt := t.prompt
	t.prompt = Prompt{} // a stream that stays open need not keep it
	prompt.Whole = emit == nil
	usage, err = t.service.model.Generate(ctx, prompt, func(piece string) error {
		piece = clean(piece)
		if piece == "" {
			return nil
		}
		text.WriteString(piece)
		if emit == nil {
			return nil
		}
		return emit(piece)
	})
	return text.String(), usage, err
}

// clean drops what no database and no reader takes.
func clean(piece string) string {
	if storable(piece) {
		return piece
	}
	return strings.ReplaceAll(strings.ToValidUTF8(piece, "\uFFFD"), "\x00", "")
}

// Abandon ends a turn that will not be run.
func (t *Turn) Abandon(ctx context.Context) {
	if t.AnswerID == 0 { // it has not begun
		t.leave()
		return
	}
	answer := Answer{MessageID: t.AnswerID, Status: Failed, Model: t.service.model.Name()}
	if ctx.Err() != nil {
		answer.Status = Interrupted
	}
	if err := t.finish(ctx, answer); err != nil {
		t.service.log.Error("turn not ended", "message_id", t.AnswerID, "error", err)
	}
}

// finish stores the answer. A database that is away for a moment does not
// lose it.
func (t *Turn) finish(ctx context.Context, answer Answer) error {
	defer t.leave()
	defer t.service.untrack(t.AnswerID)
	ctx, cancel := storing(ctx)
	defer cancel()
	for again := false; ; again = true {
		err := t.service.store.FinishTurn(ctx, t.Conversation.WorkspaceID, answer)
		if again && fault.Is(err, fault.NotFound) {
			return nil // stored at the first time, after all
		}
		if !fault.Is(err, fault.Unavailable) || !sleep(ctx, storeAgain) {
			return inTime(err)
		}
	}
}
