package turn_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	chatstore "parley/store/chat"
)

// speaker is a model that says its pieces, each when it is let to.
type speaker struct {
	mu     sync.Mutex
	calls  int
	ended  int
	pieces []string
	fail   error
	// failAt is the call that fails, from 1; zero is none.
	failAt int
	// language says that it follows instructions.
	language bool
	// let has a value for each piece after the first that may be said; nil
	// lets all.
	let chan struct{}
	// said is signaled after each piece.
	said chan struct{}
}

func (m *speaker) Generate(ctx context.Context, _ prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	m.mu.Lock()
	m.calls++
	pieces, fail, let := m.pieces, m.fail, m.let
	if m.calls == m.failAt {
		fail = fault.New(fault.Upstream, "The model is away.")
	}
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.ended++
	}()
	done := answer.Generated{Model: "speaker", Usage: answer.Usage{PromptTokens: 7, CompletionTokens: len(pieces)}}
	if fail != nil {
		return done, fail
	}
	for i, piece := range pieces {
		if i > 0 && let != nil {
			select {
			case <-let:
			case <-ctx.Done():
				return done, ctx.Err()
			}
		}
		if err := emit(piece); err != nil {
			return done, err
		}
		if m.said != nil {
			m.said <- struct{}{}
		}
	}
	return done, nil
}
func (*speaker) Check(context.Context) error { return nil }
func (*speaker) Name() string                { return "speaker" }
func (*speaker) Count(text string) int       { return len(text) }
func (m *speaker) Traits() answer.Traits {
	return answer.Traits{Language: m.language, Context: 1 << 20}
}

func (m *speaker) counts() (calls, ended int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls, m.ended
}

// speaking is a rig in which a speaker answers, and processes on its database.
type speaking struct {
	*rig
	speaker *speaker
	caller  *chatbot.Principal
	// question is what a test asks.
	question string
	// other is another process.
	*turn.Service
	other *turn.Service
}

func newSpeaking(t *testing.T, pieces ...string) *speaking {
	r := newRig(t)
	s := &speaking{rig: r, speaker: &speaker{pieces: pieces}, caller: callerOf(home, plan.Unlimited)}
	s.Service, s.other = s.process(), s.process()
	return s
}

func (s *speaking) process() *turn.Service {
	return open(s.db, s.searches, s.speaker, func() time.Time { return s.now })
}

// lets has the speaker wait before each piece after the first.
func (s *speaking) lets() {
	s.speaker.let, s.speaker.said = make(chan struct{}), make(chan struct{}, 100)
}

func key(value, body string) *chat.Key {
	return &chat.Key{TokenID: "tok", Route: "POST /chat", Value: value, BodyHash: body}
}

func keyed(value string) turn.Ask { return turn.Ask{Message: "Question?", Key: key(value, "body")} }

func (s *speaking) run(on *turn.Service, ask turn.Ask) (turn.Answer, int64, error) {
	asked, err := on.Begin(s.Context(), s.caller, ask)
	if err != nil {
		return turn.Answer{}, 0, err
	}
	var read strings.Builder
	answer, err := asked.Run(s.Context(), func(e turn.Event) error {
		if e.Kind == turn.Delta {
			read.WriteString(e.Text)
			if e.At.Offset != read.Len() {
				s.Errorf("after %d bytes the position is %v", read.Len(), e.At)
			}
		}
		return nil
	})
	if err == nil && read.String() != answer.Text {
		s.Errorf("read is %q of the answer %q", read.String(), answer.Text)
	}
	return answer, asked.Conversation.ID, err
}

// waitForReaders waits until so many read an answer of this process.
func (s *speaking) waitForReaders(answerID int64, want int) {
	for s.Subscribers(answerID) != want {
		runtime.Gosched()
	}
}

// wantKept fails unless a conversation has a question and these answers, and
// so much was counted.
func (s *speaking) wantKept(conversation int64, questions, records, used int, answers ...string) {
	s.Helper()
	messages, err := chatstore.NewConversations(s.db).Messages(s.Context(), home, conversation, 0, 0)
	s.must(err)
	asked, given := 0, []string(nil)
	for _, m := range messages {
		if m.Role == chat.User {
			asked++
		} else {
			given = append(given, m.Content)
		}
	}
	if asked != questions || strings.Join(given, "|") != strings.Join(answers, "|") {
		s.Errorf("%d questions are kept and the answers %q, want %d and %q", asked, given, questions, answers)
	}
	spent, err := chatstore.NewUsageRecords(s.db).Spent(s.Context(), home, s.now)
	s.must(err)
	n := 0
	for _, row := range spent {
		n += row.Answers
	}
	if n != records {
		s.Errorf("there are %d usage records, want %d: %+v", n, records, spent)
	}
	s.wantUsed("2026-11", used)
}

func (s *speaking) wantCalls(want int) {
	s.Helper()
	if calls, ended := s.speaker.counts(); calls != want || ended != want {
		s.Errorf("the model was called %d times and %d ended, want %d", calls, ended, want)
	}
}

// lookForStops does what a server does now and then.
func (s *speaking) lookForStops(ctx context.Context) {
	tick := time.NewTicker(turn.StopsEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.StopAsked(ctx); err != nil && ctx.Err() == nil {
				s.Error(err)
			}
		case <-ctx.Done():
			return
		}
	}
}
