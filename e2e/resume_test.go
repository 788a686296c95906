package e2e

import (
	"fmt"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

const resumable = `{"message":"When does the bakery open?","format":"html","include":["ids","usage","sources"]}`

// pieces of an answer with characters of several bytes.
var piecesOfSeven = []string{"At **se", "ven** —", " früh,", " as ever [1]."}

var answerOfSeven = strings.Join(piecesOfSeven, "")

// checkResumed fails unless what was read before and after make the whole.
func checkResumed(t *testing.T, whole string, before, after []marked) {
	t.Helper()
	if got := gist(append(before[:len(before):len(before)], after...)); got != whole {
		t.Errorf("together it is\n%s\nwant\n%s", got, whole)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		token := b.baker.token
		upstream.Always(llmtest.Reply{Pieces: piecesOfSeven})
		first := b.marked("POST", streamPath, resumable, bearer(token)).rest()
		conversation := first[0].ConversationID
		whole := gist(first)
		_, chatting := b.issue(b.baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat}})

		b.Run("a stream with ids has all that it may include, in order", func(t *testing.T) {
			var kinds []string
			for _, e := range first {
				if kind := orDefault(e.Type, e.data); len(kinds) == 0 || kinds[len(kinds)-1] != kind {
					kinds = append(kinds, kind)
				}
			}
			if got := strings.Join(kinds, " "); got != "conversation waiting delta sources usage formatted [DONE]" || answerIn(first) != answerOfSeven {
				t.Errorf("got %s %q", got, answerIn(first))
			}
		})
		for i := range first {
			b.Run(fmt.Sprintf("a stream that ended goes on after event %d", i), func(t *testing.T) {
				w := b.within(t)
				after := w.marked("GET", resumePath(conversation), "", bearer(token), lastEventID(first[i].id)).rest()
				checkResumed(t, whole, seenUpTo(first, i), after)
			})
		}
		b.Run("without an id the stream is the whole last answer", func(t *testing.T) {
			w := b.within(t)
			if got := gist(w.marked("GET", resumePath(conversation), "", bearer(token)).rest()); got != whole {
				t.Errorf("got\n%s\nwant\n%s", got, whole)
			}
		})
		b.Run("the address says what else the stream includes", func(t *testing.T) {
			w := b.within(t)
			got := gist(w.marked("GET", resumePath(conversation)+"?format=plain_text&include=", "", bearer(token), lastEventID(lastOf(first[:2]))).rest())
			if want := "answer: " + answerOfSeven + "\n" + `{"type":"formatted","content":"At seven — früh, as ever [1].","format":"plain_text"}` + "\n[DONE]"; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
		for i := range first {
			b.Run(fmt.Sprintf("the same request with the id of event %d goes on after that", i), func(t *testing.T) {
				w := b.within(t)
				after := w.marked("POST", streamPath, resumable, bearer(chatting), lastEventID(first[i].id)).rest()
				checkResumed(t, whole, seenUpTo(first, i), after)
			})
		}
		b.Run("the repeated request says what else the stream includes", func(t *testing.T) {
			w := b.within(t)
			body := fmt.Sprintf(`{"message":"When does the bakery open?","conversation_id":%d}`, conversation)
			got := gist(w.marked("POST", streamPath, body, bearer(chatting), lastEventID(lastOf(first[:2])), keyed("any")).rest())
			if want := "answer: " + answerOfSeven + "\n[DONE]"; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
		b.Run("none of this asked a model", func(t *testing.T) {
			if n := upstream.Arrived(); n != 1 {
				t.Errorf("it was asked %d times", n)
			}
		})
		b.Run("an earlier answer continues after its own ids", func(t *testing.T) {
			w := b.within(t)
			w.checkAnswer(w.call("POST", chatPath, asking(written(conversation)), bearer(token)), 200, 0)
			after := w.marked("GET", resumePath(conversation), "", bearer(token), lastEventID(first[0].id)).rest()
			checkResumed(t, whole, first[:1], after)
			last := w.marked("GET", resumePath(conversation), "", bearer(token)).rest()
			if got := gist(last); got == whole || answerIn(last) != answerOfSeven {
				t.Errorf("the last answer is %s", got)
			}
		})
		b.play(b.noResumes(conversation, first[3].id)...)
	})
}

// noResumes are requests that name no place of a stream.
func (b bakery) noResumes(conversation int64, id string) []scenario {
	_, blind := b.issue(b.baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat}})
	_, reading := b.issue(b.baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeRead}})
	other := b.marked("POST", streamPath, resumable, bearer(b.baker.token)).rest()
	parts := strings.Split(id, ".")
	path := resumePath(conversation)
	all := []scenario{
		{name: "an id of another conversation", headers: []header{lastEventID(other[2].id)}, status: 400, code: 4},
		{name: "an id of an attempt that there was not", headers: []header{lastEventID(parts[0] + ".7." + parts[2])}, status: 400, code: 4},
		{name: "an id behind the answer", headers: []header{lastEventID(parts[0] + ".1.9999")}, status: 400, code: 4},
		{name: "an id within a character", headers: []header{lastEventID(parts[0] + ".1." + fmt.Sprint(strings.Index(answerOfSeven, "—")+1))}, status: 400, code: 4},
		{name: "two different ids", headers: []header{lastEventID(id), lastEventID(other[2].id)}, status: 400, code: 4},
		{name: "a conversation without an answer", path: resumePath(b.newConversation(b.baker.token, "")), status: 404, code: 3},
		{name: "an unknown format", path: path + "?format=pdf", status: 400, code: 4, has: []string{"format"}},
		{name: "something else to include", path: path + "?include=all", status: 400, code: 4, has: []string{"include"}},
	}
	for _, text := range []string{"x", "0", parts[0], parts[0] + ".1", id + ".9", id + ".1.1", "-" + id, "+" + id, "0" + id, id + ".", "1e3.1.1", "9007199254740993.1.1", "99999999999999999999.1.1", parts[0] + ".99999999999999999999.0"} {
		all = append(all, scenario{name: "the id " + text, headers: []header{lastEventID(text)}, status: 400, code: 4})
	}
	for i := range all {
		all[i].name += " is refused"
		all[i].method, all[i].path = "GET", orDefault(all[i].path, path)
		all[i].headers = append(all[i].headers, bearer(b.baker.token))
	}
	plain := b.call("POST", chatPath, openingQuestion, bearer(b.baker.token))
	apart := b.separated()
	theirs := b.marked("POST", streamPath, `{"message":"When?","include":["ids"],"external_user_id":"alice"}`, bearer(apart.token)).rest()
	repeated := func(name, token, body, id string, status, code int, has ...string) scenario {
		return scenario{name: "a repeated question with " + name + " is refused", path: streamPath, body: body, headers: []header{bearer(token), lastEventID(id)}, status: status, code: code, has: has}
	}
	all = append(all,
		repeated("the id of another question", b.baker.token, `{"message":"And on Sunday?"}`, id, 400, 4, "another question"),
		repeated("an id that is none", b.baker.token, resumable, "x", 400, 4, "Last-Event-ID"),
		repeated("an id of an attempt that there was not", b.baker.token, resumable, parts[0]+".7."+parts[2], 400, 4),
		repeated("the id of a stream without ids", b.baker.token, openingQuestion, written(b.number(plain, "message_id"))+".1.0", 400, 4),
		repeated("the id of another conversation than it names", b.baker.token, fmt.Sprintf(`{"message":"When does the bakery open?","conversation_id":%d}`, other[0].ConversationID), id, 400, 4),
		repeated("the id of another workspace", b.rival.token, resumable, id, 400, 4, "is not the id of an event"),
		repeated("the id of another end user", apart.token, `{"message":"When?","include":["ids"],"external_user_id":"bob"}`, theirs[0].id, 400, 4, "is not the id of an event"),
		repeated("an id and no message", b.baker.token, `{}`, id, 400, 4, "message"),
		repeated("an id and no scope", reading, resumable, id, 403, 2),
	)
	return append(all,
		scenario{name: "a token that may not read does not resume", method: "GET", path: path, headers: as(blind), status: 403, code: 2},
		scenario{name: "one that may only read does", method: "GET", path: messagesPath(written(conversation)), headers: as(reading), then: func(w *instance, _ reply) {
			w.marked("GET", path, "", bearer(reading), lastEventID(id)).rest()
		}},
	)
}

// begunWithIDs is a stream with ids whose model waits after some pieces, which
// have been read.
func begunWithIDs(w *instance, upstream *llmtest.Server, token string, pieces int) (stream *markedEvents, seen []marked, gate *llmtest.Gate, model *llmtest.Request) {
	w.Helper()
	gate = llmtest.NewGate()
	model = upstream.Request(upstream.Arrived())
	upstream.Next(llmtest.Reply{Pieces: piecesOfSeven, Hold: gate, HoldAt: llmtest.AfterPieces(pieces)})
	stream = w.marked("POST", streamPath, resumable, bearer(token))
	w.comes("the model waits", gate.Reached())
	seen = stream.until("conversation")
	for want := strings.Join(piecesOfSeven[:pieces], ""); answerIn(seen) != want; {
		e, ok := stream.next()
		if !ok {
			w.Fatalf("the stream ended after %+v", seen)
		}
		seen = append(seen, e)
	}
	return stream, seen, gate, model
}

func TestResumeWhileGenerating(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		for pieces := range len(piecesOfSeven) {
			b.Run(fmt.Sprintf("a stream whose model waits after %d pieces goes on after each event, and elsewhere", pieces), func(t *testing.T) {
				resumesWhileGenerating(b.within(t), b.within(t), upstream, b.baker.token, pieces)
			})
		}
		b.Run("a reader who leaves a stream with ids does not cancel the model, and the answer is stored whole", func(t *testing.T) {
			w := b.within(t)
			stream, seen, gate, model := begunWithIDs(w, upstream, b.baker.token, 1)
			w.must(stream.closing.Close())
			w.checkAnswer(w.call("POST", chatPath, openingQuestion, bearer(b.baker.token)), 200, 0) // some time
			gate.Release()
			<-model.Done()
			select {
			case <-model.Canceled():
				t.Fatal("the model was canceled")
			default:
			}
			if stored := w.answered(b.baker, seen[0].ConversationID); stored.Status != chat.Complete || stored.Content != answerOfSeven {
				t.Errorf("stored is %+v", stored)
			}
		})
		b.Run("an answer that fails while nobody listens has its error when it is resumed", func(t *testing.T) {
			w := b.within(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " se"}, Hold: gate, HoldAt: llmtest.AfterPieces(1), CutAtEnd: true, OmitFinish: true, OmitDone: true})
			stream := w.marked("POST", streamPath, resumable, bearer(b.baker.token))
			seen := stream.until("delta")
			w.must(stream.closing.Close())
			gate.Release()
			after := w.marked("GET", resumePath(seen[0].ConversationID), "", bearer(b.baker.token), lastEventID(lastOf(seen))).rest()
			said := gist(append(seen, after...))
			if !strings.Contains(said, "answer: At se\n") || !strings.Contains(said, `"status":"failed"`) || strings.Count(said, `"type":"error","error":5`) != 1 || strings.Contains(said, "formatted") {
				t.Errorf("got %s", said)
			}
			again := w.marked("GET", resumePath(seen[0].ConversationID), "", bearer(b.baker.token), lastEventID(lastOf(after))).rest()
			if len(again) != 1 {
				t.Errorf("after its end comes %+v", again)
			}
		})
		b.Run("a stream that is resumed while the model is silent begins at once", func(t *testing.T) {
			w := b.within(t)
			stream, seen, gate, _ := begunWithIDs(w, upstream, b.baker.token, 2)
			resumed := w.marked("GET", resumePath(seen[0].ConversationID), "", bearer(b.baker.token), lastEventID(lastOf(seen)))
			if first := resumed.until("waiting"); lastOf(first) != lastOf(seen) {
				t.Errorf("it begins with %+v", first)
			}
			gate.Release()
			checkResumed(t, gist(append(seen, stream.rest()...)), seen, resumed.rest())
		})
	})
}

// resumesWhileGenerating reads a stream here and there, from each of its
// events on.
func resumesWhileGenerating(here, there *instance, upstream *llmtest.Server, token string, pieces int) {
	here.Helper()
	stream, seen, gate, _ := begunWithIDs(here, upstream, token, pieces)
	path := resumePath(seen[0].ConversationID)
	others := make([]*markedEvents, len(seen))
	for i := range seen {
		others[i] = there.marked("GET", path, "", bearer(token), lastEventID(seen[i].id))
	}
	beginning := there.marked("GET", path, "", bearer(token))
	beginning.until("conversation")
	gate.Release()
	rest := stream.rest()
	whole := gist(append(seen[:len(seen):len(seen)], rest...))
	if !strings.Contains(whole, "answer: "+answerOfSeven+"\n") {
		here.Fatalf("the stream was %s", whole)
	}
	for i, other := range others {
		checkResumed(here.T, whole, seen[:i+1], other.rest())
	}
	if got := answerIn(beginning.rest()); got != answerOfSeven {
		here.Errorf("from the beginning it was %q", got)
	}
}

func TestResumeOnAnotherServer(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	on := func(c *app.Config) { c.DatabaseURL = url }
	here, there := start(t, withModel(upstream), on), start(t, withModel(upstream), on)
	here.hasNoHurry()
	tn := here.newTenant("baker", plan.Standard, opening)
	for pieces := range len(piecesOfSeven) {
		t.Run(fmt.Sprintf("a stream whose model waits after %d pieces goes on at the other server", pieces), func(t *testing.T) {
			resumesWhileGenerating(here.within(t), there.within(t), upstream, tn.token, pieces)
		})
	}
	t.Run("what was sent is stored, so that the other server has it while the model waits", func(t *testing.T) {
		w := there.within(t)
		_, seen, gate, _ := begunWithIDs(here.within(t), upstream, tn.token, 3)
		resumed := w.marked("GET", resumePath(seen[0].ConversationID), "", bearer(tn.token), lastEventID(seen[0].id))
		var read []marked
		for answerIn(read) != strings.Join(piecesOfSeven[:3], "") {
			read = append(read, resumed.until("delta")...)
		}
		gate.Release()
		if got := answerIn(append(read, resumed.rest()...)); got != answerOfSeven {
			t.Errorf("it was %q", got)
		}
	})
}
