package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

const suggestionsOfHolidays = `["What should I know about holidays?"]`

// checkSuggestions checks the questions that follow an answer about opening hours.
func checkSuggestions(w *harness.Instance, tn harness.Tenant) {
	w.Helper()
	r := w.Call("POST", harness.ChatPath, harness.Including(`["suggestions"]`), harness.Bearer(tn.Token))
	w.CheckFields(r.Data, "message", "conversation_id", "format", "usage", "message_id", "sources", "outcome", "finish_reason", "suggestions")
	if !strings.HasSuffix(r.Text, `"suggestions":`+suggestionsOfHolidays+"}}") {
		w.Errorf("the answer is %s", r.Text)
	}
	got := harness.GistOf(w.T, noIDs.ReplaceAllString(w.Call("POST", harness.StreamPath, harness.Including(`["usage","suggestions","ids"]`), harness.Bearer(tn.Token)).Text, ""))
	lines := strings.Split(got, "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[2], `{"type":"usage"`) || lines[3] != `{"type":"suggestions","suggestions":`+suggestionsOfHolidays+"}" || !strings.HasPrefix(lines[4], `{"type":"formatted"`) {
		w.Errorf("the stream is %s", got)
	}
}

// followUpsOf are the suggestions of an answer to a question in a conversation.
func followUpsOf(w *harness.Instance, tn harness.Tenant, question string, conversation int64) []string {
	w.Helper()
	body := map[string]any{"message": question, "include": []string{"suggestions"}}
	if conversation != 0 {
		body["conversation_id"] = conversation
	}
	text, err := json.Marshal(body)
	w.Must(err)
	r := w.Call("POST", harness.ChatPath, string(text), harness.Bearer(tn.Token))
	w.Expect(r, http.StatusOK)
	list, isList := r.Data["suggestions"].([]any)
	if !isList {
		w.Fatalf("there is no list in %s", r.Text)
	}
	questions := make([]string, len(list))
	for i, item := range list {
		questions[i], _ = item.(string)
	}
	return questions
}

const fragen = "# Fragen\n\n## Verleih\n\nDas Fahrrad kostet am Tag dreißig Euro und in der Woche hundertzwanzig Euro. Die Kinder zahlen nur die Hälfte.\n\n## Wann ist der Verleih am Sonntag geöffnet?\n\nDer Verleih ist am Sonntag von zehn bis vier Uhr geöffnet, außer an Feiertagen.\n"

func TestFollowUps(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		w.HasNoHurry()
		shop := w.NewTenant("shop", plan.Standard, harness.RentalHandbook)
		_, err := w.Server.Knowledge.Documents.Add(w.Context(), shop.Workspace, shop.Chatbot, knowledge.NewDocument{Title: "Fragen", Content: fragen})
		w.Must(err)
		w.Settled(shop)

		t.Run("what follows an answer is near it, and is answered itself", func(t *testing.T) {
			w := w.Within(t)
			questions := followUpsOf(w, shop, "When does the rental desk open?", 0)
			if len(questions) < 2 || len(questions) > 3 || slices.Contains(questions, "When are you open?") || !slices.Contains(questions, "Can I bring the bicycle back elsewhere?") {
				t.Errorf("they are %q", questions)
			}
			for _, question := range questions {
				r := w.Call("POST", harness.ChatPath, `{"message":`+harness.Quoted(w, question)+`}`, harness.Bearer(shop.Token))
				if r.Data["outcome"] != "answered" {
					t.Errorf("%q gets %s", question, r.Text)
				}
			}
		})
		t.Run("what was asked in the conversation is not suggested", func(t *testing.T) {
			w := w.Within(t)
			first := w.Call("POST", harness.ChatPath, `{"message":"Can I bring the bicycle back elsewhere?"}`, harness.Bearer(shop.Token))
			questions := followUpsOf(w, shop, "When does the rental desk open?", w.Number(first, "conversation_id"))
			if slices.Contains(questions, "Can I bring the bicycle back elsewhere?") || len(questions) == 0 {
				t.Errorf("they are %q", questions)
			}
		})
		t.Run("they are in the language of the question", func(t *testing.T) {
			questions := followUpsOf(w.Within(t), shop, "Was kostet das Fahrrad am Tag?", 0)
			if !slices.Equal(questions, []string{"Wann ist der Verleih am Sonntag geöffnet?"}) {
				t.Errorf("they are %q", questions)
			}
		})
		t.Run("a stream that is read again has them, if it is asked to", func(t *testing.T) {
			w := w.Within(t)
			first := w.Call("POST", harness.ChatPath, `{"message":"When does the rental desk open?","include":["suggestions"]}`, harness.Bearer(shop.Token))
			list, _, _ := strings.Cut(first.Text[strings.Index(first.Text, `"suggestions":`):], "}")
			for query, want := range map[string]bool{"": false, "?include=suggestions": true, "?include=usage": false} {
				r := w.Call("GET", harness.ConversationsPath+"/"+harness.Written(w.Number(first, "conversation_id"))+"/stream"+query, "", harness.Bearer(shop.Token))
				if w.Expect(r, http.StatusOK); strings.Contains(r.Text, list) != want {
					t.Errorf("with %q it is %s, want %s", query, r.Text, list)
				}
			}
		})
		t.Run("lists of messages have none", func(t *testing.T) {
			w := w.Within(t)
			first := w.Call("POST", harness.ChatPath, `{"message":"When does the rental desk open?"}`, harness.Bearer(shop.Token))
			r := w.Call("GET", harness.ConversationsPath+"/"+harness.Written(w.Number(first, "conversation_id"))+"/messages?include=suggestions", "", harness.Bearer(shop.Token))
			w.Expect(r, http.StatusBadRequest)
		})
		t.Run("nothing follows where the owner has nothing suggested", func(t *testing.T) {
			w := w.Within(t)
			bot, err := w.Server.Chatbots.Get(w.Context(), shop.Workspace, shop.Chatbot)
			w.Must(err)
			changed := bot.Settings()
			changed.SuggestNothing = true
			w.Must(w.Server.Chatbots.Update(w.Context(), shop.Workspace, shop.Chatbot, changed))
			if questions := followUpsOf(w, shop, "When does the rental desk open?", 0); len(questions) != 0 {
				t.Errorf("they are %q", questions)
			}
			w.Must(w.Server.Chatbots.Update(w.Context(), shop.Workspace, shop.Chatbot, bot.Settings()))
		})
		t.Run("what is gone suggests nothing", func(t *testing.T) {
			w := w.Within(t)
			documents, err := w.Server.Knowledge.Documents.List(w.Context(), shop.Workspace, shop.Chatbot)
			w.Must(err)
			first := w.Call("POST", harness.ChatPath, `{"message":"When does the rental desk open?"}`, harness.Bearer(shop.Token))
			for _, d := range documents {
				w.Must(w.Server.Knowledge.Documents.Remove(w.Context(), shop.Workspace, shop.Chatbot, d.ID))
			}
			r := w.Call("GET", harness.ConversationsPath+"/"+harness.Written(w.Number(first, "conversation_id"))+"/stream?include=suggestions", "", harness.Bearer(shop.Token))
			if !strings.Contains(r.Text, `"suggestions":[]`) {
				t.Errorf("it is %s", r.Text)
			}
			if questions := followUpsOf(w, shop, "When does the rental desk open?", 0); len(questions) != 0 {
				t.Errorf("they are %q", questions)
			}
		})
	})
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		w := start(harness.WithModel(upstream))
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		greeting := func(w *harness.Instance) harness.Reply {
			r := w.Call("GET", harness.ChatbotPath, "", harness.Bearer(baker.Token))
			w.Expect(r, http.StatusOK)
			return r
		}
		settings := func(w *harness.Instance) chatbot.Settings {
			bot, err := w.Server.Chatbots.Get(w.Context(), baker.Workspace, baker.Chatbot)
			w.Must(err)
			return bot.Settings()
		}

		t.Run("without the owner's words it is made from the documents", func(t *testing.T) {
			w := w.Within(t)
			name := settings(w).Name
			w.CheckParts(greeting(w).Text, []string{`"welcome":` + harness.Quoted(w, "Ask "+name+" a question, for example about opening hours or holidays."), `"suggestions":["When are you open?","What should I know about holidays?"]`})
		})
		t.Run("the owner's words take its place, in the page's order", func(t *testing.T) {
			w := w.Within(t)
			changed := settings(w)
			changed.Greeting = chatbot.Greeting{Welcome: "Grüezi <b>!", SuggestedQuestions: []string{"Zwei?", "Eins?"}}
			w.Must(w.Server.Chatbots.Update(w.Context(), baker.Workspace, baker.Chatbot, changed))
			w.CheckParts(greeting(w).Text, []string{`"welcome":"Grüezi <b>!"`, `"suggestions":["Zwei?","Eins?"]`})
			r := w.Call("GET", "/api/chatbots/"+baker.Chatbot+"/suggestions", "", w.OwnerOf(baker))
			w.CheckParts(r.Text, []string{`"questions":["Zwei?","Eins?"]`, `"welcome":"Grüezi <b>!"`})
		})
		t.Run("each that is left empty is made again", func(t *testing.T) {
			w := w.Within(t)
			changed := settings(w)
			changed.SuggestedQuestions = nil
			w.Must(w.Server.Chatbots.Update(w.Context(), baker.Workspace, baker.Chatbot, changed))
			w.CheckParts(greeting(w).Text, []string{`"welcome":"Grüezi <b>!"`, `"suggestions":["When are you open?","What should I know about holidays?"]`})
		})
		t.Run("no model is asked for any of it", func(t *testing.T) {
			if n := upstream.Arrived(); n != 0 {
				t.Errorf("it was asked %d times", n)
			}
		})
		t.Run("an owner can have none suggested", func(t *testing.T) {
			w := w.Within(t)
			changed := settings(w)
			changed.SuggestedQuestions, changed.SuggestNothing = []string{"Zwei?"}, true
			w.Must(w.Server.Chatbots.Update(w.Context(), baker.Workspace, baker.Chatbot, changed))
			w.CheckParts(greeting(w).Text, []string{`"welcome":"Grüezi <b>!"`, `"suggestions":[]`})
			if now := settings(w); !now.SuggestNothing || !slices.Equal(now.SuggestedQuestions, []string{"Zwei?"}) {
				t.Errorf("they are %+v", now)
			}
		})
	})
}
