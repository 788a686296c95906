package turn_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	chatstore "parley/store/chat"
	"parley/text/markdown"
)

func TestResumed(t *testing.T) {
	lasting := turn.Ask{Message: "Question?", Delivery: turn.Delivery{Format: markdown.HTML, IDs: true, Usage: true}}
	const whole = "Öne two three four."

	t.Run("a stream is resumed after each of its events, here and elsewhere, while it is generated and afterward", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		s.lets()
		asked, err := s.Begin(t.Context(), s.caller, lasting)
		s.must(err)
		events, ended := make(chan turn.Event, 100), make(chan error, 1)
		go func() {
			_, err := asked.Run(t.Context(), func(e turn.Event) error {
				events <- e
				return nil
			})
			ended <- err
		}()
		positions := []turn.Position{asked.From}
		var all sync.WaitGroup
		resume := func(on *turn.Service, from *turn.Position, want string) {
			all.Go(func() {
				resumed, err := on.Resume(t.Context(), s.caller, chat.Ref{ConversationID: asked.Conversation.ID}, from)
				if err != nil {
					t.Errorf("from %v: %v", from, err)
					return
				}
				if resumed.Delivery != lasting.Delivery {
					t.Errorf("it is delivered as %+v", resumed.Delivery)
				}
				var read strings.Builder
				answer, err := resumed.Run(t.Context(), func(e turn.Event) error {
					if e.Kind == turn.Delta {
						read.WriteString(e.Text)
					}
					return nil
				})
				if err != nil || read.String() != want || answer.Text != whole || answer.Status != chat.Complete {
					t.Errorf("from %v: %q of %+v, %v", from, read.String(), answer, err)
				}
			})
		}
		everywhere := func(from turn.Position) {
			resume(s.Service, &from, whole[from.Offset:])
			resume(s.other, &from, whole[from.Offset:])
		}
		everywhere(asked.From)
		for i := range 4 {
			if i > 0 {
				s.speaker.let <- struct{}{}
			}
			for read := false; !read; {
				e := <-events
				read = e.Kind == turn.Delta
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

	t.Run("whatever a client has read of a stream is stored, even if the process dies", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		s.lets()
		asked, err := s.Begin(t.Context(), s.caller, lasting)
		s.must(err)
		events := make(chan turn.Event, 100)
		go func() {
			_, _ = asked.Run(t.Context(), func(e turn.Event) error {
				events <- e
				return nil
			})
		}()
		for e := range events {
			if e.Kind == turn.Delta {
				stored, err := chatstore.NewTurns(s.db).Turn(t.Context(), home, asked.Conversation.ID, asked.AnswerID)
				if err != nil || stored.Answer.Text[:e.At.Offset] != whole[:e.At.Offset] {
					t.Errorf("at %v stored is %q, %v", e.At, stored.Answer.Text, err)
				}
				break
			}
		}
		s.must(s.other.InterruptAll(t.Context()))
		resumed, err := s.other.Resume(t.Context(), s.caller, chat.Ref{ConversationID: asked.Conversation.ID}, nil)
		s.must(err)
		answer, err := resumed.Run(t.Context(), func(turn.Event) error { return nil })
		if !fault.Is(err, fault.Upstream) || answer.Status != chat.Interrupted || answer.Text != "Öne" {
			t.Errorf("got %+v, %v", answer, err)
		}
		s.EndAll(errors.New("over"))
		s.Wait()
	})

	t.Run("a turn that can be resumed goes on without its caller, and another ends", func(t *testing.T) {
		for _, c := range []struct {
			ask  turn.Ask
			want chat.Status
		}{{lasting, chat.Complete}, {turn.Ask{Message: "Question?"}, chat.Interrupted}, {keyed("k"), chat.Interrupted}} {
			s := newSpeaking(t, "Öne", " two", " three", " four.")
			s.lets()
			ctx, cancel := context.WithCancelCause(t.Context())
			asked, err := s.Begin(ctx, s.caller, c.ask)
			s.must(err)
			ended := make(chan error, 1)
			go func() {
				_, err := asked.Run(ctx, func(turn.Event) error { return nil })
				ended <- err
			}()
			<-s.speaker.said
			cancel(turn.ErrLeft)
			if err := <-ended; !errors.Is(err, turn.ErrLeft) {
				t.Errorf("the caller gets %v", err)
			}
			close(s.speaker.let)
			s.Wait()
			stored, err := chatstore.NewTurns(s.db).Turn(t.Context(), home, asked.Conversation.ID, asked.AnswerID)
			if err != nil || stored.Answer.Status != c.want {
				t.Errorf("%+v is stored as %v, %v", c.ask, stored.Answer.Status, err)
			}
		}
	})

	t.Run("a caller that leaves does not end the answer for one that waits with the same key", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		s.lets()
		ctx, cancel := context.WithCancelCause(t.Context())
		asked, err := s.Begin(ctx, s.caller, keyed("k"))
		s.must(err)
		go func() { _, _ = asked.Run(ctx, nil) }()
		<-s.speaker.said
		second, err := s.Begin(t.Context(), s.caller, keyed("k"))
		s.must(err)
		first := make(chan struct{})
		answered := make(chan turn.Answer, 1)
		go func() {
			var once sync.Once
			answer, _ := second.Run(t.Context(), func(turn.Event) error {
				once.Do(func() { close(first) })
				return nil
			})
			answered <- answer
		}()
		<-first
		cancel(turn.ErrLeft)
		close(s.speaker.let)
		if answer := <-answered; answer.Text != whole || answer.Status != chat.Complete {
			t.Errorf("got %+v", answer)
		}
		s.wantCalls(1)
	})

	t.Run("a caller that waits with the same key before the answer has begun does not end it by leaving", func(t *testing.T) {
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
		answered := make(chan turn.Answer, 1)
		go func() {
			answer, _ := first.Run(t.Context(), nil)
			answered <- answer
		}()
		<-s.speaker.said
		cancel(turn.ErrLeft)
		<-left
		close(s.speaker.let)
		if answer := <-answered; answer.Text != whole || answer.Status != chat.Complete {
			t.Errorf("got %+v", answer)
		}
		s.wantCalls(1)
	})

	t.Run("a caller that waits gets the answer even if the first caller leaves before it has begun", func(t *testing.T) {
		s := newSpeaking(t, "Öne", " two", " three", " four.")
		ctx, cancel := context.WithCancelCause(t.Context())
		first, err := s.Begin(ctx, s.caller, keyed("k"))
		s.must(err)
		second, err := s.Begin(t.Context(), s.caller, keyed("k"))
		s.must(err)
		answered := make(chan turn.Answer, 1)
		go func() {
			answer, err := second.Run(t.Context(), nil)
			if err != nil {
				t.Error(err)
			}
			answered <- answer
		}()
		s.waitForReaders(first.AnswerID, 1)
		cancel(turn.ErrLeft)
		first.Abandon(ctx)
		if answer := <-answered; answer.Text != whole || answer.Attempt != 2 {
			t.Errorf("got %+v", answer)
		}
		s.wantKept(first.Conversation.ID, 1, 2, 1, whole)
	})

	t.Run("a position of another conversation is refused", func(t *testing.T) {
		s := newSpeaking(t, "Öne.")
		answer, conversation, err := s.run(s.Service, lasting)
		s.must(err)
		_, otherConversation, err := s.run(s.Service, lasting)
		s.must(err)
		at := turn.Position{AnswerID: answer.MessageID, Attempt: 1}
		for name, c := range map[string]struct {
			conversation int64
			change       func(*turn.Position)
			want         fault.Kind
		}{
			"of another conversation":      {otherConversation, func(*turn.Position) {}, fault.Invalid},
			"of no answer":                 {conversation, func(p *turn.Position) { p.AnswerID += 100 }, fault.Invalid},
			"behind the end":               {conversation, func(p *turn.Position) { p.Offset = 6 }, fault.Invalid},
			"in the midst of a letter":     {conversation, func(p *turn.Position) { p.Offset = 1 }, fault.Invalid},
			"of an attempt that never was": {conversation, func(p *turn.Position) { p.Attempt = 2 }, fault.Invalid},
			"of a foreign conversation":    {conversation + 100, func(*turn.Position) {}, fault.NotFound},
			"of the question, no answer":   {conversation, func(p *turn.Position) { p.AnswerID-- }, fault.Invalid},
		} {
			from := at
			c.change(&from)
			if _, err := s.Resume(t.Context(), s.caller, chat.Ref{ConversationID: c.conversation}, &from); !fault.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		made, err := s.Chats.CreateConversation(t.Context(), s.caller, chat.Start{})
		s.must(err)
		if _, err := s.Resume(t.Context(), s.caller, chat.Ref{ConversationID: made.ID}, nil); !fault.Is(err, fault.NotFound) {
			t.Errorf("a conversation without an answer: %v", err)
		}
	})
}
