package insight

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/fault"
)

// PlaygroundMonths is the port to what counts questions that are in no conversation.
type PlaygroundMonths interface {
	// CountQuestion counts a question in a month, in which it was reserved or not.
	CountQuestion(ctx context.Context, workspaceID, month string, reserved bool) error
	// UncountQuestion takes it back.
	UncountQuestion(ctx context.Context, workspaceID, month string) error
}

// AskerConfig is what [NewAsker] needs.
type AskerConfig struct {
	Answers *answer.Pipeline
	Quota   *quota.Quota
	Months  PlaygroundMonths
	Now     func() time.Time
	Log     *slog.Logger
}

// Asker answers questions of owners, as questions of the playground. Nothing else of
// them is kept.
type Asker struct{ AskerConfig }

// NewAsker returns an asker.
func NewAsker(config AskerConfig) *Asker { return &Asker{config} }

// Reply is what a chatbot answers, with what became of it.
type Reply struct {
	answer.Answer
	Outcome chat.Outcome
}

// Cites reports whether the answer cites a document.
func (r Reply) Cites(documentID string) bool {
	for _, c := range r.Citations {
		if c.Cited && c.DocumentID == documentID {
			return true
		}
	}
	return false
}

// AskAgain answers a question of a member, whose plan it is counted by.
func (a *Asker) AskAgain(ctx context.Context, p *chatbot.Principal, question string) (Reply, error) {
	ticket, err := a.Quota.Take(ctx, p.Chatbot.WorkspaceID, p.Chatbot.ID, chat.OriginOf(p), p.Plan, question)
	if err != nil {
		return Reply{}, err
	}
	return a.Ask(ctx, p.Chatbot, ticket)
}

// Ask counts the question of a ticket and answers it. One that could not be answered is
// taken back; one whose asker has left is not.
func (a *Asker) Ask(ctx context.Context, bot chatbot.Chatbot, ticket *quota.Ticket) (Reply, error) {
	month, err := a.count(ctx, bot.WorkspaceID, ticket)
	if err != nil {
		return Reply{}, err
	}
	reply, err := AnswerTo(ctx, a.Answers, bot, ticket)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		a.uncount(ctx, bot.WorkspaceID, month)
	}
	return reply, err
}

func (a *Asker) count(ctx context.Context, workspaceID string, ticket *quota.Ticket) (month string, err error) {
	ctx, cancel := chat.Storing(ctx)
	defer cancel()
	month, reserved := ticket.Counts(a.Now())
	if err := a.Months.CountQuestion(ctx, workspaceID, month, reserved); err != nil {
		err = chat.TimedOut(err)
		ticket.Drop(err)
		return "", err
	}
	ticket.Keep()
	return month, nil
}

func (a *Asker) uncount(ctx context.Context, workspaceID, month string) {
	ctx, cancel := chat.Storing(context.WithoutCancel(ctx))
	defer cancel()
	if err := a.Months.UncountQuestion(ctx, workspaceID, month); err != nil {
		a.Log.Log(ctx, fault.Level(err), "could not take back a question without an answer", "workspace_id", workspaceID, "error", err)
		return
	}
	a.Quota.Recheck(workspaceID, chat.Playground)
}

// AnswerTo answers the question of a ticket as a conversation that begins with it would
// be answered, but for the cache.
func AnswerTo(ctx context.Context, answers *answer.Pipeline, bot chatbot.Chatbot, ticket *quota.Ticket) (Reply, error) {
	bot.CacheAnswers = false
	draft, err := answers.Draft(&bot, ticket, "")
	if err != nil {
		return Reply{}, err
	}
	if err := draft.Prepare(ctx, nil); err != nil {
		return Reply{}, err
	}
	var said said
	if err := draft.Generate(ctx, &said, true); err != nil {
		return Reply{}, err
	}
	made := draft.Answer(said.String())
	return Reply{made, chat.OutcomeOf(chat.Complete, made.Unknown)}, nil
}

// said collects an answer.
type said struct{ strings.Builder }

// Delta implements [answer.Output].
func (s *said) Delta(piece string) error {
	s.WriteString(piece)
	return nil
}

// Waiting implements [answer.Output].
func (*said) Waiting(string) error { return nil }
