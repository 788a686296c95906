package turns

import (
	"database/sql"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

func TestWhatNeverCountsAgainstTheRate(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		w.Includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = 3 })
		tn := w.NewTenant("baker", plan.Standard, harness.Opening)
		keyed := []harness.Header{harness.Bearer(tn.Token), {Name: "Idempotency-Key", Value: "once"}}
		first := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, keyed...)
		w.CheckAnswer(first, 200, 0)
		created := w.Call("POST", harness.ConversationsPath, "", keyed...)
		w.CheckAnswer(created, 200, 0)
		conversation := w.Number(first, "conversation_id")
		w.Messages(tn.Token, harness.Written(conversation), "")
		limitedFor(w, tn.Token)

		for range 5 {
			if r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, keyed...); r.StatusCode != 200 || w.Number(r, "message_id") != w.Number(first, "message_id") {
				t.Errorf("the key of a question is answered %d: %s", r.StatusCode, r.Text)
			}
			if r := w.Call("POST", harness.ConversationsPath, "", keyed...); r.Text != created.Text {
				t.Errorf("the key of a conversation is answered %d: %s", r.StatusCode, r.Text)
			}
			if r := w.Call("POST", harness.ConversationsPath+"/"+harness.Written(conversation)+"/stop", "", harness.Bearer(tn.Token)); r.StatusCode != 200 {
				t.Errorf("stopping is answered %d: %s", r.StatusCode, r.Text)
			}
			if r := w.Call("GET", harness.ResumePath(conversation), "", harness.Bearer(tn.Token)); r.StatusCode != 200 {
				t.Errorf("resuming is answered %d: %s", r.StatusCode, r.Text)
			}
		}
		w.TurnedAway(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token), harness.Header{Name: "Idempotency-Key", Value: "new"}), 429, 7, "includes 3 requests a minute")
		w.TurnedAway(w.Call("POST", harness.ConversationsPath, "", harness.Bearer(tn.Token), harness.Header{Name: "Idempotency-Key", Value: "new"}), 429, 7, "includes 3 requests a minute")
	})
}

// atLimit are the limits at which a client may have arrived: how to make a token that
// admits one question and one conversation, and the code of what it is refused with.
var atLimit = []struct {
	name, code string
	token      func(v *harness.Visitor, tn harness.Tenant) string
	headers    []harness.Header
}{
	{name: "the plan's requests a minute", code: "rate_limited", token: func(v *harness.Visitor, tn harness.Tenant) string {
		v.Includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = 2 })
		return tn.Token
	}},
	{name: "the plan's messages a month", code: "quota_exceeded", token: func(v *harness.Visitor, tn harness.Tenant) string {
		v.Includes(plan.Standard, func(l *plan.Limits) { l.MessagesPerMonth = 1 })
		return tn.Token
	}},
	{name: "its token's requests a minute", code: "rate_limited", token: func(v *harness.Visitor, tn harness.Tenant) string {
		_, secret := v.CreateToken(tn.Chatbot, `{"requests_per_minute":2}`)
		return secret
	}},
	{name: "its token's messages a month", code: "token_quota_exceeded", token: func(v *harness.Visitor, tn harness.Tenant) string {
		_, secret := v.CreateToken(tn.Chatbot, `{"messages_per_month":1}`)
		return secret
	}},
	{name: "a visitor's requests a minute", code: "rate_limited", token: func(v *harness.Visitor, tn harness.Tenant) string {
		_, public := v.CreateToken(tn.Chatbot, `{"kind":"publishable","origins":["https://shop.example"],"visitor_requests_per_minute":2}`)
		return public
	}, headers: []harness.Header{harness.AtOrigin(harness.ShopOrigin)}},
}

// TestAtALimit checks that whoever may ask no more can still follow, repeat and end what
// they have asked.
func TestAtALimit(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		upstream := llmtest.NewServer(t, harness.SevenInPieces)
		w := start(harness.WithModel(upstream))
		w.HasNoRates()
		for i, limit := range atLimit {
			t.Run("a client at "+limit.name+" resumes, replays and stops", func(t *testing.T) {
				w := w.Within(t)
				w.Includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute, l.MessagesPerMonth = 300, 20_000 })
				tn := w.NewTenant("baker"+strconv.Itoa(i), plan.Standard, harness.Opening)
				token := limit.token(w.SignedIn(tn.Email, tn.Password), tn)
				headers := append([]harness.Header{harness.Bearer(token)}, limit.headers...)
				once := append([]harness.Header{harness.Keyed("once")}, headers...)

				gate := llmtest.NewGate()
				held := harness.SevenInPieces
				held.Hold, held.HoldAt = gate, llmtest.AfterPieces(1)
				upstream.Next(held)
				stream := w.Marked("POST", harness.StreamPath, harness.Resumable, once...)
				seen := stream.Until("delta")
				created := w.Call("POST", harness.ConversationsPath, "", once...)
				w.CheckAnswer(created, 200, 0)
				for _, key := range [][]harness.Header{nil, {harness.Keyed("new")}} {
					r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, append(key, headers...)...)
					if w.TurnedAway(r, 429, 7, ""); r.Header.Get("X-Error-Code") != limit.code {
						t.Errorf("the code is %s, want %s", r.Header.Get("X-Error-Code"), limit.code)
					}
				}

				conversation := seen[0].ConversationID
				readers := []*harness.MarkedEvents{
					w.Marked("POST", harness.StreamPath, harness.Resumable, append(headers, harness.LastEventID(seen[0].ID))...),
					w.Marked("POST", harness.StreamPath, harness.Resumable, once...),
				}
				if limit.headers == nil { // a publishable token reads nothing back
					readers = append(readers, w.Marked("GET", harness.ResumePath(conversation), "", append(headers, harness.LastEventID(seen[0].ID))...))
				}
				for _, reader := range readers {
					reader.Until("delta")
				}
				checkEnding(w, w.Call("POST", harness.ConversationsPath+"/"+harness.Written(conversation)+"/stop", "", headers...), conversation, "stopped")
				gate.Release()
				for _, reader := range append(readers, stream) {
					if rest := reader.Rest(); !rest[len(rest)-1].Done {
						t.Errorf("a stream ends with %+v", rest)
					}
				}
				if again := w.Marked("POST", harness.StreamPath, harness.Resumable, once...).Rest(); again[0].ConversationID != conversation || harness.AnswerIn(again) != harness.AnswerIn(seen) {
					t.Errorf("its key gives %+v", again)
				}
				if again := w.Call("POST", harness.ConversationsPath, "", once...); again.Text != created.Text {
					t.Errorf("the key of a conversation is answered %d: %s", again.StatusCode, again.Text)
				}
			})
		}
	})
}

func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	w := harness.Start(t, harness.WithModel(upstream), onlyTheWatch)
	w.HasNoHurry()
	w.Includes(plan.Standard, func(l *plan.Limits) { l.ConcurrentAnswers = 4 }) // three for a token
	tn := w.NewTenant("baker", plan.Standard, harness.Opening)
	_, second := w.Issue(tn, chatbot.NewToken{Name: "second"})
	stranger := w.NewTenant("smith", plan.Standard, harness.Opening)

	held := func(token, body string) (stream *harness.Events, gate *llmtest.Gate) {
		gate = llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		stream = w.Stream(body, harness.Bearer(token))
		stream.Until("delta")
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
	var open []*harness.Events
	for range 3 {
		stream, gate := held(tn.Token, harness.OpeningQuestion)
		open, gates = append(open, stream), append(gates, gate)
	}

	t.Run("one token too many answers is refused, before anything is stored or asked", func(t *testing.T) {
		w := w.Within(t)
		asked := upstream.Arrived()
		for _, path := range []string{harness.ChatPath, harness.StreamPath} {
			w.TurnedAway(w.Call("POST", path, harness.OpeningQuestion, harness.Bearer(tn.Token)), 429, 7, "one API token may have 3 answers at once")
			w.TurnedAway(w.Call("POST", path, harness.OpeningQuestion, harness.Bearer(tn.Token), harness.Header{Name: "Idempotency-Key", Value: path}), 429, 7, "one API token may have 3 answers at once")
		}
		used, err := w.Server.Tenants.Holdings.Usage(t.Context(), tn.Workspace)
		w.Must(err)
		if used.MessagesPerMonth != 3 || upstream.Arrived() != asked {
			t.Errorf("%d messages are stored, and the model was asked %d times", used.MessagesPerMonth, upstream.Arrived()-asked)
		}
	})
	t.Run("another token of the workspace gets the last slot, and another workspace has all of its own", func(t *testing.T) {
		w := w.Within(t)
		stream, gate := held(second, harness.OpeningQuestion)
		open, gates = append(open, stream), append(gates, gate)
		w.TurnedAway(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(second)), 429, 7, "includes 4 answers at once")
		w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(stranger.Token)), 200, 0)
	})
	t.Run("a slot is free when its answer has ended", func(t *testing.T) {
		w := w.Within(t)
		release()
		for _, stream := range open {
			stream.Rest()
		}
		w.Eventually("a place is free", func() bool {
			return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token)).StatusCode == http.StatusOK
		})
	})
	t.Run("an answer that goes on without its reader keeps its slot", func(t *testing.T) {
		w := w.Within(t)
		for range 3 {
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			client := w.Dial()
			client.Send(harness.Request("POST", harness.StreamPath, tn.Token, resumableQuestion))
			client.Answer()
			w.Comes("the model waits", gate.Reached())
			w.Must(client.Close())
			gates = append(gates, gate)
		}
		for range 20 {
			w.TurnedAway(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token)), 429, 7, "3 answers at once")
		}
		release()
		w.Eventually("a place is free", func() bool {
			return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token)).StatusCode == http.StatusOK
		})
	})
	t.Run("readers that resume a stream have a limit of their own", func(t *testing.T) {
		w := w.Within(t)
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		gates = append(gates, gate)
		conversation := w.Marked("POST", harness.StreamPath, resumableQuestion, harness.Bearer(tn.Token)).Until("conversation")[0].ConversationID
		w.Comes("the model waits", gate.Reached())
		for range 3 {
			reader := w.Dial()
			reader.Send(harness.Request("GET", harness.ResumePath(conversation), tn.Token, ""))
			reader.Answer()
		}
		w.TurnedAway(w.Call("GET", harness.ResumePath(conversation), "", harness.Bearer(tn.Token)), 429, 7, "3 readers of answers at once")
		w.Eventually("a question is answered beside them", func() bool { // the earlier answers may not quite have ended
			return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token)).StatusCode == http.StatusOK
		})
		release()
		w.Eventually("a reader can come back", func() bool {
			return w.Call("GET", harness.ResumePath(conversation), "", harness.Bearer(tn.Token)).StatusCode == http.StatusOK
		})
	})
}

func TestAFullProcess(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	w := harness.Start(t, harness.WithModel(upstream), onlyTheWatch, func(c *app.Config) { c.MaxAnswers = 2 })
	baker, smith := w.NewTenant("baker", plan.Enterprise, harness.Opening), w.NewTenant("smith", plan.Standard, harness.Opening)
	var gates []*llmtest.Gate
	for _, token := range []string{baker.Token, smith.Token} {
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		w.Stream(harness.OpeningQuestion, harness.Bearer(token)).Until("delta")
		gates = append(gates, gate)
	}
	t.Run("a process with as many answers as it can work on says so at once", func(t *testing.T) {
		w := w.Within(t)
		for _, path := range []string{harness.ChatPath, harness.StreamPath} {
			w.TurnedAway(w.Call("POST", path, harness.OpeningQuestion, harness.Bearer(baker.Token)), 503, 8, "as many answers as it can")
		}
	})
	for _, gate := range gates {
		gate.Release()
	}
	t.Run("and answers again when one has ended", func(t *testing.T) {
		w := w.Within(t)
		w.Eventually("a question is answered", func() bool {
			return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(smith.Token)).StatusCode == http.StatusOK
		})
	})
}

// TestSheddingLoad checks that a full process refuses questions at once, also when its
// database has no time for it.
func TestSheddingLoad(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	w := harness.Start(t, harness.WithModel(upstream), onlyTheWatch, func(c *app.Config) { c.MaxAnswers, c.DatabaseURL = 1, storetest.Postgres(t) })
	tn := w.NewTenant("baker", plan.Standard, harness.Opening)
	_, slow := w.Issue(tn, chatbot.NewToken{Restrictions: chatbot.Restrictions{RequestsPerMinute: 2}})
	gate := llmtest.NewGate()
	upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
	w.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token)).Until("delta")
	w.TurnedAway(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(slow)), 503, 8, "as many answers as it can") // its token is known from now on

	db, err := sql.Open("pgx", w.Server.Config.DatabaseURL)
	w.Must(err)
	defer db.Close()
	block := lockAll(t, db)
	for range 10 {
		for _, token := range []string{tn.Token, slow} {
			for _, path := range []string{harness.ChatPath, harness.StreamPath} {
				r := w.Call("POST", path, harness.OpeningQuestion, harness.Bearer(token))
				if w.TurnedAway(r, 503, 8, "as many answers as it can"); r.Header.Get("X-Error-Code") != "overloaded" {
					t.Errorf("the code is %s", r.Header.Get("X-Error-Code"))
				}
			}
		}
	}
	w.Must(block.Rollback())
	gate.Release()
	w.Eventually("a question is answered again", func() bool {
		return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(slow)).StatusCode == http.StatusOK
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
