package e2e

import (
	"database/sql"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// turnedAway expects a refusal with a time to come again.
func (w *instance) turnedAway(r reply, status, code int, message string) {
	w.Helper()
	w.refused(r, status, code, message)
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 {
		w.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
}

func TestWhatNeverCountsAgainstTheRate(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		w.includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = 3 })
		tn := w.newTenant("baker", plan.Standard, opening)
		keyed := []header{bearer(tn.token), {"Idempotency-Key", "once"}}
		first := w.call("POST", chatPath, openingQuestion, keyed...)
		w.checkAnswer(first, 200, 0)
		created := w.call("POST", conversationsPath, "", keyed...)
		w.checkAnswer(created, 200, 0)
		conversation := w.number(first, "conversation_id")
		w.messages(tn.token, written(conversation), "")
		w.limited(tn.token)

		for range 5 {
			if r := w.call("POST", chatPath, openingQuestion, keyed...); r.StatusCode != 200 || w.number(r, "message_id") != w.number(first, "message_id") {
				t.Errorf("the key of a question is answered %d: %s", r.StatusCode, r.body)
			}
			if r := w.call("POST", conversationsPath, "", keyed...); r.body != created.body {
				t.Errorf("the key of a conversation is answered %d: %s", r.StatusCode, r.body)
			}
			if r := w.call("POST", conversationsPath+"/"+written(conversation)+"/stop", "", bearer(tn.token)); r.StatusCode != 200 {
				t.Errorf("stopping is answered %d: %s", r.StatusCode, r.body)
			}
			if r := w.call("GET", resumePath(conversation), "", bearer(tn.token)); r.StatusCode != 200 {
				t.Errorf("resuming is answered %d: %s", r.StatusCode, r.body)
			}
		}
		w.turnedAway(w.call("POST", chatPath, openingQuestion, bearer(tn.token), header{"Idempotency-Key", "new"}), 429, 7, "includes 3 requests a minute")
		w.turnedAway(w.call("POST", conversationsPath, "", bearer(tn.token), header{"Idempotency-Key", "new"}), 429, 7, "includes 3 requests a minute")
	})
}

// atLimit are the limits at which a client may have arrived: how to make a token that
// admits one question and one conversation, and the code of what it is refused with.
var atLimit = []struct {
	name, code string
	token      func(v *visitor, tn tenantOf) string
	headers    []header
}{
	{name: "the plan's requests a minute", code: "rate_limited", token: func(v *visitor, tn tenantOf) string {
		v.includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = 2 })
		return tn.token
	}},
	{name: "the plan's messages a month", code: "quota_exceeded", token: func(v *visitor, tn tenantOf) string {
		v.includes(plan.Standard, func(l *plan.Limits) { l.MessagesPerMonth = 1 })
		return tn.token
	}},
	{name: "its token's requests a minute", code: "rate_limited", token: func(v *visitor, tn tenantOf) string {
		_, secret := v.create(tn.chatbot, `{"requests_per_minute":2}`)
		return secret
	}},
	{name: "its token's messages a month", code: "token_quota_exceeded", token: func(v *visitor, tn tenantOf) string {
		_, secret := v.create(tn.chatbot, `{"messages_per_month":1}`)
		return secret
	}},
	{name: "a visitor's requests a minute", code: "rate_limited", token: func(v *visitor, tn tenantOf) string {
		_, public := v.create(tn.chatbot, `{"kind":"publishable","origins":["https://shop.example"],"visitor_requests_per_minute":2}`)
		return public
	}, headers: []header{atOrigin(shopOrigin)}},
}

// TestAtALimit checks that whoever may ask no more can still follow, repeat and end what
// they have asked.
func TestAtALimit(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		upstream := llmtest.NewServer(t, sevenInPieces)
		w := start(withModel(upstream))
		w.hasNoRates()
		for i, limit := range atLimit {
			t.Run("a client at "+limit.name+" resumes, replays and stops", func(t *testing.T) {
				w := w.within(t)
				w.includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute, l.MessagesPerMonth = 300, 20_000 })
				tn := w.newTenant("baker"+strconv.Itoa(i), plan.Standard, opening)
				token := limit.token(w.signedIn(tn.email, tn.password), tn)
				headers := append([]header{bearer(token)}, limit.headers...)
				once := append([]header{keyed("once")}, headers...)

				gate := llmtest.NewGate()
				held := sevenInPieces
				held.Hold, held.HoldAt = gate, llmtest.AfterPieces(1)
				upstream.Next(held)
				stream := w.marked("POST", streamPath, resumable, once...)
				seen := stream.until("delta")
				created := w.call("POST", conversationsPath, "", once...)
				w.checkAnswer(created, 200, 0)
				for _, key := range [][]header{nil, {keyed("new")}} {
					r := w.call("POST", chatPath, openingQuestion, append(key, headers...)...)
					if w.turnedAway(r, 429, 7, ""); r.Header.Get("X-Error-Code") != limit.code {
						t.Errorf("the code is %s, want %s", r.Header.Get("X-Error-Code"), limit.code)
					}
				}

				conversation := seen[0].ConversationID
				readers := []*markedEvents{
					w.marked("POST", streamPath, resumable, append(headers, lastEventID(seen[0].id))...),
					w.marked("POST", streamPath, resumable, once...),
				}
				if limit.headers == nil { // a publishable token reads nothing back
					readers = append(readers, w.marked("GET", resumePath(conversation), "", append(headers, lastEventID(seen[0].id))...))
				}
				for _, reader := range readers {
					reader.until("delta")
				}
				w.checkEnding(w.call("POST", conversationsPath+"/"+written(conversation)+"/stop", "", headers...), conversation, "stopped")
				gate.Release()
				for _, reader := range append(readers, stream) {
					if rest := reader.rest(); !rest[len(rest)-1].done {
						t.Errorf("a stream ends with %+v", rest)
					}
				}
				if again := w.marked("POST", streamPath, resumable, once...).rest(); again[0].ConversationID != conversation || answerIn(again) != answerIn(seen) {
					t.Errorf("its key gives %+v", again)
				}
				if again := w.call("POST", conversationsPath, "", once...); again.body != created.body {
					t.Errorf("the key of a conversation is answered %d: %s", again.StatusCode, again.body)
				}
			})
		}
	})
}

func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	w := start(t, withModel(upstream), onlyTheWatch)
	w.hasNoHurry()
	w.includes(plan.Standard, func(l *plan.Limits) { l.ConcurrentAnswers = 4 }) // three for a token
	tn := w.newTenant("baker", plan.Standard, opening)
	_, second := w.issue(tn, chatbot.NewToken{Name: "second"})
	stranger := w.newTenant("smith", plan.Standard, opening)

	held := func(token, body string) (stream *events, gate *llmtest.Gate) {
		gate = llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		stream = w.stream(body, bearer(token))
		stream.until("delta")
		return stream, gate
	}
	const resumableQuestion = `{"message":"When?","include":["ids"]}`
	var gates []*llmtest.Gate
	release := func() {
		for _, gate := range gates {
			gate.Release()
		}
		gates = nil
	}
	var open []*events
	for range 3 {
		stream, gate := held(tn.token, openingQuestion)
		open, gates = append(open, stream), append(gates, gate)
	}

	t.Run("one token too many answers is refused, before anything is stored or asked", func(t *testing.T) {
		w := w.within(t)
		asked := upstream.Arrived()
		for _, path := range []string{chatPath, streamPath} {
			w.turnedAway(w.call("POST", path, openingQuestion, bearer(tn.token)), 429, 7, "one API token may have 3 answers at once")
			w.turnedAway(w.call("POST", path, openingQuestion, bearer(tn.token), header{"Idempotency-Key", path}), 429, 7, "one API token may have 3 answers at once")
		}
		used, err := w.server.Tenants.Holdings.Usage(t.Context(), tn.workspace)
		w.must(err)
		if used.MessagesPerMonth != 3 || upstream.Arrived() != asked {
			t.Errorf("%d messages are stored, and the model was asked %d times", used.MessagesPerMonth, upstream.Arrived()-asked)
		}
	})
	t.Run("another token of the workspace gets the last slot, and another workspace has all of its own", func(t *testing.T) {
		w := w.within(t)
		stream, gate := held(second, openingQuestion)
		open, gates = append(open, stream), append(gates, gate)
		w.turnedAway(w.call("POST", chatPath, openingQuestion, bearer(second)), 429, 7, "includes 4 answers at once")
		w.checkAnswer(w.call("POST", chatPath, openingQuestion, bearer(stranger.token)), 200, 0)
	})
	t.Run("a slot is free when its answer has ended", func(t *testing.T) {
		w := w.within(t)
		release()
		for _, stream := range open {
			stream.rest()
		}
		w.eventually("a place is free", func() bool {
			return w.call("POST", chatPath, openingQuestion, bearer(tn.token)).StatusCode == http.StatusOK
		})
	})
	t.Run("an answer that goes on without its reader keeps its slot", func(t *testing.T) {
		w := w.within(t)
		for range 3 {
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			client := w.dial()
			client.write(request("POST", streamPath, tn.token, resumableQuestion))
			client.answer()
			w.comes("the model waits", gate.Reached())
			w.must(client.Close())
			gates = append(gates, gate)
		}
		for range 20 {
			w.turnedAway(w.call("POST", chatPath, openingQuestion, bearer(tn.token)), 429, 7, "3 answers at once")
		}
		release()
		w.eventually("a place is free", func() bool {
			return w.call("POST", chatPath, openingQuestion, bearer(tn.token)).StatusCode == http.StatusOK
		})
	})
	t.Run("readers that resume a stream have a limit of their own", func(t *testing.T) {
		w := w.within(t)
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		gates = append(gates, gate)
		conversation := w.marked("POST", streamPath, resumableQuestion, bearer(tn.token)).until("conversation")[0].ConversationID
		w.comes("the model waits", gate.Reached())
		for range 3 {
			reader := w.dial()
			reader.write(request("GET", resumePath(conversation), tn.token, ""))
			reader.answer()
		}
		w.turnedAway(w.call("GET", resumePath(conversation), "", bearer(tn.token)), 429, 7, "3 readers of answers at once")
		w.eventually("a question is answered beside them", func() bool { // the earlier answers may not quite have ended
			return w.call("POST", chatPath, openingQuestion, bearer(tn.token)).StatusCode == http.StatusOK
		})
		release()
		w.eventually("a reader can come back", func() bool {
			return w.call("GET", resumePath(conversation), "", bearer(tn.token)).StatusCode == http.StatusOK
		})
	})
}

func TestAFullProcess(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	w := start(t, withModel(upstream), onlyTheWatch, func(c *app.Config) { c.MaxAnswers = 2 })
	baker, smith := w.newTenant("baker", plan.Enterprise, opening), w.newTenant("smith", plan.Standard, opening)
	var gates []*llmtest.Gate
	for _, token := range []string{baker.token, smith.token} {
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		w.stream(openingQuestion, bearer(token)).until("delta")
		gates = append(gates, gate)
	}
	t.Run("a process with as many answers as it can work on says so at once", func(t *testing.T) {
		w := w.within(t)
		for _, path := range []string{chatPath, streamPath} {
			w.turnedAway(w.call("POST", path, openingQuestion, bearer(baker.token)), 503, 8, "as many answers as it can")
		}
	})
	for _, gate := range gates {
		gate.Release()
	}
	t.Run("and answers again when one has ended", func(t *testing.T) {
		w := w.within(t)
		w.eventually("a question is answered", func() bool {
			return w.call("POST", chatPath, openingQuestion, bearer(smith.token)).StatusCode == http.StatusOK
		})
	})
}

// TestSheddingLoad checks that a full process refuses questions at once, also when its
// database has no time for it.
func TestSheddingLoad(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	w := start(t, withModel(upstream), onlyTheWatch, func(c *app.Config) { c.MaxAnswers, c.DatabaseURL = 1, storetest.Postgres(t) })
	tn := w.newTenant("baker", plan.Standard, opening)
	_, slow := w.issue(tn, chatbot.NewToken{Restrictions: chatbot.Restrictions{RequestsPerMinute: 2}})
	gate := llmtest.NewGate()
	upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
	w.stream(openingQuestion, bearer(tn.token)).until("delta")
	w.turnedAway(w.call("POST", chatPath, openingQuestion, bearer(slow)), 503, 8, "as many answers as it can") // its token is known from now on

	db, err := sql.Open("pgx", w.server.Config.DatabaseURL)
	w.must(err)
	defer db.Close()
	block := lockAll(t, db)
	for range 10 {
		for _, token := range []string{tn.token, slow} {
			for _, path := range []string{chatPath, streamPath} {
				r := w.call("POST", path, openingQuestion, bearer(token))
				if w.turnedAway(r, 503, 8, "as many answers as it can"); r.Header.Get("X-Error-Code") != "overloaded" {
					t.Errorf("the code is %s", r.Header.Get("X-Error-Code"))
				}
			}
		}
	}
	w.must(block.Rollback())
	gate.Release()
	w.eventually("a question is answered again", func() bool {
		return w.call("POST", chatPath, openingQuestion, bearer(slow)).StatusCode == http.StatusOK
	})
}

// lockAll locks all tables of a database until its transaction ends. Where a transaction of
// the server holds one and wants another (a deadlock, 40P01), it lets that go first and tries
// again.
func lockAll(t *testing.T, db *sql.DB) *sql.Tx {
	t.Helper()
	for {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var tables string
		if err := tx.QueryRowContext(t.Context(), "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = current_schema()").Scan(&tables); err != nil {
			t.Fatal(err)
		}
		_, err = tx.ExecContext(t.Context(), "LOCK TABLE "+tables+" IN ACCESS EXCLUSIVE MODE")
		if err == nil {
			return tx
		}
		if !strings.Contains(err.Error(), "40P01") {
			t.Fatal(err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}
