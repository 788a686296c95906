package store_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store/ports"
)

// pager reads pages while others write.
type pager struct {
	b         *bundle
	chats     *chat.Service
	principal *chatbot.Principal
}

func newPager(t *rapid.T, b *bundle, run int) *pager {
	p := &pager{b: b, chats: chat.New(ports.ForChat(b.Store, everywhere), nil, func() time.Time { return epoch }, slog.New(slog.DiscardHandler))}
	bot := chatbot.Chatbot{ID: fmt.Sprint("cb_", run), WorkspaceID: fmt.Sprint("ws_", run), CreatedAt: epoch}
	p.principal = &chatbot.Principal{Chatbot: bot}
	must(t, b.CreateWorkspace(b.Context(), tenant.Workspace{ID: bot.WorkspaceID, Plan: plan.Standard, CreatedAt: epoch}))
	must(t, b.CreateChatbot(b.Context(), bot.WorkspaceID, bot))
	return p
}

func (p *pager) workspace() string { return p.principal.Chatbot.WorkspaceID }

// checkRead fails unless rows were read once and in order, and none is missing that was
// there throughout.
func checkRead(t *rapid.T, read, throughout []int64, inOrder func(a, b int64) int) {
	if !slices.IsSortedFunc(read, inOrder) || len(slices.Compact(slices.Clone(read))) != len(read) {
		t.Fatalf("read is %v", read)
	}
	for _, id := range throughout {
		if !slices.Contains(read, id) {
			t.Fatalf("%d is missing in %v, of %v that were there throughout", id, read, throughout)
		}
	}
}

// TestPagesOfConversations reads pages while conversations begin and are deleted.
func TestPagesOfConversations(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		runs := 0
		rapid.Check(b.T, func(t *rapid.T) {
			runs++
			p := newPager(t, b, runs)
			defer func() { must(t, b.DeleteWorkspace(b.Context(), p.workspace())) }()
			users := rapid.SampledFrom([]string{"", "", "alice", "bob"})
			hours := rapid.IntRange(0, 4)
			list := chat.List{Limit: rapid.IntRange(1, 4).Draw(t, "limit"), ExternalUserID: users.Draw(t, "of")}
			if rapid.Bool().Draw(t, "of a time") {
				list.CreatedAfter = epoch.Add(time.Duration(hours.Draw(t, "after")) * time.Hour)
			}
			alive, chosen := []int64{}, map[int64]bool{}
			begin := func() {
				c := chat.Conversation{
					ChatbotID: p.principal.Chatbot.ID, Status: chat.Active, Origin: chat.API, ExternalUserID: users.Draw(t, "user"),
					CreatedAt: epoch.Add(time.Duration(hours.Draw(t, "at")) * time.Hour),
				}
				made, err := b.CreateConversation(b.Context(), p.workspace(), c)
				must(t, err)
				alive = append(alive, made.ID)
				chosen[made.ID] = (list.ExternalUserID == "" || c.ExternalUserID == list.ExternalUserID) && c.CreatedAt.After(list.CreatedAfter)
			}
			for range rapid.IntRange(0, 12).Draw(t, "before") {
				begin()
			}
			throughout := slices.DeleteFunc(slices.Clone(alive), func(id int64) bool { return !chosen[id] })
			var read []int64
			for more := true; more; {
				page, next, err := p.chats.List(b.Context(), p.principal, list)
				must(t, err)
				if more = next; more && len(page) != list.Limit || len(page) > list.Limit {
					t.Fatalf("a page has %d conversations, and more: %t", len(page), more)
				}
				for _, c := range page {
					if !chosen[c.ID] || !slices.Contains(alive, c.ID) {
						t.Fatalf("it has the conversation %d", c.ID)
					}
					read = append(read, c.ID)
					list.Before = c.ID
				}
				for range rapid.IntRange(0, 3).Draw(t, "changes") {
					if len(alive) == 0 || rapid.Bool().Draw(t, "begins") {
						begin()
						continue
					}
					gone := rapid.SampledFrom(alive).Draw(t, "gone")
					must(t, b.DeleteConversation(b.Context(), p.workspace(), p.principal.Chatbot.ID, gone))
					is := func(id int64) bool { return id == gone }
					alive, throughout = slices.DeleteFunc(alive, is), slices.DeleteFunc(throughout, is)
				}
			}
			checkRead(t, read, throughout, func(a, b int64) int { return int(b - a) })
		})
	})
}

// TestPagesOfMessages reads pages while questions are asked and answered, and fail and
// are asked again.
func TestPagesOfMessages(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		runs := 0
		rapid.Check(b.T, func(t *rapid.T) {
			runs++
			p := newPager(t, b, runs)
			defer func() { must(t, b.DeleteWorkspace(b.Context(), p.workspace())) }()
			made, err := b.CreateConversation(b.Context(), p.workspace(), chat.Conversation{ChatbotID: p.principal.Chatbot.ID, Status: chat.Active, Origin: chat.API, CreatedAt: epoch})
			must(t, err)
			talk := &pagedTalk{pager: p, conversation: made.ID}
			for range rapid.IntRange(0, 8).Draw(t, "before") {
				talk.goOn(t)
			}
			throughout := talk.settled(t)
			page := chat.Page{Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
			var read []int64
			for more := true; more; {
				messages, next, err := p.chats.Messages(b.Context(), p.principal, chat.Ref{ConversationID: made.ID}, page)
				must(t, err)
				if more = next; more && len(messages) != page.Limit || len(messages) > page.Limit {
					t.Fatalf("a page has %d messages, and more: %t", len(messages), more)
				}
				for _, m := range messages {
					read, page.After = append(read, m.ID), m.ID
				}
				for range rapid.IntRange(0, 2).Draw(t, "changes") {
					talk.goOn(t)
				}
				if len(read) > 60 { // it is written faster than it is read
					throughout = slices.DeleteFunc(throughout, func(id int64) bool { return id > page.After })
					break
				}
			}
			checkRead(t, read, throughout, func(a, b int64) int { return int(a - b) })
		})
	})
}

// pagedTalk is a conversation that goes on.
type pagedTalk struct {
	*pager
	conversation int64
	// last is the last answer.
	last turn.Answer
}

// goOn asks the next question, or ends the answer, or begins it again.
func (p *pagedTalk) goOn(t *rapid.T) {
	ctx := p.b.Context()
	switch {
	case p.last.Status == chat.Generating:
		p.last.Status = rapid.SampledFrom([]chat.Status{chat.Complete, chat.Complete, chat.Failed, chat.Stopped}).Draw(t, "status")
		p.last.Answer = answer.Answer{Text: rapid.SampledFrom([]string{"", "At seven."}).Draw(t, "text")}
		must(t, p.b.FinishTurn(ctx, p.workspace(), p.last))
	case p.last.Status == chat.Failed && rapid.Bool().Draw(t, "again"):
		attempt, err := p.b.BeginAgain(ctx, p.workspace(), turn.Retry{ConversationID: p.conversation, AnswerID: p.last.MessageID, LeaseUntil: epoch.Add(leased), Month: thisMonth})
		must(t, err)
		p.last.Attempt, p.last.Status = attempt, chat.Generating
	default:
		id, _, err := p.b.BeginTurn(ctx, p.workspace(), turn.Opening{ConversationID: p.conversation, Question: "When?", At: epoch, LeaseUntil: epoch.Add(leased), Month: thisMonth})
		must(t, err)
		p.last = turn.Answer{MessageID: id, Attempt: 1, Status: chat.Generating}
	}
}

// settled are the messages that stay: not the last answer, which may be begun again.
func (p *pagedTalk) settled(t *rapid.T) (ids []int64) {
	all, _, err := p.chats.Messages(p.b.Context(), p.principal, chat.Ref{ConversationID: p.conversation}, chat.Page{})
	must(t, err)
	for _, m := range all {
		if m.ID != p.last.MessageID {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
