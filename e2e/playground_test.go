package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/seal"
	"parley/core/tenant"
	"parley/llm/llmtest"
)

// inspection is the event of the playground that says how an answer was made.
type inspection struct {
	Inspect struct {
		MessageID int64  `json:"message_id"`
		Status    string `json:"status"`
		Outcome   string `json:"outcome"`
		HTML      string `json:"html"`
		PlainText string `json:"plain_text"`
		Query     string `json:"query"`
		Passages  []struct {
			Number     int     `json:"number"`
			Cited      bool    `json:"cited"`
			DocumentID string  `json:"document_id"`
			Title      string  `json:"title"`
			Score      float64 `json:"score"`
			Text       string  `json:"text"`
		} `json:"passages"`
		PromptTokens int    `json:"prompt_tokens"`
		Model        string `json:"model"`
		Provider     string `json:"provider"`
		TotalMS      int    `json:"total_ms"`
		Removed      int    `json:"removed_citations"`
		Grounding    string `json:"grounding"`
		Dropped      int    `json:"dropped_sentences"`
		Replaced     bool   `json:"replaced"`
	} `json:"inspect"`
}

// inspectionIn returns the inspection that ends a stream.
func inspectionIn(t *testing.T, all []marked) (found inspection) {
	t.Helper()
	for _, e := range all {
		if e.Type == "inspect" {
			if err := json.Unmarshal([]byte(e.data), &found); err != nil {
				t.Fatal(err)
			}
			return found
		}
	}
	t.Fatalf("there is no inspection in %+v", all)
	return found
}

// passageText is what is known only when an answer has just been made, or may be.
var passageText = regexp.MustCompile(`,"text":"(\\.|[^"\\])*"|,"checked":(true|false)`)

func withoutTexts(gist string) string { return passageText.ReplaceAllString(gist, "") }

func playgroundOf(tn tenantOf) string { return "/api/chatbots/" + tn.chatbot + "/playground" }

// try asks in the playground as a member.
func (w *instance) tries(tn tenantOf, session header, body string) *markedEvents {
	w.Helper()
	return w.marked("POST", playgroundOf(tn)+"/stream", body, session)
}

// ownerOf is the session of a tenant's owner.
func (w *instance) ownerOf(tn tenantOf) header {
	w.Helper()
	owner, err := w.server.Program.Tenants.Users.ByEmail(w.Context(), tn.email)
	w.must(err)
	return w.session(owner.ID)
}

// colleague makes another member of a tenant's workspace.
func (w *instance) colleague(tn tenantOf, name string, role tenant.Role) header {
	w.Helper()
	user, err := w.server.Program.Tenants.SignUps.CreateUser(w.Context(), name+"@example.com", staffPassword)
	w.must(err)
	w.must(w.server.Program.Tenants.Members.Add(w.Context(), tn.workspace, user, role))
	return w.session(user.ID)
}

func TestPlayground(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		w := start(withModel(upstream), func(c *app.Config) { c.SecretKey = seal.ServerKey{1, 2, 3}.Text() }, withLoopback)
		w.server.API.Streams.Recheck = 20 * time.Millisecond
		baker, rival := w.newTenant("baker", plan.Standard, opening), w.newTenant("rival", plan.Standard, rivalOpening)
		owner, stranger := w.ownerOf(baker), w.ownerOf(rival)
		helper := w.colleague(baker, "helper", tenant.RoleMember)
		upstream.Always(llmtest.Reply{Pieces: piecesOfSeven})
		first := w.tries(baker, owner, `{"message":"When does the bakery open?"}`).rest()
		conversation := first[0].ConversationID
		path := func(what string) string {
			return fmt.Sprint(playgroundOf(baker), "/conversations/", conversation, "/", what)
		}

		t.Run("an answer streams as that of the API, and ends with how it was made", func(t *testing.T) {
			got := inspectionIn(t, first).Inspect
			if answerIn(first) != answerOfSeven || !first[len(first)-1].done || first[0].Type != "conversation" {
				t.Errorf("the stream is %+v", first)
			}
			if got.Outcome != "answered" || got.Status != "complete" || got.Grounding != "open" || got.PromptTokens == 0 || got.Model == "" || got.MessageID == 0 {
				t.Errorf("the inspection is %+v", got)
			}
			if !strings.Contains(got.HTML, "<strong>seven</strong>") || strings.Contains(got.PlainText, "**") {
				t.Errorf("its formats are %q and %q", got.HTML, got.PlainText)
			}
			if len(got.Passages) == 0 || !got.Passages[0].Cited || got.Passages[0].Score <= 0 || !strings.Contains(got.Passages[0].Text, "seven") {
				t.Errorf("its passages are %+v", got.Passages)
			}
		})
		t.Run("it can be resumed after each event, by the member alone", func(t *testing.T) {
			w := w.within(t)
			for i := range first {
				after := w.marked("GET", path("stream"), "", owner, lastEventID(first[i].id)).rest()
				if got := withoutTexts(gist(append(seenUpTo(first, i), after...))); got != withoutTexts(gist(first)) {
					t.Errorf("after event %d it is\n%s\nwant\n%s", i, got, gist(first))
				}
			}
		})
		t.Run("the conversation can be read back with its inspection", func(t *testing.T) {
			w := w.within(t)
			r := w.call("GET", path("messages"), "", owner)
			w.expect(r, 200)
			for _, part := range []string{`"question":"When does the bakery open?"`, `"outcome":"answered"`, `"score":`, `"cited":true`} {
				if !strings.Contains(r.body, part) {
					t.Errorf("%s is not in %s", part, r.body)
				}
			}
		})
		t.Run("with the texts of its passages, and what the member thinks of it", func(t *testing.T) {
			w := w.within(t)
			message := inspectionIn(t, first).Inspect.MessageID
			w.expect(w.call("POST", fmt.Sprint("/api/chatbots/", baker.chatbot, "/messages/", message, "/feedback"), `{"rating":"down","comment":"Too short."}`, owner), 200)
			r := w.call("GET", path("messages"), "", owner)
			for _, part := range []string{`"text":"The bakery opens at seven`, `"rating":"down"`, `"comment":"Too short."`, `"checked":false`} {
				if !strings.Contains(r.body, part) {
					t.Errorf("%s is not in %s", part, r.body)
				}
			}
		})
		t.Run("to others it does not exist: a colleague, a stranger, and a token of the chatbot", func(t *testing.T) {
			w := w.within(t)
			unknown := w.call("GET", playgroundOf(baker)+"/conversations/9007199254740990/messages", "", helper)
			w.expect(unknown, 404)
			for _, what := range []string{"messages", "stream"} {
				if r := w.call("GET", path(what), "", helper); r.StatusCode != 404 || r.body != unknown.body {
					t.Errorf("a colleague at %s reads %s", what, r.body)
				}
			}
			w.expect(w.call("POST", path("stop"), "", helper), 404)
			w.expect(w.call("POST", playgroundOf(baker)+"/stream", fmt.Sprintf(`{"message":"And?","conversation_id":%d}`, conversation), helper), 404)
			w.expect(w.call("GET", path("messages"), "", stranger), 404)
			nothing := w.call("GET", messagesPath("9007199254740990"), "", bearer(baker.token))
			for _, r := range []reply{
				w.call("GET", messagesPath(written(conversation)), "", bearer(baker.token)),
				w.call("GET", resumePath(conversation), "", bearer(baker.token)),
				w.call("POST", chatPath, asking(written(conversation)), bearer(baker.token)),
			} {
				if r.StatusCode != 404 || r.body != nothing.body {
					t.Errorf("a token reads %d %s", r.StatusCode, r.body)
				}
			}
		})
		t.Run("nor is a conversation of the API one of the playground", func(t *testing.T) {
			w := w.within(t)
			public := w.newConversation(baker.token, "")
			w.expect(w.call("GET", fmt.Sprint(playgroundOf(baker), "/conversations/", public, "/messages"), "", owner), 404)
		})
		t.Run("its questions are no messages of the month", func(t *testing.T) {
			usage, err := w.server.Program.Tenants.Holdings.Usage(t.Context(), baker.workspace)
			if err != nil || usage.MessagesPerMonth != 0 || usage.PlaygroundPerMonth != 1 {
				t.Errorf("in use are %+v: %v", usage, err)
			}
		})
		t.Run("a draft answers, and is not saved", func(t *testing.T) {
			w := w.within(t)
			upstream.Next(llmtest.Reply{Pieces: []string{"We have 42 branches in Norway."}})
			asked := upstream.Request(upstream.Arrived())
			draft := w.tries(baker, owner, `{"message":"When does the bakery open?","draft":{"instructions":"Speak like a pirate.","no_answer":"Arr, I know not.","grounding":"strict","temperature":0.5}}`).rest()
			if got := inspectionIn(t, draft).Inspect; got.Outcome != "no_answer" || !got.Replaced || got.Dropped != 1 || got.Grounding != "strict" || answerIn(draft) != "Arr, I know not." {
				t.Errorf("the draft answers %q: %+v", answerIn(draft), got)
			}
			if body := string(asked.Body()); !strings.Contains(body, "pirate") || !strings.Contains(body, `"temperature":0.5`) {
				t.Errorf("the model was asked %s", body)
			}
			if bot, err := w.server.Chatbots.Get(t.Context(), baker.workspace, baker.chatbot); err != nil || bot.Instructions != "" || bot.Grounding != chatbot.Open {
				t.Errorf("the chatbot is %+v: %v", bot, err)
			}
		})
		t.Run("a draft can use a provider of the workspace, and of no other", func(t *testing.T) {
			w := w.within(t)
			theirs := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Drafted."}})
			create := func(tn tenantOf) string {
				provider, err := w.server.Chatbots.Providers.Create(t.Context(), tn.workspace, chatbot.ProviderSettings{Name: "Ours", Kind: chatbot.OpenAI, BaseURL: theirs.BaseURL(), Key: providerCanary})
				w.must(err)
				return provider.ID
			}
			draft := func(provider string) string {
				return fmt.Sprintf(`{"message":"When?","draft":{"provider_id":%q,"model":"their-model"}}`, provider)
			}
			got := w.tries(baker, owner, draft(create(baker))).rest()
			if inspected := inspectionIn(t, got).Inspect; answerIn(got) != "Drafted." || inspected.Provider != "Ours" {
				t.Errorf("it answers %q: %+v", answerIn(got), inspected)
			}
			r := w.call("POST", playgroundOf(baker)+"/stream", draft(create(rival)), owner)
			w.expect(r, 400)
			if theirs.Arrived() != 1 {
				t.Errorf("the other's provider was asked")
			}
		})
		t.Run("what is refused says why", func(t *testing.T) {
			w := w.within(t)
			for body, status := range map[string]int{
				``: 400, `{}`: 400, `{"message":"  "}`: 400, `{"message":"a\u0000b"}`: 400, `{"message":7}`: 400,
				`{"message":"` + strings.Repeat("x", 16_001) + `"}`: 400, `{"message":"?","conversation_id":"x"}`: 404,
				`{"message":"?","draft":{"grounding":"loose"}}`: 400, `{"message":"?","draft":{"temperature":3}}`: 400, `{"message":"?","draft":{"temperature":"hot"}}`: 400,
				`{"message":"?","draft":{"instructions":"` + strings.Repeat("x", 8_001) + `"}}`: 400, `{"message":"?","draft":{"model":"no-such-model"}}`: 400,
				`{"message":"?","draft":{"provider_id":"mp_0123456789abcdefghjkmnpq","model":"m"}}`: 400,
			} {
				if r := w.call("POST", playgroundOf(baker)+"/stream", body, owner); r.StatusCode != status || r.ErrorMessage == "" {
					t.Errorf("%.80s gives %d %s", body, r.StatusCode, r.body)
				}
			}
			r := w.call("POST", playgroundOf(baker)+"/stream", `{"message":"?","draft":{"instructions":"Spend."}}`, helper)
			w.expect(r, 403)
		})
		t.Run("a Starter workspace has it, without API access, up to its own number", func(t *testing.T) {
			w := w.within(t)
			small := w.newTenant("kiosk", plan.Starter, opening)
			session := w.ownerOf(small)
			if got := w.tries(small, session, `{"message":"When does the bakery open?"}`).rest(); answerIn(got) != answerOfSeven {
				t.Errorf("it answers %+v", got)
			}
			starter := plan.Defaults()[0]
			starter.Limits.PlaygroundPerMonth = 1
			w.must(w.server.Program.Tenants.Plans.Update(t.Context(), starter))
			r := w.call("POST", playgroundOf(small)+"/stream", `{"message":"When?"}`, session)
			w.expect(r, 429)
			if !strings.Contains(r.ErrorMessage, "playground questions for this month are used up") {
				t.Errorf("it says %q", r.ErrorMessage)
			}
		})
		t.Run("an answer can be stopped", func(t *testing.T) {
			w := w.within(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: piecesOfSeven, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			stream := w.tries(baker, owner, `{"message":"When?"}`)
			begun := stream.until("conversation")
			stream.until("delta")
			r := w.call("POST", fmt.Sprint(playgroundOf(baker), "/conversations/", begun[0].ConversationID, "/stop"), "", owner)
			w.expect(r, 200)
			if got := inspectionIn(t, stream.rest()).Inspect; got.Outcome != "stopped" || r.Data["status"] != "stopped" {
				t.Errorf("it ends with %+v and %s", got, r.body)
			}
		})
		boss, err := w.server.Program.Tenants.Users.ByEmail(t.Context(), baker.email)
		w.must(err)
		for how, end := range map[string]func(w *instance, user tenant.Person, session string){
			"signing out": func(w *instance, _ tenant.Person, session string) {
				w.must(w.server.Program.Tenants.Sessions.SignOut(w.Context(), session))
			},
			"leaving the workspace": func(w *instance, user tenant.Person, _ string) {
				w.must(w.server.Program.Tenants.Members.Remove(w.Context(), baker.workspace, boss.ID, user.User.ID))
			},
		} {
			t.Run(how+" ends an open stream", func(t *testing.T) {
				w := w.within(t)
				session := w.colleague(baker, strings.ReplaceAll(how, " ", "."), tenant.RoleMember)
				secret := strings.TrimPrefix(session.value, "parley_session=")
				person, err := w.server.Program.Tenants.People.Person(t.Context(), secret)
				w.must(err)
				upstream.Next(llmtest.Reply{Pieces: piecesOfSeven, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
				stream := w.tries(baker, session, `{"message":"When?"}`)
				stream.until("delta")
				end(w, person, secret)
				var refused bool
				for _, e := range stream.rest() {
					refused = refused || e.Type == "error" && (e.Error == 1 || e.Error == 2)
				}
				if !refused {
					t.Error("the stream did not end with an error")
				}
			})
		}
	})
}
