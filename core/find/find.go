// Package find looks for what a workspace has, by a part of its name: chatbots,
// documents and conversations, the latest first.
//
// It does not own the lists of those, which can be paged through and filtered
// (packages browse and history).
package find

import (
	"context"
	"strings"
	"unicode/utf8"

	"parley/core/fault"
)

// The limits of a search.
const (
	// Most is how many of each kind are found.
	Most = 6
	// Window is how many of a workspace's latest conversations are looked through,
	// so that no search takes long.
	Window = 20_000
	// maxText is how long what is looked for can be, in characters.
	maxText = 200
)

// Chatbot, Document and Conversation are what is found.
type (
	Chatbot  struct{ ID, Name string }
	Document struct{ ID, ChatbotID, Title string }

	Conversation struct {
		ID               int64
		ChatbotID, Title string
	}
)

// Query is what is looked for.
type Query struct {
	// Text is a part of a name, a title or an address, in any case.
	Text string
	// ChatbotID is the chatbot whose documents and conversations come before those
	// of others. It may be empty.
	ChatbotID string
	// Viewer is the member who looks: of the playground's conversations they find
	// their own.
	Viewer string
}

// Store is the port to what is looked through. Each method returns the latest of
// a workspace, at most [Most], and of one chatbot if its ID is given.
type Store interface {
	FoundChatbots(ctx context.Context, workspaceID, text string) ([]Chatbot, error)
	FoundDocuments(ctx context.Context, workspaceID, chatbotID, text string) ([]Document, error)
	FoundConversations(ctx context.Context, workspaceID, chatbotID, viewer, text string) ([]Conversation, error)
	// ChatbotNames returns the names of chatbots by their IDs.
	ChatbotNames(ctx context.Context, workspaceID string, ids []string) (map[string]string, error)
}

// Found is what a search finds.
type Found struct {
	Chatbots      []Chatbot
	Documents     []Document
	Conversations []Conversation
	// Names are the names, by id, of the chatbots that have the documents and conversations.
	Names map[string]string
}

// Finder searches workspaces.
type Finder struct{ store Store }

// New returns the finder of a store.
func New(store Store) *Finder { return &Finder{store} }

// Find looks in a workspace. Nothing is found of an empty text.
func (f *Finder) Find(ctx context.Context, workspaceID string, q Query) (found Found, err error) {
	text := strings.TrimSpace(q.Text)
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || utf8.RuneCountInString(text) > maxText {
		return Found{}, fault.InField("q", "Search for at most %d characters.", maxText)
	}
	if text == "" {
		return Found{}, nil
	}
	if found.Chatbots, err = f.store.FoundChatbots(ctx, workspaceID, text); err != nil {
		return Found{}, err
	}
	found.Documents, err = nearest(q.ChatbotID, func(chatbotID string) ([]Document, error) {
		return f.store.FoundDocuments(ctx, workspaceID, chatbotID, text)
	})
	if err != nil {
		return Found{}, err
	}
	found.Conversations, err = nearest(q.ChatbotID, func(chatbotID string) ([]Conversation, error) {
		return f.store.FoundConversations(ctx, workspaceID, chatbotID, q.Viewer, text)
	})
	if err != nil {
		return Found{}, err
	}
	found.Names, err = f.store.ChatbotNames(ctx, workspaceID, found.owners())
	return found, err
}

// nearest fills up what is found at a chatbot with what others have.
func nearest[Item comparable](chatbotID string, find func(chatbotID string) ([]Item, error)) ([]Item, error) {
	var all []Item
	if chatbotID != "" {
		own, err := find(chatbotID)
		if err != nil || len(own) >= Most {
			return own, err
		}
		all = own
	}
	others, err := find("")
	if err != nil {
		return nil, err
	}
	seen := make(map[Item]bool, len(all))
	for _, item := range all {
		seen[item] = true
	}
	for _, item := range others {
		if !seen[item] && len(all) < Most {
			all = append(all, item)
		}
	}
	return all, nil
}

// owners are the IDs of the chatbots that have what was found.
func (f Found) owners() []string {
	seen, ids := map[string]bool{}, []string{}
	add := func(id string) {
		if !seen[id] {
			seen[id], ids = true, append(ids, id)
		}
	}
	for _, d := range f.Documents {
		add(d.ChatbotID)
	}
	for _, c := range f.Conversations {
		add(c.ChatbotID)
	}
	return ids
}
