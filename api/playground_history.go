package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/core/insight"
	"parley/core/knowledge/browse"
	"parley/text/markdown"
)

// maxTried is how many turns of a conversation the playground shows.
const maxTried = 50

// triedData answers GET …/playground/conversations/:conversation_id/messages.
type triedData struct {
	Turns []triedTurnData `json:"turns"`
}

// triedTurnData is a question with its answer. An answer that is being generated
// has no inspection.
type triedTurnData struct {
	Question  string          `json:"question"`
	MessageID int64           `json:"message_id"`
	Status    string          `json:"status"`
	Answer    string          `json:"answer"`
	Inspect   *inspectionData `json:"inspect"`
	// Rating is "up" or "down", or missing.
	Rating  string `json:"rating,omitzero"`
	Comment string `json:"comment,omitzero"`
}

// messages reads a conversation back, with what its answers were made from and
// what the member thinks of them.
func (h playground) messages(c *fiber.Ctx, at visit) error {
	principal, ref, err := h.tried(c, at)
	if err != nil {
		return err
	}
	turns, err := h.Turns.History(c.UserContext(), principal, ref, maxTried)
	if err != nil {
		return err
	}
	inspector, err := h.inspector(c.UserContext(), principal)
	if err != nil {
		return err
	}
	rated, err := h.rated(c.UserContext(), at, ref)
	if err != nil {
		return err
	}
	answers := wire.MapSlice(turns, func(t turn.Stored) turn.Answer { return t.Answer })
	texts := h.texts(c.UserContext(), at, answers...)
	data := triedData{Turns: make([]triedTurnData, len(turns))}
	for i, answer := range answers {
		told := triedTurnData{Question: turns[i].Question, MessageID: h.IDs.Message(answer.MessageID), Status: wire.StatusToWire(answer.Status, answer.Finish)}
		if answer.Status != chat.Generating {
			inspection := inspector.inspect(answer, texts[i])
			inspection.Checked = false // it is not kept
			if i == len(answers)-1 {
				answer.ConversationID = ref.ConversationID
				inspection.Suggestions = followUps(h).of(c.UserContext(), principal, turns[i].Question, answer)
			}
			told.Answer, told.Inspect = answer.Text, &inspection
		}
		if f := rated[answer.MessageID]; f != nil {
			told.Rating, told.Comment = wire.RatingToWire(f.Rating), f.Comment
		}
		data.Turns[i] = told
	}
	return succeed(c, data)
}

// rated returns the feedback on the answers of a conversation, by their ids.
func (h playground) rated(ctx context.Context, at visit, ref chat.Ref) (map[int64]*insight.Feedback, error) {
	thread, err := h.History.Thread(ctx, at.WorkspaceID, at.ID, at.person.User.ID, ref.ConversationID, 0)
	if err != nil {
		return nil, err
	}
	rated := map[int64]*insight.Feedback{}
	for i := range thread.Messages {
		if m := &thread.Messages[i]; m.Feedback != nil {
			rated[m.ID] = m.Feedback
		}
	}
	return rated, nil
}

// texts are the beginnings, without Markdown, of the passages of answers. An
// answer that has just been made brings them, another's are read. What is not
// there any more is empty, and so is what cannot be read: an answer is worth
// showing without it.
func (h playground) texts(ctx context.Context, at visit, answers ...turn.Answer) [][]string {
	var spans []browse.Span
	for i := range answers {
		if a := &answers[i]; !hasTexts(a) {
			for _, citation := range a.Citations {
				spans = append(spans, spanOf(citation))
			}
		}
	}
	stored, err := h.Browser.Texts(ctx, at.WorkspaceID, at.ID, spans)
	if err != nil {
		h.Log.Log(ctx, fault.Level(err), "the passages of an answer cannot be read", "error", err)
	}
	all := make([][]string, len(answers))
	for i := range answers {
		a := &answers[i]
		for n, citation := range a.Citations {
			text := stored[spanOf(citation)]
			if hasTexts(a) {
				text = a.Passages[n].Text
			}
			all[i] = append(all[i], markdown.Excerpt(text))
		}
	}
	return all
}

// hasTexts says that an answer has just been made.
func hasTexts(a *turn.Answer) bool { return len(a.Passages) >= len(a.Citations) }

func spanOf(c answer.Citation) browse.Span {
	return browse.Span{DocumentID: c.DocumentID, Version: c.Version, Start: c.Start, End: c.End}
}
