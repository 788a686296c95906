package turn_test

import (
	"strings"
	"testing"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/store/bots"
	knowledgestore "parley/store/knowledge"
)

func TestEqualQuestions(t *testing.T) {
	remembering := func(t *testing.T) *speaking {
		s := newSpeaking(t, "Yes", ".")
		s.caller.Chatbot.CacheAnswers = true
		return s
	}
	ask := func(s *speaking, question string) turn.Answer {
		s.Helper()
		answer, _, err := s.run(s.Service, turn.Ask{Message: question})
		if err != nil || answer.Text != "Yes." {
			s.Errorf("got %+v, %v", answer, err)
		}
		return answer
	}

	t.Run("are answered alike without a model, each in a conversation of its own, and counted", func(t *testing.T) {
		s := remembering(t)
		first := ask(s, "Is it so?")
		second := ask(s, "  Is it\nso? ")
		s.wantCalls(1)
		if second.MessageID == first.MessageID || second.Usage().TotalTokens() != 0 {
			t.Errorf("the second answer is %+v", second)
		}
		s.wantUsed("2026-11", 2)
	})

	t.Run("are answered by the model where the owner has not chosen otherwise", func(t *testing.T) {
		s := newSpeaking(t, "Yes", ".")
		ask(s, "Is it so?")
		ask(s, "Is it so?")
		s.wantCalls(2)
	})

	for name, change := range map[string]func(*speaking){
		"another question":    func(s *speaking) { s.question = "Is it not?" },
		"another instruction": func(s *speaking) { s.caller.Chatbot.Instructions = "Be brief." },
		"another model":       func(s *speaking) { s.caller.Chatbot.Model = chatbot.ModelChoice{ProviderID: "mp_1", Name: "m"} },
		"another chatbot": func(s *speaking) {
			s.must(bots.NewChatbots(s.db).CreateChatbot(s.Context(), home, chatbot.Chatbot{ID: "cb_other", Name: "Other", CreatedAt: noon}))
			s.caller.Chatbot.ID = "cb_other"
		},
		"a later day": func(s *speaking) { s.now = s.now.AddDate(0, 0, 1) },
		"other knowledge": func(s *speaking) {
			document := knowledge.Document{
				ID: "doc_1", WorkspaceID: home, ChatbotID: "cb_" + home, Kind: knowledge.Text, State: knowledge.Pending,
				ContentHash: strings.Repeat("0f", 32), CreatedAt: noon,
			}
			s.must(knowledgestore.NewDocuments(s.db).CreateDocument(s.Context(), home, document))
			document.State, document.Version, document.Live = knowledge.Ready, 1, 1
			s.must(knowledgestore.NewDocuments(s.db).UpdateDocument(s.Context(), home, knowledge.Pending, document, false))
		},
	} {
		t.Run(name+" is answered by the model", func(t *testing.T) {
			s := remembering(t)
			s.question = "Is it so?"
			ask(s, s.question)
			change(s)
			ask(s, s.question)
			s.wantCalls(2)
		})
	}

	t.Run("in a conversation are answered by the model: what was said before counts", func(t *testing.T) {
		s := remembering(t)
		_, conversation, err := s.run(s.Service, turn.Ask{Message: "Is it so?"})
		s.must(err)
		if _, _, err := s.run(s.Service, turn.Ask{Message: "Is it so?", Ref: chat.Ref{ConversationID: conversation}}); err != nil {
			t.Error(err)
		}
		s.wantCalls(2)
	})

	t.Run("of which the first failed are answered by the model", func(t *testing.T) {
		s := remembering(t)
		s.speaker.fail = fault.New(fault.Upstream, "The model is away.")
		if _, _, err := s.run(s.Service, turn.Ask{Message: "Is it so?"}); !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v", err)
		}
		s.speaker.fail = nil
		ask(s, "Is it so?")
		s.wantCalls(2)
	})
}

func TestRewrittenOnce(t *testing.T) {
	t.Run("a rewritten question is not rewritten again when its answer is begun again", func(t *testing.T) {
		s := newSpeaking(t, "What else is so?")
		s.speaker.language = true
		_, conversation, err := s.run(s.Service, turn.Ask{Message: "Is it so?"})
		s.must(err)
		next := turn.Ask{Message: "What else?", Ref: chat.Ref{ConversationID: conversation}, Key: key("k", "body")}
		s.speaker.failAt = 3 // after the first answer and the rewriting
		if _, _, err := s.run(s.Service, next); !fault.Is(err, fault.Upstream) {
			t.Fatalf("got %v", err)
		}
		answer, _, err := s.run(s.Service, next)
		if err != nil || answer.Attempt != 2 || answer.Query != "What else is so?" {
			t.Errorf("got %+v, %v", answer, err)
		}
		s.wantCalls(4)
	})
}
