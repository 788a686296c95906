package chat

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
	// finishWithin bounds the storing of an answer whose caller is gone.
	finishWithin = 10 * time.Second
)

// Turn is a question that has been stored and awaits its answer. Exactly one
// of [Turn.Run] and [Turn.Abandon] is to be called.
type Turn struct {
	Conversation Conversation
	AnswerID     int64
	// Passages are what the question is answered from, best first.
	Passages []knowledge.Found

	service *Service
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
}

// Begin stores the question and retrieves what answers it. Its failures are
// Invalid, NotFound (the conversation), Conflict (the conversation is busy)
// and Upstream (retrieval).
func (s *Service) Begin(ctx context.Context, p chatbot.Principal, ask Ask) (*Turn, error) {
	if err := checkAsk(p, ask); err != nil {
		return nil, err
	}
	turn := &Turn{service: s, leave: func() {}}
	var history []Message
	var err error
	if ask.ConversationID == nil {
		err = s.beginNew(ctx, p, ask, turn)
	} else {
		history, err = s.beginNext(ctx, p, ask, turn)
	}
	if err != nil {
		return nil, err
	}
	s.track(turn.AnswerID)
	ready := false
	defer func() { // a panic must not leave the conversation busy either
		if !ready {
			turn.Abandon(ctx)
		}
	}()
	if err := s.retrieve(ctx, p.Chatbot, ask.Message, history, turn); err != nil {
		return nil, err
	}
	ready = true
	return turn, nil
}

// beginNew stores the question in a new conversation.
func (s *Service) beginNew(ctx context.Context, p chatbot.Principal, ask Ask, turn *Turn) error {
	return s.store.InTx(ctx, func(ctx context.Context) (err error) {
		conversation := s.newConversation(p, ask.ExternalUserID)
		if turn.Conversation, err = s.store.CreateConversation(ctx, p.Chatbot.WorkspaceID, conversation); err != nil {
			return err
		}
		turn.AnswerID, err = s.store.BeginTurn(ctx, p.Chatbot.WorkspaceID, s.newTurn(turn.Conversation.ID, ask))
		return err
	})
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
	leave, err := s.queue.enter(waiting, conversation.ID)
	if err != nil {
		return nil, err
	}
	var history []Message
	for {
		history, err = s.append(ctx, p.Chatbot.WorkspaceID, ask, conversation, turn)
		if !fault.Is(err, fault.Conflict) {
			break
		}
		if !sleep(waiting, turnPoll) {
			err = gaveUp(waiting)
			break
		}
	}
	if err != nil {
		leave()
		return nil, err
	}
	turn.Conversation, turn.leave = conversation, leave
	return history, nil
}

func (s *Service) append(ctx context.Context, workspaceID string, ask Ask, conversation Conversation, turn *Turn) (history []Message, err error) {
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		history, err = s.store.LastMessages(ctx, workspaceID, conversation.ID, historyWanted)
		if err != nil {
			return err
		}
		if ask.ExternalUserID != "" && conversation.ExternalUserID == "" {
			if err := s.store.SetExternalUser(ctx, workspaceID, conversation.ID, ask.ExternalUserID); err != nil {
				return err
			}
		}
		turn.AnswerID, err = s.store.BeginTurn(ctx, workspaceID, s.newTurn(conversation.ID, ask))
		return err
	})
	return history, err
}

func (s *Service) newTurn(conversationID int64, ask Ask) NewTurn {
	now := s.now()
	return NewTurn{ConversationID: conversationID, Question: ask.Message, At: now, LeaseUntil: now.Add(lease)}
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

// Run generates the answer, calling emit with each piece, and stores it. The
// answer is returned with the error, too: it has what was generated until
// then. An error of emit, or a ctx that ends, interrupts the generation; the
// cause of ctx is the error then.
func (t *Turn) Run(ctx context.Context, emit func(text string) error) (Answer, error) {
	answer := Answer{MessageID: t.AnswerID, Status: Complete, Model: t.service.model.Name()}
	var err error
	answer.Text, answer.Usage, err = t.generate(ctx, emit)
	if err != nil {
		answer.Status = Failed
		if ctx.Err() != nil {
			answer.Status, err = Interrupted, context.Cause(ctx)
		}
	}
	return answer, errors.Join(err, t.finish(ctx, answer))
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
	usage, err = t.service.model.Generate(ctx, t.prompt, func(piece string) error {
		piece = clean(piece)
		if piece == "" {
			return nil
		}
		text.WriteString(piece)
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
	err := t.finish(ctx, Answer{MessageID: t.AnswerID, Status: Failed, Model: t.service.model.Name()})
	if err != nil {
		t.service.log.Error("turn not ended", "message_id", t.AnswerID, "error", err)
	}
}

func (t *Turn) finish(ctx context.Context, answer Answer) error {
	defer t.leave()
	defer t.service.untrack(t.AnswerID)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancel()
	return t.service.store.InTx(ctx, func(ctx context.Context) error {
		return t.service.store.FinishTurn(ctx, t.Conversation.WorkspaceID, answer)
	})
}
