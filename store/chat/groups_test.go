package chat

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/core/chat"
	"parley/core/fault"
	"parley/ent/scope"
	"parley/store"
)

// shareStatements makes the groups of a store share statements however few callers there are: one
// statement is under way as long as hold runs.
func shareStatements[Row, Result any](t *testing.T, g *store.Group[Row, Result], row Row, rows func()) {
	t.Helper()
	alone, release := g.Alone, make(chan struct{})
	entered := make(chan struct{})
	var once sync.Once
	g.Alone = func(ctx context.Context, r Row) (Result, error) {
		once.Do(func() {
			close(entered)
			<-release
		})
		return alone(ctx, r)
	}
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = g.Do(t.Context(), row) })
	<-entered
	wg.Go(rows)
	close(release)
	wg.Wait()
}

func TestGroupsOnPostgres(t *testing.T) {
	b := openTurns(t)
	ctx := b.Context()
	a, other := b.fill("a"), b.fill("b")
	g := b.groups
	newConversation := func(w home, chatbot string) openingOf {
		opening := w.newTurn()
		return openingOf{workspaceID: w.id, Opening: opening, conversation: chat.Conversation{ChatbotID: chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}}
	}
	begin := func(rows []openingOf) map[int]begunTurn {
		t.Helper()
		told := map[int]begunTurn{}
		b.must(g.conversations.Together(ctx, rows, func(place int, begun begunTurn) { told[place] = begun }))
		return told
	}
	appendTo := func(rows []openingOf) map[int]begunTurn {
		t.Helper()
		told := map[int]begunTurn{}
		b.must(g.turns.Together(ctx, rows, func(place int, begun begunTurn) { told[place] = begun }))
		return told
	}
	next := func(w home, conversation int64) openingOf {
		opening := w.newTurn()
		opening.ConversationID, opening.Earlier = conversation, 3
		return openingOf{workspaceID: w.id, Opening: opening}
	}
	months := func(w home) int {
		t.Helper()
		n, err := b.months.MessagesOf(ctx, w.id, thisMonth)
		b.must(err)
		return n
	}
	keyed := func(row openingOf, value string) openingOf {
		row.Key = &chat.Claiming{Key: chat.Key{TokenID: a.token, Route: "POST /chat", Value: value, BodyHash: "hash of " + value}, Since: epoch.Add(-keysKept)}
		return row
	}
	claimed := func(t *testing.T, value string, want begunTurn) {
		t.Helper()
		got, err := b.keys.Claimed(ctx, a.id, keyed(openingOf{}, value).Key.Key, epoch.Add(-keysKept))
		if err != nil || got != (chat.Claim{BodyHash: "hash of " + value, ConversationID: want.conversationID, AnswerID: want.answerID, At: epoch}) {
			t.Errorf("the key is tied to %+v, want %+v: %v", got, want, err)
		}
	}
	end := func(w home, answerID int64) endOf { return endOf{w.id, w.newAnswer(answerID)} }

	t.Run("one statement begins conversations of several workspaces, and counts each question", func(t *testing.T) {
		before, beforeOther := months(a), months(other)
		told := begin([]openingOf{newConversation(a, a.chatbot), newConversation(other, other.chatbot), newConversation(a, a.chatbot)})
		if len(told) != 3 || told[0].conversationID == told[2].conversationID {
			t.Fatalf("begun were %v", told)
		}
		if n, m := months(a)-before, months(other)-beforeOther; n != 2 || m != 1 {
			t.Errorf("%d and %d questions were counted", n, m)
		}
		for place, w := range map[int]home{0: a, 1: other, 2: a} {
			stored, err := b.Turn(ctx, w.id, told[place].conversationID, told[place].answerID)
			if err != nil || stored.Question != w.secret || stored.Answer.Status != chat.Generating {
				t.Errorf("stored was %+v, %v", stored, err)
			}
		}
	})
	t.Run("a conversation with a chatbot of another workspace, or of none, is left out", func(t *testing.T) {
		before := months(a)
		told := begin([]openingOf{newConversation(a, other.chatbot), newConversation(a, "cb_gone"), newConversation(a, a.chatbot)})
		if _, only := told[2]; len(told) != 1 || !only || months(a)-before != 1 {
			t.Errorf("begun were %v; %d were counted", told, months(a)-before)
		}
	})
	t.Run("one statement continues conversations, and reads what was said in each", func(t *testing.T) {
		told := begin([]openingOf{newConversation(a, a.chatbot), newConversation(other, other.chatbot)})
		b.must(g.answers.Together(ctx, []endOf{end(a, told[0].answerID), end(other, told[1].answerID)}, func(int, struct{}) {}))
		again := appendTo([]openingOf{next(a, told[0].conversationID), next(other, told[1].conversationID)})
		for place, w := range map[int]home{0: a, 1: other} {
			earlier := again[place].earlier
			if len(earlier) != 2 || earlier[0].Role != chat.User || earlier[0].Content != w.secret || earlier[1].ID != told[place].answerID {
				t.Errorf("said before was %+v", earlier)
			}
		}
	})
	t.Run("a busy conversation, one asked for twice, one of another workspace and none are left out once each", func(t *testing.T) {
		told := begin([]openingOf{newConversation(a, a.chatbot), newConversation(a, a.chatbot), newConversation(other, other.chatbot)})
		b.must(g.answers.Together(ctx, []endOf{end(a, told[1].answerID), end(other, told[2].answerID)}, func(int, struct{}) {}))
		before := months(a)
		again := appendTo([]openingOf{
			next(a, told[0].conversationID), // is being answered
			next(a, told[1].conversationID), next(a, told[1].conversationID),
			next(a, told[2].conversationID), // another workspace's
			next(a, 1<<40),
		})
		if len(again) != 1 || months(a)-before != 1 {
			t.Errorf("begun were %v; %d were counted", again, months(a)-before)
		}
	})
	t.Run("one statement claims the keys of conversations that it begins, and leaves one out whose key is taken", func(t *testing.T) {
		before := months(a)
		told := begin([]openingOf{keyed(newConversation(a, a.chatbot), "one"), newConversation(a, a.chatbot), keyed(newConversation(a, a.chatbot), "two")})
		if len(told) != 3 {
			t.Fatalf("begun were %v", told)
		}
		claimed(t, "one", told[0])
		claimed(t, "two", told[2])
		again := begin([]openingOf{keyed(newConversation(a, a.chatbot), "one"), newConversation(a, a.chatbot)})
		if _, only := again[1]; len(again) != 1 || !only || months(a)-before != 4 {
			t.Errorf("begun were %v; %d were counted", again, months(a)-before)
		}
		claimed(t, "one", told[0])
	})
	t.Run("of two conversations with one key in one statement one begins", func(t *testing.T) {
		before := months(a)
		told := begin([]openingOf{keyed(newConversation(a, a.chatbot), "twin"), keyed(newConversation(a, a.chatbot), "twin")})
		if len(told) != 1 || months(a)-before != 1 {
			t.Errorf("begun were %v; %d were counted", told, months(a)-before)
		}
	})
	t.Run("one statement claims the keys of turns that it begins, and leaves one out whose key is taken or whose conversation is busy", func(t *testing.T) {
		told := begin([]openingOf{newConversation(a, a.chatbot), newConversation(a, a.chatbot), newConversation(a, a.chatbot)})
		b.must(g.answers.Together(ctx, []endOf{end(a, told[0].answerID), end(a, told[1].answerID)}, func(int, struct{}) {}))
		before := months(a)
		again := appendTo([]openingOf{keyed(next(a, told[0].conversationID), "three"), keyed(next(a, told[1].conversationID), "one"), keyed(next(a, told[2].conversationID), "four")})
		if _, only := again[0]; len(again) != 1 || !only || months(a)-before != 1 {
			t.Fatalf("begun were %v; %d were counted", again, months(a)-before)
		}
		claimed(t, "three", again[0])
		if _, err := b.keys.Claimed(ctx, a.id, keyed(openingOf{}, "four").Key.Key, epoch.Add(-keysKept)); !fault.Is(err, fault.NotFound) {
			t.Errorf("the key of the busy conversation gave %v", err)
		}
	})
	t.Run("a key is not claimed for a conversation in which another server has just begun an answer", func(t *testing.T) {
		told := begin([]openingOf{newConversation(a, a.chatbot), newConversation(a, a.chatbot)})
		b.must(g.answers.Together(ctx, []endOf{end(a, told[0].answerID), end(a, told[1].answerID)}, func(int, struct{}) {}))
		tx, err := b.beside.BeginTx(ctx, nil) // the other server
		b.must(err)
		_, err = tx.ExecContext(ctx, "UPDATE messages SET status = 'generating' WHERE id = $1", told[0].answerID)
		b.must(err)
		ended := make(chan error, 1)
		go func() {
			ended <- beginTurnsTogether(scope.Workspace(ctx, a.id), b.store.Raw(ctx), []openingOf{keyed(next(a, told[0].conversationID), "five"), next(a, told[1].conversationID)}, func(int, begunTurn) {})
		}()
		b.waitUntilBlocked()
		b.must(tx.Commit())
		if err := receive(t, "the statement ends", ended); !isRefusal(err) {
			t.Errorf("the statement gave %v", err)
		}
		if _, err := b.keys.Claimed(ctx, a.id, keyed(openingOf{}, "five").Key.Key, epoch.Add(-keysKept)); !fault.Is(err, fault.NotFound) {
			t.Errorf("the key gave %v", err)
		}
	})
	t.Run("the first question of a conversation gives it its title, and a further one does not", func(t *testing.T) {
		told := begin([]openingOf{newConversation(a, a.chatbot)})
		b.must(g.answers.Together(ctx, []endOf{end(a, told[0].answerID)}, func(int, struct{}) {}))
		for _, title := range []string{"Opening hours", "Something else"} {
			row := next(a, told[0].conversationID)
			row.Title = title
			again := appendTo([]openingOf{row, next(a, 1<<40)})
			if len(again) != 1 {
				t.Fatalf("begun were %v", again)
			}
			b.must(g.answers.Together(ctx, []endOf{end(a, again[0].answerID)}, func(int, struct{}) {}))
			stored, err := b.conversations.Conversation(ctx, a.id, a.chatbot, told[0].conversationID)
			if err != nil || stored.Title != "Opening hours" {
				t.Errorf("the title is %q: %v", stored.Title, err)
			}
		}
	})
	t.Run("an answer ends once, and neither one of another workspace nor one that is unknown does", func(t *testing.T) {
		told := begin([]openingOf{newConversation(a, a.chatbot), newConversation(other, other.chatbot)})
		var places []int
		finish := func() {
			t.Helper()
			places = nil
			b.must(g.answers.Together(ctx, []endOf{end(other, told[0].answerID), end(a, told[0].answerID), end(a, 1<<40), end(other, told[1].answerID)}, func(place int, _ struct{}) {
				places = append(places, place)
			}))
		}
		if finish(); fmt.Sprint(places) != "[1 3]" && fmt.Sprint(places) != "[3 1]" {
			t.Errorf("ended were %v", places)
		}
		if finish(); len(places) != 0 {
			t.Errorf("ended a second time were %v", places)
		}
		if _, err := g.answers.Do(ctx, end(a, told[0].answerID)); !fault.Is(err, fault.NotFound) {
			t.Errorf("an answer that has ended gave %v", err)
		}
	})
	t.Run("a workspace that is being deleted keeps no other one waiting", func(t *testing.T) {
		told := begin([]openingOf{newConversation(other, other.chatbot)})
		b.must(g.answers.Together(ctx, []endOf{end(other, told[0].answerID)}, func(int, struct{}) {}))
		tx := b.lockWorkspace(t, other.id)
		if begun := begin([]openingOf{newConversation(other, other.chatbot), newConversation(a, a.chatbot)}); len(begun) != 1 {
			t.Errorf("begun were %v", begun)
		}
		if begun := appendTo([]openingOf{next(other, told[0].conversationID)}); len(begun) != 0 {
			t.Errorf("continued were %v", begun)
		}
		b.must(tx.Rollback())
	})
	t.Run("a statement that meets a lock gives up, and is undone", func(t *testing.T) {
		told := begin([]openingOf{newConversation(a, a.chatbot), newConversation(other, other.chatbot)})
		tx, err := b.beside.BeginTx(ctx, nil)
		b.must(err)
		_, err = tx.ExecContext(ctx, "SELECT id FROM messages WHERE id = $1 FOR UPDATE", told[1].answerID)
		b.must(err)
		err = g.answers.Together(ctx, []endOf{end(a, told[0].answerID), end(other, told[1].answerID)}, func(int, struct{}) {})
		if !isRefusal(err) || !strings.Contains(err.Error(), "SQLSTATE 55P03") {
			t.Errorf("the statement gave %v", err)
		}
		b.must(tx.Rollback())
		stored, err := b.Turn(ctx, a.id, told[0].conversationID, told[0].answerID)
		if err != nil || stored.Answer.Status != chat.Generating {
			t.Errorf("the neighbor is %+v, %v", stored, err)
		}
	})
	t.Run("among callers that share statements each bad one gets its own error, and the others are stored", func(t *testing.T) {
		const each = 20
		before := months(a)
		errs := make([]error, 3*each)
		shareStatements(t, g.conversations, newConversation(a, a.chatbot), func() {
			var wg sync.WaitGroup
			for i := range errs {
				wg.Go(func() {
					chatbot := []string{a.chatbot, "cb_gone", a.chatbot}[i%3]
					_, _, errs[i] = b.BeginConversation(ctx, a.id, chat.Conversation{ChatbotID: chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, a.newTurn())
				})
			}
			wg.Wait()
		})
		for i, err := range errs {
			if wanted := i%3 == 1; (err != nil) != wanted || err != nil && !fault.Is(err, fault.Conflict) {
				t.Errorf("caller %d got %v", i, err)
			}
		}
		if n := months(a) - before; n != 2*each+1 {
			t.Errorf("%d questions were counted", n)
		}
	})
}

// lockWorkspace begins to delete a workspace.
func (b *turnsOnPostgres) lockWorkspace(t *testing.T, id string) *sql.Tx {
	t.Helper()
	tx, err := b.beside.BeginTx(b.Context(), nil)
	b.must(err)
	_, err = tx.ExecContext(b.Context(), "SELECT id FROM workspaces WHERE id = $1 FOR UPDATE", id)
	b.must(err)
	return tx
}

// TestManyTurnsShareStatements is what the test above relies on.
func TestManyTurnsShareStatements(t *testing.T) {
	t.Parallel()
	b := openTurns(t)
	w := b.fill("a")
	var mu sync.Mutex
	shared := 0
	together := b.groups.conversations.Together
	b.groups.conversations.Together = func(ctx context.Context, rows []openingOf, tell func(int, begunTurn)) error {
		mu.Lock()
		shared += len(rows)
		mu.Unlock()
		return together(ctx, rows, tell)
	}
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			_, _, err := b.BeginConversation(b.Context(), w.id, chat.Conversation{ChatbotID: w.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, w.newTurn())
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	t.Run("turns that begin at the same time share statements", func(t *testing.T) {
		if shared < 100 {
			t.Errorf("%d of 200 shared one", shared)
		}
	})
}
