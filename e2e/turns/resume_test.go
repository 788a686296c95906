package turns

import (
	"fmt"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// checkResumed fails unless what was read before and after make the whole.
func checkResumed(t *testing.T, whole string, before, after []harness.Marked) {
	t.Helper()
	if got := harness.Gist(append(before[:len(before):len(before)], after...)); got != whole {
		t.Errorf("together it is\n%s\nwant\n%s", got, whole)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	harness.OnModelAndBothDatabases(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := b.Baker.Token
		upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven})
		first := b.Marked("POST", harness.StreamPath, harness.Resumable, harness.Bearer(token)).Rest()
		conversation := first[0].ConversationID
		whole := harness.Gist(first)
		_, chatting := b.Issue(b.Baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat}})

		b.Run("a stream with ids has all that it may include, in order", func(t *testing.T) {
			var kinds []string
			for _, e := range first {
				if kind := harness.OrDefault(e.Type, e.Data); len(kinds) == 0 || kinds[len(kinds)-1] != kind {
					kinds = append(kinds, kind)
				}
			}
			if got := strings.Join(kinds, " "); got != "conversation waiting delta sources usage formatted [DONE]" || harness.AnswerIn(first) != harness.AnswerOfSeven {
				t.Errorf("got %s %q", got, harness.AnswerIn(first))
			}
		})
		for i := range first {
			b.Run(fmt.Sprintf("a stream that ended goes on after event %d", i), func(t *testing.T) {
				w := b.Within(t)
				after := w.Marked("GET", harness.ResumePath(conversation), "", harness.Bearer(token), harness.LastEventID(first[i].ID)).Rest()
				checkResumed(t, whole, harness.SeenUpTo(first, i), after)
			})
		}
		b.Run("without an id the stream is the whole last answer", func(t *testing.T) {
			w := b.Within(t)
			if got := harness.Gist(w.Marked("GET", harness.ResumePath(conversation), "", harness.Bearer(token)).Rest()); got != whole {
				t.Errorf("got\n%s\nwant\n%s", got, whole)
			}
		})
		b.Run("the address says what else the stream includes", func(t *testing.T) {
			w := b.Within(t)
			got := harness.Gist(w.Marked("GET", harness.ResumePath(conversation)+"?format=plain_text&include=", "", harness.Bearer(token), harness.LastEventID(harness.LastOf(first[:2]))).Rest())
			if want := "answer: " + harness.AnswerOfSeven + "\n" + `{"type":"formatted","content":"At seven — früh, as ever [1].","format":"plain_text"}` + "\n[DONE]"; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
		for i := range first {
			b.Run(fmt.Sprintf("the same request with the id of event %d goes on after that", i), func(t *testing.T) {
				w := b.Within(t)
				after := w.Marked("POST", harness.StreamPath, harness.Resumable, harness.Bearer(chatting), harness.LastEventID(first[i].ID)).Rest()
				checkResumed(t, whole, harness.SeenUpTo(first, i), after)
			})
		}
		b.Run("the repeated request says what else the stream includes", func(t *testing.T) {
			w := b.Within(t)
			body := fmt.Sprintf(`{"message":"When does the bakery open?","conversation_id":%d}`, conversation)
			got := harness.Gist(w.Marked("POST", harness.StreamPath, body, harness.Bearer(chatting), harness.LastEventID(harness.LastOf(first[:2])), harness.Keyed("any")).Rest())
			if want := "answer: " + harness.AnswerOfSeven + "\n[DONE]"; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
		b.Run("none of this asked a model", func(t *testing.T) {
			if n := upstream.Arrived(); n != 1 {
				t.Errorf("it was asked %d times", n)
			}
		})
		b.Run("an earlier answer continues after its own ids", func(t *testing.T) {
			w := b.Within(t)
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(harness.Written(conversation)), harness.Bearer(token)), 200, 0)
			after := w.Marked("GET", harness.ResumePath(conversation), "", harness.Bearer(token), harness.LastEventID(first[0].ID)).Rest()
			checkResumed(t, whole, first[:1], after)
			last := w.Marked("GET", harness.ResumePath(conversation), "", harness.Bearer(token)).Rest()
			if got := harness.Gist(last); got == whole || harness.AnswerIn(last) != harness.AnswerOfSeven {
				t.Errorf("the last answer is %s", got)
			}
		})
		b.Play(noResumes(b, conversation, first[3].ID)...)
	})
}

// noResumes are requests that name no place of a stream.
func noResumes(b harness.Bakery, conversation int64, id string) []harness.Scenario {
	_, blind := b.Issue(b.Baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat}})
	_, reading := b.Issue(b.Baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeRead}})
	other := b.Marked("POST", harness.StreamPath, harness.Resumable, harness.Bearer(b.Baker.Token)).Rest()
	parts := strings.Split(id, ".")
	path := harness.ResumePath(conversation)
	all := []harness.Scenario{
		{Name: "an id of another conversation", Headers: []harness.Header{harness.LastEventID(other[2].ID)}, Status: 400, Code: 4},
		{Name: "an id of an attempt that there was not", Headers: []harness.Header{harness.LastEventID(parts[0] + ".7." + parts[2])}, Status: 400, Code: 4},
		{Name: "an id behind the answer", Headers: []harness.Header{harness.LastEventID(parts[0] + ".1.9999")}, Status: 400, Code: 4},
		{Name: "an id within a character", Headers: []harness.Header{harness.LastEventID(parts[0] + ".1." + fmt.Sprint(strings.Index(harness.AnswerOfSeven, "—")+1))}, Status: 400, Code: 4},
		{Name: "two different ids", Headers: []harness.Header{harness.LastEventID(id), harness.LastEventID(other[2].ID)}, Status: 400, Code: 4},
		{Name: "a conversation without an answer", Path: harness.ResumePath(b.NewConversation(b.Baker.Token, "")), Status: 404, Code: 3},
		{Name: "an unknown format", Path: path + "?format=pdf", Status: 400, Code: 4, Has: []string{"format"}},
		{Name: "something else to include", Path: path + "?include=all", Status: 400, Code: 4, Has: []string{"include"}},
	}
	for _, text := range []string{"x", "0", parts[0], parts[0] + ".1", id + ".9", id + ".1.1", "-" + id, "+" + id, "0" + id, id + ".", "1e3.1.1", "9007199254740993.1.1", "99999999999999999999.1.1", parts[0] + ".99999999999999999999.0"} {
		all = append(all, harness.Scenario{Name: "the id " + text, Headers: []harness.Header{harness.LastEventID(text)}, Status: 400, Code: 4})
	}
	for i := range all {
		all[i].Name += " is refused"
		all[i].Method, all[i].Path = "GET", harness.OrDefault(all[i].Path, path)
		all[i].Headers = append(all[i].Headers, harness.Bearer(b.Baker.Token))
	}
	plain := b.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(b.Baker.Token))
	apart := b.Separated()
	theirs := b.Marked("POST", harness.StreamPath, `{"message":"When?","include":["ids"],"external_user_id":"alice"}`, harness.Bearer(apart.Token)).Rest()
	repeated := func(name, token, body, id string, status, code int, has ...string) harness.Scenario {
		return harness.Scenario{Name: "a repeated question with " + name + " is refused", Path: harness.StreamPath, Body: body, Headers: []harness.Header{harness.Bearer(token), harness.LastEventID(id)}, Status: status, Code: code, Has: has}
	}
	all = append(all,
		repeated("the id of another question", b.Baker.Token, `{"message":"And on Sunday?"}`, id, 400, 4, "another question"),
		repeated("an id that is none", b.Baker.Token, harness.Resumable, "x", 400, 4, "Last-Event-ID"),
		repeated("an id of an attempt that there was not", b.Baker.Token, harness.Resumable, parts[0]+".7."+parts[2], 400, 4),
		repeated("the id of a stream without ids", b.Baker.Token, harness.OpeningQuestion, harness.Written(b.Number(plain, "message_id"))+".1.0", 400, 4),
		repeated("the id of another conversation than it names", b.Baker.Token, fmt.Sprintf(`{"message":"When does the bakery open?","conversation_id":%d}`, other[0].ConversationID), id, 400, 4),
		repeated("the id of another workspace", b.Rival.Token, harness.Resumable, id, 400, 4, "is not the id of an event"),
		repeated("the id of another end user", apart.Token, `{"message":"When?","include":["ids"],"external_user_id":"bob"}`, theirs[0].ID, 400, 4, "is not the id of an event"),
		repeated("an id and no message", b.Baker.Token, `{}`, id, 400, 4, "message"),
		repeated("an id and no scope", reading, harness.Resumable, id, 403, 2),
	)
	return append(all,
		harness.Scenario{Name: "a token that may not read does not resume", Method: "GET", Path: path, Headers: harness.As(blind), Status: 403, Code: 2},
		harness.Scenario{Name: "one that may only read does", Method: "GET", Path: harness.MessagesPath(harness.Written(conversation)), Headers: harness.As(reading), Then: func(w *harness.Instance, _ harness.Reply) {
			w.Marked("GET", path, "", harness.Bearer(reading), harness.LastEventID(id)).Rest()
		}},
	)
}

// begunWithIDs is a stream with ids whose model waits after some pieces, which
// have been read.
func begunWithIDs(w *harness.Instance, upstream *llmtest.Server, token string, pieces int) (stream *harness.MarkedEvents, seen []harness.Marked, gate *llmtest.Gate, model *llmtest.Request) {
	w.Helper()
	gate = llmtest.NewGate()
	model = upstream.Request(upstream.Arrived())
	upstream.Next(llmtest.Reply{Pieces: harness.PiecesOfSeven, Hold: gate, HoldAt: llmtest.AfterPieces(pieces)})
	stream = w.Marked("POST", harness.StreamPath, harness.Resumable, harness.Bearer(token))
	w.Comes("the model waits", gate.Reached())
	seen = stream.Until("conversation")
	for want := strings.Join(harness.PiecesOfSeven[:pieces], ""); harness.AnswerIn(seen) != want; {
		e, ok := stream.Next()
		if !ok {
			w.Fatalf("the stream ended after %+v", seen)
		}
		seen = append(seen, e)
	}
	return stream, seen, gate, model
}

func TestResumeWhileGenerating(t *testing.T) {
	t.Parallel()
	harness.OnModelAndBothDatabases(t, func(b harness.Bakery, upstream *llmtest.Server) {
		for pieces := range len(harness.PiecesOfSeven) {
			b.Run(fmt.Sprintf("a stream whose model waits after %d pieces goes on after each event, and elsewhere", pieces), func(t *testing.T) {
				resumesWhileGenerating(b.Within(t), b.Within(t), upstream, b.Baker.Token, pieces)
			})
		}
		b.Run("a reader who leaves a stream with ids does not cancel the model, and the answer is stored whole", func(t *testing.T) {
			w := b.Within(t)
			stream, seen, gate, model := begunWithIDs(w, upstream, b.Baker.Token, 1)
			w.Must(stream.Closing.Close())
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(b.Baker.Token)), 200, 0) // some time
			gate.Release()
			<-model.Done()
			select {
			case <-model.Canceled():
				t.Fatal("the model was canceled")
			default:
			}
			if stored := waitForAnswer(w, b.Baker, seen[0].ConversationID); stored.Status != chat.Complete || stored.Content != harness.AnswerOfSeven {
				t.Errorf("stored is %+v", stored)
			}
		})
		b.Run("an answer that fails while nobody listens has its error when it is resumed", func(t *testing.T) {
			w := b.Within(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " se"}, Hold: gate, HoldAt: llmtest.AfterPieces(1), CutAtEnd: true, OmitFinish: true, OmitDone: true})
			stream := w.Marked("POST", harness.StreamPath, harness.Resumable, harness.Bearer(b.Baker.Token))
			seen := stream.Until("delta")
			w.Must(stream.Closing.Close())
			gate.Release()
			after := w.Marked("GET", harness.ResumePath(seen[0].ConversationID), "", harness.Bearer(b.Baker.Token), harness.LastEventID(harness.LastOf(seen))).Rest()
			said := harness.Gist(append(seen, after...))
			if !strings.Contains(said, "answer: At se\n") || !strings.Contains(said, `"status":"failed"`) || strings.Count(said, `"type":"error","error":5`) != 1 || strings.Contains(said, "formatted") {
				t.Errorf("got %s", said)
			}
			again := w.Marked("GET", harness.ResumePath(seen[0].ConversationID), "", harness.Bearer(b.Baker.Token), harness.LastEventID(harness.LastOf(after))).Rest()
			if got := harness.Gist(again); got != "[DONE]" {
				t.Errorf("after its end comes %s", got)
			}
		})
		b.Run("a stream that is resumed while the model is silent begins at once", func(t *testing.T) {
			w := b.Within(t)
			stream, seen, gate, _ := begunWithIDs(w, upstream, b.Baker.Token, 2)
			resumed := w.Marked("GET", harness.ResumePath(seen[0].ConversationID), "", harness.Bearer(b.Baker.Token), harness.LastEventID(harness.LastOf(seen)))
			if first := resumed.Until("waiting"); harness.LastOf(first) != harness.LastOf(seen) {
				t.Errorf("it begins with %+v", first)
			}
			gate.Release()
			checkResumed(t, harness.Gist(append(seen, stream.Rest()...)), seen, resumed.Rest())
		})
	})
}

// resumesWhileGenerating reads a stream here and there, from each of its
// events on.
func resumesWhileGenerating(here, there *harness.Instance, upstream *llmtest.Server, token string, pieces int) {
	here.Helper()
	stream, seen, gate, _ := begunWithIDs(here, upstream, token, pieces)
	path := harness.ResumePath(seen[0].ConversationID)
	others := make([]*harness.MarkedEvents, len(seen))
	for i := range seen {
		others[i] = there.Marked("GET", path, "", harness.Bearer(token), harness.LastEventID(seen[i].ID))
	}
	beginning := there.Marked("GET", path, "", harness.Bearer(token))
	beginning.Until("conversation")
	gate.Release()
	rest := stream.Rest()
	whole := harness.Gist(append(seen[:len(seen):len(seen)], rest...))
	if !strings.Contains(whole, "answer: "+harness.AnswerOfSeven+"\n") {
		here.Fatalf("the stream was %s", whole)
	}
	for i, other := range others {
		checkResumed(here.T, whole, seen[:i+1], other.Rest())
	}
	if got := harness.AnswerIn(beginning.Rest()); got != harness.AnswerOfSeven {
		here.Errorf("from the beginning it was %q", got)
	}
}

func TestResumeOnAnotherServer(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	on := func(c *app.Config) { c.DatabaseURL = url }
	here, there := harness.Start(t, harness.WithModel(upstream), on), harness.Start(t, harness.WithModel(upstream), on)
	here.HasNoHurry()
	tn := here.NewTenant("baker", plan.Standard, harness.Opening)
	for pieces := range len(harness.PiecesOfSeven) {
		t.Run(fmt.Sprintf("a stream whose model waits after %d pieces goes on at the other server", pieces), func(t *testing.T) {
			resumesWhileGenerating(here.Within(t), there.Within(t), upstream, tn.Token, pieces)
		})
	}
	t.Run("what was sent is stored, so that the other server has it while the model waits", func(t *testing.T) {
		w := there.Within(t)
		_, seen, gate, _ := begunWithIDs(here.Within(t), upstream, tn.Token, 3)
		resumed := w.Marked("GET", harness.ResumePath(seen[0].ConversationID), "", harness.Bearer(tn.Token), harness.LastEventID(seen[0].ID))
		var read []harness.Marked
		for harness.AnswerIn(read) != strings.Join(harness.PiecesOfSeven[:3], "") {
			read = append(read, resumed.Until("delta")...)
		}
		gate.Release()
		if got := harness.AnswerIn(append(read, resumed.Rest()...)); got != harness.AnswerOfSeven {
			t.Errorf("it was %q", got)
		}
	})
}
