package turn

import (
	"context"
	"errors"
	"slices"
	"testing"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
)

// changing is a database with conversation 1, which other processes change.
type changing struct {
	oneConversation
	conversation chat.Conversation
	gone         bool
	// did says what was asked of the database.
	did []string
}

func (s *changing) Conversation(context.Context, string, string, int64) (chat.Conversation, error) {
	s.did = append(s.did, "look up")
	if s.gone {
		return chat.Conversation{}, fault.New(fault.NotFound, "Conversation not found.")
	}
	return s.conversation, nil
}

func (s *changing) BeginTurn(ctx context.Context, workspaceID string, opening Opening) (int64, []chat.Message, error) {
	s.did = append(s.did, "begin")
	if opening.Seen != nil && (s.gone || *opening.Seen != s.conversation.ExternalUserID) {
		return 0, nil, ErrNotAsSeen
	}
	return s.oneConversation.BeginTurn(ctx, workspaceID, opening)
}

func TestRememberedConversation(t *testing.T) {
	lookUp, known, changed := []string{"look up", "begin"}, []string{"begin"}, []string{"begin", "look up", "begin"}
	another := *caller
	another.Chatbot.ID = "cb_other"
	separate := *caller
	separate.Chatbot.SeparateEndUsers = true
	for sentence, c := range map[string]struct {
		// change happens between two questions of a caller.
		change func(*changing)
		by     *chatbot.Principal
		user   string
		did    []string
		err    error
	}{
		"the next turn begins without looking the conversation up":                        {by: caller, did: known},
		"one that another server has deleted is not found":                                {change: func(s *changing) { s.gone = true }, by: caller, did: changed[:2], err: chat.ErrNoConversation},
		"one that another server has tied to an end user is looked up once more":          {change: func(s *changing) { s.conversation.ExternalUserID = "alice" }, by: caller, did: changed},
		"one that became another end user's is not found where they are separate":         {change: func(s *changing) { s.conversation.ExternalUserID = "alice" }, by: &separate, did: changed[:2], err: chat.ErrNoConversation},
		"a question that ties it to an end user looks it up, because that is stored, too": {by: caller, user: "bob", did: lookUp},
		"another chatbot has to look it up":                                               {by: &another, did: lookUp},
	} {
		t.Run(sentence, func(t *testing.T) {
			store := &changing{conversation: chat.Conversation{ID: 1, WorkspaceID: "ws", ChatbotID: "cb", Origin: chat.API, Title: "Opening hours"}}
			s := serviceWith(&store.oneConversation, nothingFound{}, says{text: "Yes."})
			s.Turns, s.Chats = store, chat.New(chat.Ports{Conversations: store}, nil, s.Now, s.Log)
			begin := func(by *chatbot.Principal, user string) error {
				store.did = nil
				ask := question()
				ask.ExternalUserID = user
				turn, err := s.Begin(t.Context(), by, ask)
				if err != nil {
					return err
				}
				_, err = turn.Run(t.Context(), func(Event) error { return nil })
				return err
			}
			if err := begin(caller, ""); err != nil || !slices.Equal(store.did, lookUp) {
				t.Fatalf("the first did %q: %v", store.did, err)
			}
			if c.change != nil {
				c.change(store)
			}
			if err := begin(c.by, c.user); !errors.Is(err, c.err) || !slices.Equal(store.did, c.did) {
				t.Errorf("the second did %q: %v", store.did, err)
			}
			isFree(t, s)
		})
	}
	t.Run("one that got its title with the turn that was just begun is remembered", func(t *testing.T) {
		store := &changing{conversation: chat.Conversation{ID: 1, WorkspaceID: "ws", ChatbotID: "cb", Origin: chat.API}}
		s := serviceWith(&store.oneConversation, nothingFound{}, says{text: "Yes."})
		s.Turns, s.Chats = store, chat.New(chat.Ports{Conversations: store}, nil, s.Now, s.Log)
		for _, did := range [][]string{lookUp, known} {
			store.did = nil
			turn, err := s.Begin(t.Context(), caller, question())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := turn.Run(t.Context(), func(Event) error { return nil }); err != nil || !slices.Equal(store.did, did) {
				t.Errorf("it did %q: %v", store.did, err)
			}
		}
	})
	t.Run("one without a title is not remembered, because the next turn gives it one", func(t *testing.T) {
		r := newRemembered()
		r.put(chat.Conversation{ID: 1, WorkspaceID: "ws", ChatbotID: "cb"})
		if _, ok := r.of("ws", "cb", 1); ok {
			t.Error("it is remembered")
		}
	})
	t.Run("one of another workspace is not taken for it", func(t *testing.T) {
		r := newRemembered()
		r.put(chat.Conversation{ID: 1, WorkspaceID: "ws", ChatbotID: "cb", Title: "Hours"})
		if _, ok := r.of("other", "cb", 1); ok {
			t.Error("it is")
		}
	})
}
