package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/core/chat"
	"parley/core/fault"
	"parley/ent/scope"
)

const keysKept = 24 * time.Hour

// keyModel is what idempotency keys are to do, without a database.
type keyModel struct {
	b             *bundle
	w             tenancy
	now           time.Time
	conversations []int64
	claims        map[chat.Key]chat.Claim // a key without its body
}

// TestKeysAreAsTheirModel executes random operations on a few keys and
// compares with the model after each.
func TestKeysAreAsTheirModel(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		w := b.fill("a")
		rapid.Check(b.T, func(t *rapid.T) {
			m := &keyModel{b: b, w: w, now: epoch, claims: map[chat.Key]chat.Claim{}}
			must(t, b.DeleteKeys(b.Context(), everywhere, epoch.AddDate(10, 0, 0)))
			m.converse(t)
			t.Repeat(map[string]func(*rapid.T){
				"":                       m.check,
				"claim":                  m.claim,
				"claim, and break off":   m.claimInVain,
				"ask with a key":         m.ask,
				"ask twice at once":      m.askTwice,
				"time passes":            m.pass,
				"delete what is expired": m.deleteExpired,
				"begin a conversation":   m.converse,
				"delete a conversation":  m.deleteConversation,
			})
		})
	})
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *rapid.T, err error, kind fault.Kind) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Fatalf("the error is %v, want a fault of kind %d", err, kind)
	}
}

// names are the keys that there can be.
func (m *keyModel) names() (keys []chat.Key) {
	for _, token := range []string{m.w.token, "tok_other"} {
		for _, value := range []string{"1", "ü"} {
			keys = append(keys, chat.Key{TokenID: token, Route: "POST /chat", Value: value})
		}
	}
	return keys
}

func (m *keyModel) since() time.Time { return m.now.Add(-keysKept) }

// live returns the claim of a key that has not expired.
func (m *keyModel) live(key chat.Key) (chat.Claim, bool) {
	claim, is := m.claims[key]
	return claim, is && claim.At.After(m.since())
}

// draw is a key with a body, and what it must be tied to.
func (m *keyModel) draw(t *rapid.T) (name, key chat.Key, claim chat.Claim) {
	name = rapid.SampledFrom(m.names()).Draw(t, "key")
	key = name
	key.BodyHash = rapid.SampledFrom([]string{"this body", "that body"}).Draw(t, "body")
	return name, key, chat.Claim{
		BodyHash: key.BodyHash, ConversationID: rapid.SampledFrom(m.conversations).Draw(t, "conversation"),
		AnswerID: rapid.Int64Range(0, 9).Draw(t, "answer"), At: m.now,
	}
}

func (m *keyModel) claim(t *rapid.T) {
	name, key, claim := m.draw(t)
	err := m.b.Claim(m.b.Context(), m.w.id, key, claim, m.since())
	if _, taken := m.live(name); taken {
		wantKind(t, err, fault.Conflict)
		return
	}
	must(t, err)
	m.claims[name] = claim
}

// ask begins a conversation, or the next turn of one, with a key.
func (m *keyModel) ask(t *rapid.T) {
	name, key, opens := m.drawAsk(t)
	claim, err := m.begin(key, opens)
	if _, taken := m.live(name); taken {
		wantKind(t, err, fault.Conflict)
		return
	}
	must(t, err)
	m.end(t, name, claim, opens)
}

// askTwice asks two questions with one key at the same time, of which one begins.
func (m *keyModel) askTwice(t *rapid.T) {
	name, key, _ := m.drawAsk(t)
	var claims [2]chat.Claim
	var errs [2]error
	var both sync.WaitGroup
	for i := range claims {
		both.Go(func() { claims[i], errs[i] = m.begin(key, true) })
	}
	both.Wait()
	won := 0
	if errs[0] != nil {
		won = 1
	}
	wantKind(t, errs[1-won], fault.Conflict)
	if _, taken := m.live(name); taken {
		wantKind(t, errs[won], fault.Conflict)
		return
	}
	must(t, errs[won])
	m.end(t, name, claims[won], true)
}

func (m *keyModel) drawAsk(t *rapid.T) (name, key chat.Key, opens bool) {
	name, key, _ = m.draw(t)
	return name, key, rapid.Bool().Draw(t, "in a new conversation")
}

// begin asks with a key, and returns what it must be tied to.
func (m *keyModel) begin(key chat.Key, opens bool) (chat.Claim, error) {
	opening := m.w.newTurn()
	opening.At, opening.Key = m.now, &chat.Claiming{Key: key, Since: m.since()}
	claim := chat.Claim{BodyHash: key.BodyHash, At: m.now}
	if opens {
		made, answerID, err := m.b.BeginConversation(m.b.Context(), m.w.id, chat.Conversation{ChatbotID: m.w.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: m.now}, opening)
		claim.ConversationID, claim.AnswerID = made.ID, answerID
		return claim, err
	}
	opening.ConversationID = m.conversations[0]
	answerID, _, err := m.b.BeginTurn(m.b.Context(), m.w.id, opening)
	claim.ConversationID, claim.AnswerID = opening.ConversationID, answerID
	return claim, err
}

// end notes a claim, and ends its answer, so that the next one can begin.
func (m *keyModel) end(t *rapid.T, name chat.Key, claim chat.Claim, opens bool) {
	m.claims[name] = claim
	if opens {
		m.conversations = append(m.conversations, claim.ConversationID)
	}
	must(t, m.b.FinishTurn(m.b.Context(), m.w.id, m.w.newAnswer(claim.AnswerID)))
}

// claimInVain claims in a transaction that does not come to its end.
func (m *keyModel) claimInVain(t *rapid.T) {
	name, key, claim := m.draw(t)
	err := m.b.InTx(m.b.Context(), func(ctx context.Context) error {
		err := m.b.Claim(ctx, m.w.id, key, claim, m.since())
		if _, taken := m.live(name); taken {
			wantKind(t, err, fault.Conflict)
		} else {
			must(t, err)
		}
		if got, err := m.b.Claimed(ctx, m.w.id, key, m.since()); err != nil || got.At.Before(m.since()) {
			t.Fatalf("within the transaction the key is tied to %+v: %v", got, err)
		}
		return errTest
	})
	if err == nil {
		t.Fatal("it came to its end")
	}
}

func (m *keyModel) pass(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "hours")) * time.Hour)
}

func (m *keyModel) deleteExpired(t *rapid.T) {
	must(t, m.b.DeleteKeys(m.b.Context(), everywhere, m.since()))
	for key, claim := range m.claims {
		if claim.At.Before(m.since()) {
			delete(m.claims, key)
		}
	}
}

func (m *keyModel) converse(t *rapid.T) {
	made, err := m.b.CreateConversation(m.b.Context(), m.w.id, chat.Conversation{ChatbotID: m.w.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: m.now})
	must(t, err)
	m.conversations = append(m.conversations, made.ID)
}

func (m *keyModel) deleteConversation(t *rapid.T) {
	if len(m.conversations) < 2 {
		t.Skip("one is to stay")
	}
	last := len(m.conversations) - 1
	id := m.conversations[last]
	m.conversations = m.conversations[:last]
	must(t, m.b.InTx(m.b.Context(), func(ctx context.Context) error {
		_, err := m.b.Raw(ctx).ExecContext(scope.System(ctx, everywhere), fmt.Sprint("DELETE FROM conversations WHERE id = ", id))
		return err
	}))
	for key, claim := range m.claims {
		if claim.ConversationID == id {
			delete(m.claims, key)
		}
	}
}

func (m *keyModel) check(t *rapid.T) {
	for _, key := range m.names() {
		got, err := m.b.Claimed(m.b.Context(), m.w.id, key, m.since())
		want, is := m.live(key)
		if !is {
			wantKind(t, err, fault.NotFound)
			continue
		}
		if err != nil || got != want {
			t.Fatalf("%s is tied to %+v, want %+v: %v", key.Value, got, want, err)
		}
	}
	if n := m.b.count("SELECT count(*) FROM messages WHERE status = 'generating' AND content = '' AND id <> " + fmt.Sprint(m.w.answer)); n != 0 {
		t.Fatalf("%d answers were begun by requests that were refused", n)
	}
	if n := m.b.count("SELECT count(*) FROM idempotency_keys"); n != len(m.claims) {
		t.Fatalf("there are %d keys, want %d", n, len(m.claims))
	}
}
