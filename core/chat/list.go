package chat

import (
	"context"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
)

// List chooses conversations of the API. Its zero value chooses all.
type List struct {
	// ForEndUser chooses only the conversations of the end user ExternalUserID, or, if
	// that is empty, only conversations without an end user.
	ForEndUser     bool
	ExternalUserID string
	// CreatedAfter is when they were created at the earliest, exclusive, or zero.
	CreatedAfter time.Time
	// Status is theirs, or empty for any.
	Status string
	// Before is the id of the last conversation of the page before, or 0. It need not
	// be there any more.
	Before int64
	// Limit is from 1 to [MaxPage].
	Limit int
}

// List returns a page of the conversations of the caller's chatbot, newest first, and
// whether there are more. If the caller names an end user, it returns only that end
// user's conversations. If the caller names none and the chatbot separates its end
// users, it returns only conversations without an end user.
func (s *Service) List(ctx context.Context, p *chatbot.Principal, list List) (found []Conversation, more bool, err error) {
	if err := (Ref{ExternalUserID: list.ExternalUserID}).Check(); err != nil {
		return nil, false, err
	}
	if list.Status != "" && list.Status != Active {
		return nil, false, fault.InField("status", "status must be %s.", Active)
	}
	list.ForEndUser = list.ExternalUserID != "" || p.Chatbot.SeparateEndUsers
	wanted := list.Limit
	list.Limit++
	found, err = s.store.ListConversations(ctx, p.Chatbot.WorkspaceID, p.Chatbot.ID, list)
	if err != nil {
		return nil, false, err
	}
	if len(found) > wanted {
		return found[:wanted], true, nil
	}
	return found, false, nil
}
