package insight

import (
	"context"
	"strings"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chatbot"
)

// Asker answers questions of owners. Nothing of it is kept or counted.
type Asker struct{ answers *answer.Pipeline }

// NewAsker returns an asker that has answers made by a pipeline.
func NewAsker(answers *answer.Pipeline) *Asker { return &Asker{answers} }

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

// Ask answers a question as a conversation that begins with it would be
// answered, but for the cache.
func (a *Asker) Ask(ctx context.Context, bot chatbot.Chatbot, question string) (Reply, error) {
	bot.CacheAnswers = false
	draft := a.answers.Draft(&bot, question, "")
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
