package chat_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/format"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
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
	// said is signalled after each piece.
	said chan struct{}
}

func (m *speaker) Generate(ctx context.Context, _ chat.Prompt, emit func(string) error) (chat.Generated, error) {
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
	done := chat.Generated{Model: "speaker", Usage: chat.Usage{PromptTokens: 7, CompletionTokens: len(pieces)}}
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
func (m *speaker) Traits() chat.Traits       { return chat.Traits{Language: m.language, Context: 1 << 20} }

func (m *speaker) counts() (calls, ended int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls, m.ended
}

// speaking is a room in which a speaker answers, and processes on its database.
type speaking struct {
	*room
	speaker *speaker
	caller  chatbot.Principal
	// question is what a test asks.
	question string
	// other is another process.
	*chat.Service
	other *chat.Service
}

func newSpeaking(t *testing.T, pieces ...string) *speaking {
	r := newRoom(t)
	s := &speaking{room: r, speaker: &speaker{pieces: pieces}, caller: callerOf(home, plan.Unlimited)}
	s.Service, s.other = s.process(), s.process()
	return s
}

func (s *speaking) process() *chat.Service {
	return chat.New(s.db, s.searches, chat.Always(s.speaker), func() time.Time { return s.now }, slog.New(slog.DiscardHandler))
}

// lets has the speaker wait before each piece after the first.
func (s *speaking) lets() {
	s.speaker.let, s.speaker.said = make(chan struct{}), make(chan struct{}, 100)
}

func key(value, body string) *chat.Key {
	return &chat.Key{TokenID: "tok", Route: "POST /chat", Value: value, BodyHash: body}
}

func keyed(value string) chat.Ask { return chat.Ask{Message: "Question?", Key: key(value, "body")} }

func (s *speaking) run(on *chat.Service, ask chat.Ask) (chat.Answer, int64, error) {
	turn, err := on.Begin(s.Context(), s.caller, ask)
	if err != nil {
		return chat.Answer{}, 0, err
	}
	var read strings.Builder
	answer, err := turn.Run(s.Context(), func(e chat.Event) error {
		if e.Kind == chat.Delta {
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
	return answer, turn.Conversation.ID, err
}

// waitForReaders waits until so many read an answer of this process.
func (s *speaking) waitForReaders(answerID int64, want int) {
	for s.Readers(answerID) != want {
		runtime.Gosched()
	}
}

// wantKept fails unless a conversation has a question and these answers, and
// so much was counted.
func (s *speaking) wantKept(conversation int64, questions, receipts, used int, answers ...string) {
	s.Helper()
	messages, err := s.db.Messages(s.Context(), home, conversation, 0, 0)
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
	spent, err := s.db.Spent(s.Context(), home, s.now.Add(-time.Hour), s.now.Add(time.Hour))
	s.must(err)
	n := 0
	for _, row := range spent {
		n += row.Answers
	}
	if n != receipts {
		s.Errorf("there are %d receipts, want %d: %+v", n, receipts, spent)
	}
	s.wantUsed("2026-11", used)
}

func (s *speaking) wantCalls(want int) {
	s.Helper()
	if calls, ended := s.speaker.counts(); calls != want || ended != want {
		s.Errorf("the model was called %d times and %d ended, want %d", calls, ended, want)
	}
}

func TestOnceForAKey(t *testing.T) {
	t.Run("twenty equal questions at once, on two processes, are one: one call, one question, one answer, counted once", func(t *testing.T) {
		s := newSpeaking(t, "Yes", ", ", "indeed", ".")
		first, conversation, err := s.run(s.Service, chat.Ask{Message: "Before?"})
		s.must(err)
		for name, ask := range map[string]chat.Ask{
			"in a new conversation": keyed("new"),
			"in an old one":         {Message: "Question?", ConversationID: ptr(fmt.Sprint(conversation)), Key: key("old", "body")},
		} {
			before, _ := s.speaker.counts()
			var all sync.WaitGroup
			answers, conversations := make([]chat.Answer, 20), make([]int64, 20)
			for i := range answers {
				all.Go(func() {
					on := s.Service
					if i%2 == 1 {
						on = s.other
					}
					var err error
					answers[i], conversations[i], err = s.run(on, ask)
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			all.Wait()
			for i, a := range answers {
				if a.Text != "Yes, indeed." || a.MessageID != answers[0].MessageID || a.MessageID == first.MessageID ||
					a.Usage() != answers[0].Usage() || conversations[i] != conversations[0] {
					t.Errorf("%s: one gets %+v, another %+v", name, answers[0], a)
				}
			}
			if calls, _ := s.speaker.counts(); calls != before+1 {
				t.Errorf("%s: the model was called %d times", name, calls-before)
			}
		}
		s.wantKept(conversation, 2, 3, 3, "Yes, indeed.", "Yes, indeed.")
	})

	t.Run("the same key with another body is a conflict", func(t *testing.T) {
		s := newSpeaking(t, "Yes.")
		_, conversation, err := s.run(s.Service, keyed("k"))
		s.must(err)
		_, _, err = s.run(s.Service, chat.Ask{Message: "Another?", Key: key("k", "other")})
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
		s.wantKept(conversation, 1, 1, 1, "Yes.")
	})

	t.Run("after a day the key is new", func(t *testing.T) {
		s := newSpeaking(t, "Yes.")
		_, first, err := s.run(s.Service, keyed("k"))
		s.must(err)
		s.now = s.now.Add(24*time.Hour - time.Second)
		if _, again, err := s.run(s.Service, keyed("k")); err != nil || again != first {
			t.Errorf("before it is over: %v, %v", again, err)
		}
		s.now = s.now.Add(2 * time.Second)
		if _, again, err := s.run(s.Service, keyed("k")); err != nil || again == first {
			t.Errorf("when it is over: %v, %v", again, err)
		}
		s.wantCalls(2)
	})

	t.Run("a question that failed is not asked twice, and its answer is begun again", func(t *testing.T) {
		s := newSpeaking(t, "Yes.")
		s.speaker.fail = fault.New(fault.Upstream, "The model is away.")
		if _, _, err := s.run(s.Service, keyed("k")); !fault.Is(err, fault.Upstream) {
			t.Fatalf("got %v", err)
		}
		s.wantUsed("2026-11", 0)
		s.speaker.fail = nil
		answer, conversation, err := s.run(s.other, keyed("k"))
		if err != nil || answer.Text != "Yes." || answer.Attempt != 2 {
			t.Errorf("got %+v, %v", answer, err)
		}
		s.wantKept(conversation, 1, 2, 1, "Yes.")
		s.wantCalls(2)
	})

	t.Run("what a process that died left running is begun again, and what it still says changes nothing", func(t *testing.T) {
		s := newSpeaking(t, "At last", ".")
		s.lets()
		dead, err := s.Begin(t.Context(), s.caller, keyed("k"))
		s.must(err)
		ended := make(chan error)
		go func() {
			_, err := dead.Run(t.Context(), func(chat.Event) error { return nil })
			ended <- err
		}()
		<-s.speaker.said
		late := s.process()
		s.must(late.InterruptAll(t.Context()))
		s.speaker.mu.Lock()
		s.speaker.pieces, s.speaker.let = []string{"Yes."}, nil
		s.speaker.mu.Unlock()
		answer, conversation, err := s.run(late, keyed("k"))
		if err != nil || answer.Text != "Yes." || answer.Attempt != 2 {
			t.Errorf("got %+v, %v", answer, err)
		}
		s.EndAll(errors.New("over"))
		if err := <-ended; err == nil {
			t.Error("the late process believes to have answered")
		}
		s.wantKept(conversation, 1, 2, 1, "Yes.")
	})

	t.Run("a conversation is created once for a key", func(t *testing.T) {
		s := newSpeaking(t)
		var all sync.WaitGroup
		ids := make([]int64, 20)
		for i := range ids {
			all.Go(func() {
				made, err := s.CreateConversation(t.Context(), s.caller, "u", key("c", "body"))
				if err != nil {
					t.Error(err)
				}
				ids[i] = made.ID
			})
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] || id == 0 {
				t.Errorf("the conversations are %v", ids)
				break
			}
		}
		if _, err := s.CreateConversation(t.Context(), s.caller, "v", key("c", "other")); !fault.Is(err, fault.Conflict) {
			t.Errorf("another body gets %v", err)
		}
	})
}

func ptr(text string) *string { return &text }

func TestResumed(t *testing.T) {
	lasting := chat.Ask{Message: "Question?", Delivery: chat.Delivery{Format: format.HTML, IDs: true, Usage: true}}
	const whole = "Öne two three four."

	t.Run("a stream is resumed after each of its events, here and elsewhere, while it is generated and afterwards", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		s.lets()
		turn, err := s.Begin(t.Context(), s.caller, lasting)
		s.must(err)
		events, ended := make(chan chat.Event, 100), make(chan error, 1)
		go func() {
			_, err := turn.Run(t.Context(), func(e chat.Event) error {
				events <- e
				return nil
			})
			ended <- err
		}()
		positions := []chat.Position{turn.From}
		var all sync.WaitGroup
		resume := func(on *chat.Service, from *chat.Position, want string) {
			all.Go(func() {
				resumed, err := on.Resume(t.Context(), s.caller, fmt.Sprint(turn.Conversation.ID), from)
				if err != nil {
					t.Errorf("from %v: %v", from, err)
					return
				}
				if resumed.Delivery != lasting.Delivery {
					t.Errorf("it is delivered as %+v", resumed.Delivery)
				}
				var read strings.Builder
				answer, err := resumed.Run(t.Context(), func(e chat.Event) error {
					if e.Kind == chat.Delta {
						read.WriteString(e.Text)
					}
					return nil
				})
				if err != nil || read.String() != want || answer.Text != whole || answer.Status != chat.Complete {
					t.Errorf("from %v: %q of %+v, %v", from, read.String(), answer, err)
				}
			})
		}
		everywhere := func(from chat.Position) {
			resume(s.Service, &from, whole[from.Offset:])
			resume(s.other, &from, whole[from.Offset:])
		}
		everywhere(turn.From)
		for i := range 4 {
			if i > 0 {
				s.speaker.let <- struct{}{}
			}
			for read := false; !read; {
				e := <-events
				read = e.Kind == chat.Delta
				positions = append(positions, e.At)
				everywhere(e.At)
			}
		}
		s.must(<-ended)
		all.Wait()
		for _, from := range positions {
			everywhere(from)
		}
		resume(s.other, nil, whole)
		all.Wait()
		s.wantCalls(1)
	})

	t.Run("what was read of a stream is stored, though the process dies with it", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		s.lets()
		turn, err := s.Begin(t.Context(), s.caller, lasting)
		s.must(err)
		events := make(chan chat.Event, 100)
		go func() {
			_, _ = turn.Run(t.Context(), func(e chat.Event) error {
				events <- e
				return nil
			})
		}()
		for e := range events {
			if e.Kind == chat.Delta {
				stored, err := s.db.Turn(t.Context(), home, turn.Conversation.ID, turn.AnswerID)
				if err != nil || stored.Answer.Text[:e.At.Offset] != whole[:e.At.Offset] {
					t.Errorf("at %v stored is %q, %v", e.At, stored.Answer.Text, err)
				}
				break
			}
		}
		s.must(s.other.InterruptAll(t.Context()))
		resumed, err := s.other.Resume(t.Context(), s.caller, fmt.Sprint(turn.Conversation.ID), nil)
		s.must(err)
		answer, err := resumed.Run(t.Context(), func(chat.Event) error { return nil })
		if !fault.Is(err, fault.Upstream) || answer.Status != chat.Interrupted || answer.Text != "Öne" {
			t.Errorf("got %+v, %v", answer, err)
		}
		s.EndAll(errors.New("over"))
		s.Wait()
	})

	t.Run("a turn that can be resumed goes on without its caller, and another ends", func(t *testing.T) {
		for _, c := range []struct {
			ask  chat.Ask
			want chat.Status
		}{{lasting, chat.Complete}, {chat.Ask{Message: "Question?"}, chat.Interrupted}, {keyed("k"), chat.Interrupted}} {
			s := newSpeaking(t, "Öne", " two", " three", " four.")
			s.lets()
			ctx, cancel := context.WithCancelCause(t.Context())
			turn, err := s.Begin(ctx, s.caller, c.ask)
			s.must(err)
			ended := make(chan error, 1)
			go func() {
				_, err := turn.Run(ctx, func(chat.Event) error { return nil })
				ended <- err
			}()
			<-s.speaker.said
			cancel(chat.ErrLeft)
			if err := <-ended; !errors.Is(err, chat.ErrLeft) {
				t.Errorf("the caller gets %v", err)
			}
			close(s.speaker.let)
			s.Wait()
			stored, err := s.db.Turn(t.Context(), home, turn.Conversation.ID, turn.AnswerID)
			if err != nil || stored.Answer.Status != c.want {
				t.Errorf("%+v is stored as %v, %v", c.ask, stored.Answer.Status, err)
			}
		}
	})

	t.Run("a caller who leaves does not take the answer from one who waits with the same key", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		s.lets()
		ctx, cancel := context.WithCancelCause(t.Context())
		turn, err := s.Begin(ctx, s.caller, keyed("k"))
		s.must(err)
		go func() { _, _ = turn.Run(ctx, nil) }()
		<-s.speaker.said
		second, err := s.Begin(t.Context(), s.caller, keyed("k"))
		s.must(err)
		first := make(chan struct{})
		answered := make(chan chat.Answer, 1)
		go func() {
			var once sync.Once
			answer, _ := second.Run(t.Context(), func(chat.Event) error {
				once.Do(func() { close(first) })
				return nil
			})
			answered <- answer
		}()
		<-first
		cancel(chat.ErrLeft)
		close(s.speaker.let)
		if answer := <-answered; answer.Text != whole || answer.Status != chat.Complete {
			t.Errorf("got %+v", answer)
		}
		s.wantCalls(1)
	})

	t.Run("who waits with the same key before the answer has begun does not end it by leaving", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		s.lets()
		first, err := s.Begin(t.Context(), s.caller, keyed("k"))
		s.must(err)
		second, err := s.Begin(t.Context(), s.caller, keyed("k"))
		s.must(err)
		ctx, cancel := context.WithCancelCause(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := second.Run(ctx, nil)
			left <- err
		}()
		s.waitForReaders(first.AnswerID, 1)
		answered := make(chan chat.Answer, 1)
		go func() {
			answer, _ := first.Run(t.Context(), nil)
			answered <- answer
		}()
		<-s.speaker.said
		cancel(chat.ErrLeft)
		<-left
		close(s.speaker.let)
		if answer := <-answered; answer.Text != whole || answer.Status != chat.Complete {
			t.Errorf("got %+v", answer)
		}
		s.wantCalls(1)
	})

	t.Run("who waits for an answer whose caller leaves before it has begun gets it all the same", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		ctx, cancel := context.WithCancelCause(t.Context())
		first, err := s.Begin(ctx, s.caller, keyed("k"))
		s.must(err)
		second, err := s.Begin(t.Context(), s.caller, keyed("k"))
		s.must(err)
		answered := make(chan chat.Answer, 1)
		go func() {
			answer, err := second.Run(t.Context(), nil)
			if err != nil {
				t.Error(err)
			}
			answered <- answer
		}()
		s.waitForReaders(first.AnswerID, 1)
		cancel(chat.ErrLeft)
		first.Abandon(ctx)
		if answer := <-answered; answer.Text != whole || answer.Attempt != 2 {
			t.Errorf("got %+v", answer)
		}
		s.wantKept(first.Conversation.ID, 1, 2, 1, whole)
	})

	t.Run("a position that is none of the conversation's is refused", func(t *testing.T) {
		s := newSpeaking(t, "Öne.")
		answer, conversation, err := s.run(s.Service, lasting)
		s.must(err)
		_, otherConversation, err := s.run(s.Service, lasting)
		s.must(err)
		at := chat.Position{AnswerID: answer.MessageID, Attempt: 1}
		for name, c := range map[string]struct {
			conversation int64
			change       func(*chat.Position)
			want         fault.Kind
		}{
			"of another conversation":    {otherConversation, func(*chat.Position) {}, fault.Invalid},
			"of no answer":               {conversation, func(p *chat.Position) { p.AnswerID += 100 }, fault.Invalid},
			"behind the end":             {conversation, func(p *chat.Position) { p.Offset = 6 }, fault.Invalid},
			"in the midst of a letter":   {conversation, func(p *chat.Position) { p.Offset = 1 }, fault.Invalid},
			"of another attempt":         {conversation, func(p *chat.Position) { p.Attempt = 2 }, fault.Conflict},
			"of a foreign conversation":  {conversation + 100, func(*chat.Position) {}, fault.NotFound},
			"of the question, no answer": {conversation, func(p *chat.Position) { p.AnswerID-- }, fault.Invalid},
		} {
			from := at
			c.change(&from)
			if _, err := s.Resume(t.Context(), s.caller, fmt.Sprint(c.conversation), &from); !fault.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		made, err := s.CreateConversation(t.Context(), s.caller, "", nil)
		s.must(err)
		if _, err := s.Resume(t.Context(), s.caller, fmt.Sprint(made.ID), nil); !fault.Is(err, fault.NotFound) {
			t.Errorf("a conversation without an answer: %v", err)
		}
	})
}

func TestStop(t *testing.T) {
	for name, elsewhere := range map[string]bool{"in the same process": false, "in another process": true} {
		t.Run("a turn is stopped "+name+", and keeps what was generated", func(t *testing.T) {
			s := newSpeaking(t, "Öne", " two", " three", " four.")
			s.lets()
			turn, err := s.Begin(t.Context(), s.caller, chat.Ask{Message: "Question?"})
			s.must(err)
			answered := make(chan chat.Answer, 1)
			go func() {
				answer, err := turn.Run(t.Context(), func(chat.Event) error { return nil })
				if err != nil {
					t.Error(err)
				}
				answered <- answer
			}()
			<-s.speaker.said
			from := s.Service
			if elsewhere {
				from = s.other
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					for ctx.Err() == nil {
						if err := s.StopAsked(ctx); err != nil && ctx.Err() == nil {
							t.Error(err)
						}
						time.Sleep(chat.StopsEvery)
					}
				}()
			}
			conversation := fmt.Sprint(turn.Conversation.ID)
			ending, err := from.Stop(t.Context(), s.caller, conversation, key("stop", ""))
			if want := (chat.Ending{ConversationID: turn.Conversation.ID, AnswerID: turn.AnswerID, Status: chat.Stopped}); err != nil || ending != want {
				t.Errorf("got %+v, %v", ending, err)
			}
			s.wantCalls(1)
			if answer := <-answered; answer.Text != "Öne" || answer.Status != chat.Stopped {
				t.Errorf("the caller gets %+v", answer)
			}
			s.wantKept(turn.Conversation.ID, 1, 1, 1, "Öne")

			// The same request again does not stop what was begun since.
			s.speaker.let = nil
			next, _, err := s.run(s.Service, chat.Ask{Message: "Next?", ConversationID: &conversation})
			s.must(err)
			again, err := from.Stop(t.Context(), s.caller, conversation, key("stop", ""))
			if err != nil || again != ending {
				t.Errorf("the key again gives %+v, %v", again, err)
			}
			last, err := from.Stop(t.Context(), s.caller, conversation, nil)
			if err != nil || last.AnswerID != next.MessageID || last.Status != chat.Complete {
				t.Errorf("a turn that has ended gives %+v, %v", last, err)
			}
		})
	}

	t.Run("a turn that is stopped while it begins is a conflict for its caller", func(t *testing.T) {
		s := newSpeaking(t, "Öne.")
		searching := make(chan struct{})
		s.searches.hold = func(ctx context.Context) {
			close(searching)
			<-ctx.Done()
		}
		made, err := s.CreateConversation(t.Context(), s.caller, "", nil)
		s.must(err)
		conversation := fmt.Sprint(made.ID)
		begun := make(chan error, 1)
		go func() {
			_, err := s.Begin(t.Context(), s.caller, chat.Ask{Message: "Question?", ConversationID: &conversation})
			begun <- err
		}()
		<-searching
		ending, err := s.Stop(t.Context(), s.caller, conversation, nil)
		if err != nil || ending.Status != chat.Stopped {
			t.Errorf("got %+v, %v", ending, err)
		}
		if err := <-begun; !fault.Is(err, fault.Conflict) {
			t.Errorf("its caller gets %v", err)
		}
		s.wantCalls(0)
	})

	t.Run("where nothing was asked there is nothing to stop", func(t *testing.T) {
		s := newSpeaking(t)
		made, err := s.CreateConversation(t.Context(), s.caller, "", nil)
		s.must(err)
		ending, err := s.Stop(t.Context(), s.caller, fmt.Sprint(made.ID), nil)
		if err != nil || ending != (chat.Ending{ConversationID: made.ID}) {
			t.Errorf("got %+v, %v", ending, err)
		}
		if _, err := s.Stop(t.Context(), callerOf(foreign, plan.Unlimited), fmt.Sprint(made.ID), nil); !fault.Is(err, fault.NotFound) {
			t.Errorf("another workspace gets %v", err)
		}
	})
}
