package api

import (
	"context"
	"slices"
	"time"

	"parley/api/wire"
	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge/browse"
)

const (
	// earlierMessages is how much of a conversation is looked at, so that nothing is
	// suggested that was asked in it.
	earlierMessages = 20
	// suggestWait is how long an answer waits for what may follow it.
	suggestWait = 2 * time.Second
)

// followUps finds questions that may follow an answer.
type followUps struct{ *API }

// of returns the questions that may follow an answer. The question is the one that it
// answers, or empty for one that is stored. An answer is worth giving without suggestions,
// so there are none where they cannot be read.
func (h followUps) of(ctx context.Context, p *chatbot.Principal, question string, answer turn.Answer) []string {
	ctx, cancel := context.WithTimeout(ctx, suggestWait)
	defer cancel()
	bot := &p.Chatbot
	if bot.SuggestNothing {
		return []string{}
	}
	asked, err := h.asked(ctx, bot.WorkspaceID, question, answer)
	if err != nil {
		h.Log.Log(ctx, fault.Level(err), "what follows an answer cannot be suggested", "chatbot_id", bot.ID, "error", err)
		return []string{}
	}
	questions, err := h.Browser.FollowUps(ctx, bot.WorkspaceID, bot.ID, wire.MapSlice(answer.Citations, placeOf), asked, answer.Text)
	if err != nil {
		h.Log.Log(ctx, fault.Level(err), "what follows an answer cannot be suggested", "chatbot_id", bot.ID, "error", err)
	}
	return orEmpty(questions)
}

// asked are the questions of a conversation up to an answer, the latest last. Of a
// chatbot that stores no messages there is the one that was sent.
func (h followUps) asked(ctx context.Context, workspaceID, question string, answer turn.Answer) ([]string, error) {
	messages, err := h.Chat.LastMessages(ctx, workspaceID, answer.ConversationID, answer.MessageID, earlierMessages)
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, m := range messages {
		if m.Role == chat.User && m.Content != "" {
			asked = append(asked, m.Content)
		}
	}
	if question != "" && !slices.Contains(asked, question) {
		asked = append(asked, question)
	}
	if answer.Query != "" { // the latest, made self-contained
		asked = append(asked, answer.Query)
	}
	return asked, nil
}

func placeOf(c answer.Citation) browse.Place {
	return browse.Place{DocumentID: c.DocumentID, Ordinal: c.Ordinal, Cited: c.Cited}
}

// orEmpty makes sure that JSON has a list and not null.
func orEmpty(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
