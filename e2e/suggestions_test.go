package e2e

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
	"parley/llm/llmtest"
)

const suggestionsOfHolidays = `["What should I know about holidays?"]`

// checkSuggestions checks the questions that follow an answer about opening hours.
func checkSuggestions(w *instance, tn tenantOf) {
	w.Helper()
	r := w.call("POST", chatPath, including(`["suggestions"]`), bearer(tn.token))
	w.checkFields(r.Data, "message", "conversation_id", "format", "usage", "message_id", "sources", "outcome", "finish_reason", "suggestions")
	if !strings.HasSuffix(r.body, `"suggestions":`+suggestionsOfHolidays+"}}") {
		w.Errorf("the answer is %s", r.body)
	}
	got := gistOf(w.T, noIDs.ReplaceAllString(w.call("POST", streamPath, including(`["usage","suggestions","ids"]`), bearer(tn.token)).body, ""))
	lines := strings.Split(got, "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[2], `{"type":"usage"`) || lines[3] != `{"type":"suggestions","suggestions":`+suggestionsOfHolidays+"}" || !strings.HasPrefix(lines[4], `{"type":"formatted"`) {
		w.Errorf("the stream is %s", got)
	}
}

// followUpsOf are the suggestions of an answer to a question in a conversation.
func (w *instance) followUpsOf(tn tenantOf, question string, conversation int64) []string {
	w.Helper()
	body := map[string]any{"message": question, "include": []string{"suggestions"}}
	if conversation != 0 {
		body["conversation_id"] = conversation
	}
	text, err := json.Marshal(body)
	w.must(err)
	r := w.call("POST", chatPath, string(text), bearer(tn.token))
	w.expect(r, http.StatusOK)
	list, isList := r.Data["suggestions"].([]any)
	if !isList {
		w.Fatalf("there is no list in %s", r.body)
	}
	questions := make([]string, len(list))
	for i, item := range list {
		questions[i], _ = item.(string)
	}
	return questions
}

// rentalHandbook is about a bicycle shop. Each section is too long to share its passage with
// all of the others.
var rentalHandbook = "# Rental\n\n## Prices\n\nA bicycle for a day is 30 euros, and one for a week is 120 euros. " + strings.Repeat("Larger frames are the same. ", 20) +
	"\n\n## Opening hours\n\nThe rental desk opens at eight in the morning and closes at six. " + strings.Repeat("Nobody is there at night. ", 20) +
	"\n\n## Helmets\n\nEvery rider gets a helmet without a charge. " + strings.Repeat("Sizes go from small to large. ", 20) +
	"\n\n## Can I bring the bicycle back elsewhere?\n\nYou can return it at the station, too. " + strings.Repeat("Put it into the rack there. ", 20) + "\n"

const fragen = "# Fragen\n\n## Verleih\n\nDas Fahrrad kostet am Tag dreißig Euro und in der Woche hundertzwanzig Euro. Die Kinder zahlen nur die Hälfte.\n\n## Wann ist der Verleih am Sonntag geöffnet?\n\nDer Verleih ist am Sonntag von zehn bis vier Uhr geöffnet, außer an Feiertagen.\n"

func TestFollowUps(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		w.hasNoHurry()
		shop := w.newTenant("shop", plan.Standard, rentalHandbook)
		_, err := w.server.Knowledge.Documents.Add(w.Context(), shop.workspace, shop.chatbot, knowledge.NewDocument{Title: "Fragen", Content: fragen})
		w.must(err)
		w.settled(shop)

		t.Run("what follows an answer is near it, and is answered itself", func(t *testing.T) {
			w := w.within(t)
			questions := w.followUpsOf(shop, "When does the rental desk open?", 0)
			if len(questions) < 2 || len(questions) > 3 || slices.Contains(questions, "When are you open?") || !slices.Contains(questions, "Can I bring the bicycle back elsewhere?") {
				t.Errorf("they are %q", questions)
			}
			for _, question := range questions {
				r := w.call("POST", chatPath, `{"message":`+quoted(w, question)+`}`, bearer(shop.token))
				if r.Data["outcome"] != "answered" {
					t.Errorf("%q gets %s", question, r.body)
				}
			}
		})
		t.Run("what was asked in the conversation is not suggested", func(t *testing.T) {
			w := w.within(t)
			first := w.call("POST", chatPath, `{"message":"Can I bring the bicycle back elsewhere?"}`, bearer(shop.token))
			questions := w.followUpsOf(shop, "When does the rental desk open?", w.number(first, "conversation_id"))
			if slices.Contains(questions, "Can I bring the bicycle back elsewhere?") || len(questions) == 0 {
				t.Errorf("they are %q", questions)
			}
		})
		t.Run("they are in the language of the question", func(t *testing.T) {
			questions := w.within(t).followUpsOf(shop, "Was kostet das Fahrrad am Tag?", 0)
			if !slices.Equal(questions, []string{"Wann ist der Verleih am Sonntag geöffnet?"}) {
				t.Errorf("they are %q", questions)
			}
		})
		t.Run("a stream that is read again has them, if it is asked to", func(t *testing.T) {
			w := w.within(t)
			first := w.call("POST", chatPath, `{"message":"When does the rental desk open?","include":["suggestions"]}`, bearer(shop.token))
			list, _, _ := strings.Cut(first.body[strings.Index(first.body, `"suggestions":`):], "}")
			for query, want := range map[string]bool{"": false, "?include=suggestions": true, "?include=usage": false} {
				r := w.call("GET", conversationsPath+"/"+written(w.number(first, "conversation_id"))+"/stream"+query, "", bearer(shop.token))
				if w.expect(r, http.StatusOK); strings.Contains(r.body, list) != want {
					t.Errorf("with %q it is %s, want %s", query, r.body, list)
				}
			}
		})
		t.Run("lists of messages have none", func(t *testing.T) {
			w := w.within(t)
			first := w.call("POST", chatPath, `{"message":"When does the rental desk open?"}`, bearer(shop.token))
			r := w.call("GET", conversationsPath+"/"+written(w.number(first, "conversation_id"))+"/messages?include=suggestions", "", bearer(shop.token))
			w.expect(r, http.StatusBadRequest)
		})
		t.Run("nothing follows where the owner has nothing suggested", func(t *testing.T) {
			w := w.within(t)
			bot, err := w.server.Chatbots.Get(w.Context(), shop.workspace, shop.chatbot)
			w.must(err)
			changed := bot.Settings()
			changed.SuggestNothing = true
			w.must(w.server.Chatbots.Update(w.Context(), shop.workspace, shop.chatbot, changed))
			if questions := w.followUpsOf(shop, "When does the rental desk open?", 0); len(questions) != 0 {
				t.Errorf("they are %q", questions)
			}
			w.must(w.server.Chatbots.Update(w.Context(), shop.workspace, shop.chatbot, bot.Settings()))
		})
		t.Run("what is gone suggests nothing", func(t *testing.T) {
			w := w.within(t)
			documents, err := w.server.Knowledge.Documents.List(w.Context(), shop.workspace, shop.chatbot)
			w.must(err)
			first := w.call("POST", chatPath, `{"message":"When does the rental desk open?"}`, bearer(shop.token))
			for _, d := range documents {
				w.must(w.server.Knowledge.Documents.Remove(w.Context(), shop.workspace, shop.chatbot, d.ID))
			}
			r := w.call("GET", conversationsPath+"/"+written(w.number(first, "conversation_id"))+"/stream?include=suggestions", "", bearer(shop.token))
			if !strings.Contains(r.body, `"suggestions":[]`) {
				t.Errorf("it is %s", r.body)
			}
			if questions := w.followUpsOf(shop, "When does the rental desk open?", 0); len(questions) != 0 {
				t.Errorf("they are %q", questions)
			}
		})
	})
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		w := start(withModel(upstream))
		baker := w.newTenant("baker", plan.Standard, opening)
		greeting := func(w *instance) reply {
			r := w.call("GET", chatbotPath, "", bearer(baker.token))
			w.expect(r, http.StatusOK)
			return r
		}
		settings := func(w *instance) chatbot.Settings {
			bot, err := w.server.Chatbots.Get(w.Context(), baker.workspace, baker.chatbot)
			w.must(err)
			return bot.Settings()
		}

		t.Run("without the owner's words it is made from the documents", func(t *testing.T) {
			w := w.within(t)
			name := settings(w).Name
			w.checkParts(greeting(w).body, []string{`"welcome":` + quoted(w, "Ask "+name+" a question, for example about opening hours or holidays."), `"suggestions":["When are you open?","What should I know about holidays?"]`})
		})
		t.Run("the owner's words take its place, in the page's order", func(t *testing.T) {
			w := w.within(t)
			changed := settings(w)
			changed.Greeting = chatbot.Greeting{Welcome: "Grüezi <b>!", SuggestedQuestions: []string{"Zwei?", "Eins?"}}
			w.must(w.server.Chatbots.Update(w.Context(), baker.workspace, baker.chatbot, changed))
			w.checkParts(greeting(w).body, []string{`"welcome":"Grüezi <b>!"`, `"suggestions":["Zwei?","Eins?"]`})
			r := w.call("GET", "/api/chatbots/"+baker.chatbot+"/suggestions", "", w.ownerOf(baker))
			w.checkParts(r.body, []string{`"questions":["Zwei?","Eins?"]`, `"welcome":"Grüezi <b>!"`})
		})
		t.Run("each that is left empty is made again", func(t *testing.T) {
			w := w.within(t)
			changed := settings(w)
			changed.SuggestedQuestions = nil
			w.must(w.server.Chatbots.Update(w.Context(), baker.workspace, baker.chatbot, changed))
			w.checkParts(greeting(w).body, []string{`"welcome":"Grüezi <b>!"`, `"suggestions":["When are you open?","What should I know about holidays?"]`})
		})
		t.Run("no model is asked for any of it", func(t *testing.T) {
			if n := upstream.Arrived(); n != 0 {
				t.Errorf("it was asked %d times", n)
			}
		})
		t.Run("an owner can have none suggested", func(t *testing.T) {
			w := w.within(t)
			changed := settings(w)
			changed.SuggestedQuestions, changed.SuggestNothing = []string{"Zwei?"}, true
			w.must(w.server.Chatbots.Update(w.Context(), baker.workspace, baker.chatbot, changed))
			w.checkParts(greeting(w).body, []string{`"welcome":"Grüezi <b>!"`, `"suggestions":[]`})
			if now := settings(w); !now.SuggestNothing || !slices.Equal(now.SuggestedQuestions, []string{"Zwei?"}) {
				t.Errorf("they are %+v", now)
			}
		})
	})
}
