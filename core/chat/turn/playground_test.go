package turn_test

import (
	"testing"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	chatstore "parley/store/chat"
)

// memberOf is a member in the playground of a workspace's chatbot.
func memberOf(workspaceID, memberID string, questions int) *chatbot.Principal {
	p := callerOf(workspaceID, 0) // no message of the public API
	p.MemberID, p.Plan.Limits.PlaygroundPerMonth = memberID, questions
	return p
}

func TestThePlayground(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	anna, ben := memberOf(home, "usr_anna", 3), memberOf(home, "usr_ben", 3)
	say := func(p *chatbot.Principal, conversationID int64) (int64, turn.Answer, error) {
		begun, err := r.Begin(ctx, p, turn.Ask{Ref: chat.Ref{ConversationID: conversationID}, Message: "When do you open?"})
		if err != nil {
			return 0, turn.Answer{}, err
		}
		answer, err := begun.Run(ctx, nil)
		return begun.Conversation.ID, answer, err
	}
	counted := func(month string) int {
		n, err := chatstore.NewMonths(r.db).MessagesOf(ctx, home, month)
		r.must(err)
		return n
	}

	id, answer, err := say(anna, 0)
	r.must(err)
	if answer.Outcome != chat.NoAnswer || answer.Origin != chat.Playground || !answer.Opens {
		t.Errorf("the answer of a chatbot that knows nothing is %+v", answer)
	}
	t.Run("its conversation says who began it, and with what", func(t *testing.T) {
		c, err := r.Chats.Conversation(ctx, anna, chat.Ref{ConversationID: id})
		if err != nil || c.Origin != chat.Playground || c.BegunBy != "usr_anna" || c.Title != "When do you open?" {
			t.Errorf("it is %+v: %v", c, err)
		}
	})
	t.Run("nobody else can use it", func(t *testing.T) {
		for who, p := range map[string]*chatbot.Principal{"another member": ben, "a token": callerOf(home, 10), "a stranger": memberOf(foreign, "usr_anna", 3)} {
			_, _, err := say(p, id)
			_, _, read := r.Chats.Messages(ctx, p, chat.Ref{ConversationID: id}, chat.Page{})
			_, resumed := r.Resume(ctx, p, chat.Ref{ConversationID: id}, nil)
			_, stopped := r.Stop(ctx, p, chat.Ref{ConversationID: id}, nil)
			for what, err := range map[string]error{"asks in": err, "reads": read, "resumes": resumed, "stops": stopped} {
				if !fault.Is(err, fault.NotFound) || fault.As(err).Message != chat.ErrNoConversation.Message {
					t.Errorf("%s %s it: %v", who, what, err)
				}
			}
		}
	})
	t.Run("it goes on there, and counts in a month of its own", func(t *testing.T) {
		_, answer, err := say(anna, id)
		if err != nil || answer.Opens {
			t.Errorf("the second answer is %+v: %v", answer, err)
		}
		if n, m := counted("2026-11-playground"), counted("2026-11"); n != 2 || m != 0 {
			t.Errorf("%d count there, and %d as messages", n, m)
		}
	})
	t.Run("an answer that fails gives its question back", func(t *testing.T) {
		r.model.fail = fault.New(fault.Upstream, "The model is away.")
		_, answer, err := say(anna, id)
		r.model.fail = nil
		if !fault.Is(err, fault.Upstream) || answer.Outcome != chat.OutcomeFailed || counted("2026-11-playground") != 2 {
			t.Errorf("%d count after %v with %+v", counted("2026-11-playground"), err, answer)
		}
	})
	t.Run("the questions of a plan are those of all its members", func(t *testing.T) {
		_, _, err := say(ben, 0)
		r.must(err)
		_, _, err = say(ben, 0)
		if !fault.Is(err, fault.RateLimited) {
			t.Errorf("one too many gives %v", err)
		}
	})
}

func TestAConversationThatWasBegunWithoutAQuestionGetsItsTitleWithTheFirst(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	p := callerOf(home, 10)
	p.Token.ID = "tok_1"
	made, err := r.Chats.CreateConversation(ctx, p, chat.Start{})
	r.must(err)
	for i, question := range []string{"When do you open?", "And on Sundays?"} {
		begun, err := r.Begin(ctx, p, turn.Ask{Ref: chat.Ref{ConversationID: made.ID}, Message: question})
		r.must(err)
		answer, err := begun.Run(ctx, nil)
		r.must(err)
		if answer.Opens != (i == 0) || answer.ConversationID != made.ID {
			t.Errorf("the answer is %+v", answer)
		}
	}
	if c, err := r.Chats.Conversation(ctx, p, chat.Ref{ConversationID: made.ID}); err != nil || c.Title != "When do you open?" || c.BegunBy != "tok_1" || c.Origin != chat.API {
		t.Errorf("it is %+v: %v", c, err)
	}
}
