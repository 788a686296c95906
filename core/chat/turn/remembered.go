package turn

import (
	"errors"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"parley/core/chat"
)

// rememberedMost is how many conversations a process remembers, of some 300 bytes each.
const rememberedMost = 10_000

// ErrNotAsSeen says that a turn cannot begin as [Opening.Seen] has it.
var ErrNotAsSeen = errors.New("the conversation is busy, or not as it was seen")

// remembered are the conversations in which this process has begun turns last. What is
// remembered of one may have changed: BeginTurn compares what can.
type remembered struct {
	mu    sync.Mutex
	known *simplelru.LRU[int64, chat.Conversation]
}

func newRemembered() *remembered {
	known, _ := simplelru.NewLRU[int64, chat.Conversation](rememberedMost, nil) // fails below one
	return &remembered{known: known}
}

// of returns a conversation of a chatbot, if it is remembered.
func (r *remembered) of(workspaceID, chatbotID string, id int64) (chat.Conversation, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	conversation, ok := r.known.Get(id)
	return conversation, ok && conversation.WorkspaceID == workspaceID && conversation.ChatbotID == chatbotID
}

// put remembers a conversation that has a title. One without gets it with its next turn.
func (r *remembered) put(conversation chat.Conversation) {
	if conversation.Title == "" {
		return
	}
	conversation.Metadata = nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known.Add(conversation.ID, conversation)
}

// forgetWorkspace forgets the conversations of a workspace.
func (r *remembered) forgetWorkspace(workspaceID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range r.known.Keys() {
		if known, _ := r.known.Peek(id); known.WorkspaceID == workspaceID {
			r.known.Remove(id)
		}
	}
}

func (r *remembered) forget(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known.Remove(id)
}
