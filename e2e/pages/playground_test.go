package pages

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
	"parley/e2e/harness"
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
func inspectionIn(t *testing.T, all []harness.Marked) (found inspection) {
	t.Helper()
	for _, e := range all {
		if e.Type == "inspect" {
			if err := json.Unmarshal([]byte(e.Data), &found); err != nil {
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

func playgroundOf(tn harness.Tenant) string { return "/api/chatbots/" + tn.Chatbot + "/playground" }

// try asks in the playground as a member.
func tryPlayground(w *harness.Instance, tn harness.Tenant, session harness.Header, body string) *harness.MarkedEvents {
	w.Helper()
	return w.Marked("POST", playgroundOf(tn)+"/stream", body, session)
}

// colleague makes another member of a tenant's workspace.
func colleague(w *harness.Instance, tn harness.Tenant, name string, role tenant.Role) harness.Header {
	w.Helper()
	user, err := w.Server.Program.Tenants.SignUps.CreateUser(w.Context(), name+"@example.com", harness.StaffPassword)
	w.Must(err)
	w.Must(w.Server.Program.Tenants.Members.Add(w.Context(), tn.Workspace, user, role))
	return w.Session(user.ID)
}

func TestPlayground(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		w := start(harness.WithModel(upstream), func(c *app.Config) { c.SecretKey = seal.ServerKey{1, 2, 3}.Text() }, harness.WithLoopback)
		w.Server.API.Streams.Recheck = 20 * time.Millisecond
		baker, rival := w.NewTenant("baker", plan.Standard, harness.Opening), w.NewTenant("rival", plan.Standard, harness.RivalOpening)
		owner, stranger := w.OwnerOf(baker), w.OwnerOf(rival)
		helper := colleague(w, baker, "helper", tenant.RoleMember)
		upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven})
		first := tryPlayground(w, baker, owner, `{"message":"When does the bakery open?"}`).Rest()
		conversation := first[0].ConversationID
		path := func(what string) string {
			return fmt.Sprint(playgroundOf(baker), "/conversations/", conversation, "/", what)
		}

		t.Run("an answer streams as that of the API, and ends with how it was made", func(t *testing.T) {
			got := inspectionIn(t, first).Inspect
			if harness.AnswerIn(first) != harness.AnswerOfSeven || !first[len(first)-1].Done || first[0].Type != "conversation" {
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
			w := w.Within(t)
			for i := range first {
				after := w.Marked("GET", path("stream"), "", owner, harness.LastEventID(first[i].ID)).Rest()
				if got := withoutTexts(harness.Gist(append(harness.SeenUpTo(first, i), after...))); got != withoutTexts(harness.Gist(first)) {
					t.Errorf("after event %d it is\n%s\nwant\n%s", i, got, harness.Gist(first))
				}
			}
		})
		t.Run("the conversation can be read back with its inspection", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("GET", path("messages"), "", owner)
			w.Expect(r, 200)
			for _, part := range []string{`"question":"When does the bakery open?"`, `"outcome":"answered"`, `"score":`, `"cited":true`} {
				if !strings.Contains(r.Text, part) {
					t.Errorf("%s is not in %s", part, r.Text)
				}
			}
		})
		t.Run("with the texts of its passages, and what the member thinks of it", func(t *testing.T) {
			w := w.Within(t)
			message := inspectionIn(t, first).Inspect.MessageID
			w.Expect(w.Call("POST", fmt.Sprint("/api/chatbots/", baker.Chatbot, "/messages/", message, "/feedback"), `{"rating":"down","comment":"Too short."}`, owner), 200)
			r := w.Call("GET", path("messages"), "", owner)
			for _, part := range []string{`"text":"The bakery opens at seven`, `"rating":"down"`, `"comment":"Too short."`, `"checked":false`} {
				if !strings.Contains(r.Text, part) {
					t.Errorf("%s is not in %s", part, r.Text)
				}
			}
		})
		t.Run("to others it does not exist: a colleague, a stranger, and a token of the chatbot", func(t *testing.T) {
			w := w.Within(t)
			unknown := w.Call("GET", playgroundOf(baker)+"/conversations/9007199254740990/messages", "", helper)
			w.Expect(unknown, 404)
			for _, what := range []string{"messages", "stream"} {
				if r := w.Call("GET", path(what), "", helper); r.StatusCode != 404 || r.Text != unknown.Text {
					t.Errorf("a colleague at %s reads %s", what, r.Text)
				}
			}
			w.Expect(w.Call("POST", path("stop"), "", helper), 404)
			w.Expect(w.Call("POST", playgroundOf(baker)+"/stream", fmt.Sprintf(`{"message":"And?","conversation_id":%d}`, conversation), helper), 404)
			w.Expect(w.Call("GET", path("messages"), "", stranger), 404)
			nothing := w.Call("GET", harness.MessagesPath("9007199254740990"), "", harness.Bearer(baker.Token))
			for _, r := range []harness.Reply{
				w.Call("GET", harness.MessagesPath(harness.Written(conversation)), "", harness.Bearer(baker.Token)),
				w.Call("GET", harness.ResumePath(conversation), "", harness.Bearer(baker.Token)),
				w.Call("POST", harness.ChatPath, harness.Asking(harness.Written(conversation)), harness.Bearer(baker.Token)),
			} {
				if r.StatusCode != 404 || r.Text != nothing.Text {
					t.Errorf("a token reads %d %s", r.StatusCode, r.Text)
				}
			}
		})
		t.Run("nor is a conversation of the API one of the playground", func(t *testing.T) {
			w := w.Within(t)
			public := w.NewConversation(baker.Token, "")
			w.Expect(w.Call("GET", fmt.Sprint(playgroundOf(baker), "/conversations/", public, "/messages"), "", owner), 404)
		})
		t.Run("its questions are no messages of the month", func(t *testing.T) {
			usage, err := w.Server.Program.Tenants.Holdings.Usage(t.Context(), baker.Workspace)
			if err != nil || usage.MessagesPerMonth != 0 || usage.PlaygroundPerMonth != 1 {
				t.Errorf("in use are %+v: %v", usage, err)
			}
		})
		t.Run("a draft answers, and is not saved", func(t *testing.T) {
			w := w.Within(t)
			upstream.Next(llmtest.Reply{Pieces: []string{"We have 42 branches in Norway."}})
			asked := upstream.Request(upstream.Arrived())
			draft := tryPlayground(w, baker, owner, `{"message":"When does the bakery open?","draft":{"instructions":"Speak like a pirate.","no_answer":"Arr, I know not.","grounding":"strict","temperature":0.5}}`).Rest()
			if got := inspectionIn(t, draft).Inspect; got.Outcome != "no_answer" || !got.Replaced || got.Dropped != 1 || got.Grounding != "strict" || harness.AnswerIn(draft) != "Arr, I know not." {
				t.Errorf("the draft answers %q: %+v", harness.AnswerIn(draft), got)
			}
			if body := string(asked.Body()); !strings.Contains(body, "pirate") || !strings.Contains(body, `"temperature":0.5`) {
				t.Errorf("the model was asked %s", body)
			}
			if bot, err := w.Server.Chatbots.Get(t.Context(), baker.Workspace, baker.Chatbot); err != nil || bot.Instructions != "" || bot.Grounding != chatbot.Open {
				t.Errorf("the chatbot is %+v: %v", bot, err)
			}
		})
		t.Run("a draft can use a provider of the workspace, and of no other", func(t *testing.T) {
			w := w.Within(t)
			theirs := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Drafted."}})
			create := func(tn harness.Tenant) string {
				provider, err := w.Server.Chatbots.Providers.Create(t.Context(), tn.Workspace, chatbot.ProviderSettings{Name: "Ours", Kind: chatbot.OpenAI, BaseURL: theirs.BaseURL(), Key: harness.ProviderCanary})
				w.Must(err)
				return provider.ID
			}
			draft := func(provider string) string {
				return fmt.Sprintf(`{"message":"When?","draft":{"provider_id":%q,"model":"their-model"}}`, provider)
			}
			got := tryPlayground(w, baker, owner, draft(create(baker))).Rest()
			if inspected := inspectionIn(t, got).Inspect; harness.AnswerIn(got) != "Drafted." || inspected.Provider != "Ours" {
				t.Errorf("it answers %q: %+v", harness.AnswerIn(got), inspected)
			}
			r := w.Call("POST", playgroundOf(baker)+"/stream", draft(create(rival)), owner)
			w.Expect(r, 400)
			if theirs.Arrived() != 1 {
				t.Errorf("the other's provider was asked")
			}
		})
		t.Run("what is refused says why", func(t *testing.T) {
			w := w.Within(t)
			for body, status := range map[string]int{
				``: 400, `{}`: 400, `{"message":"  "}`: 400, `{"message":"a\u0000b"}`: 400, `{"message":7}`: 400,
				`{"message":"` + strings.Repeat("x", 16_001) + `"}`: 400, `{"message":"?","conversation_id":"x"}`: 404,
				`{"message":"?","draft":{"grounding":"loose"}}`: 400, `{"message":"?","draft":{"temperature":3}}`: 400, `{"message":"?","draft":{"temperature":"hot"}}`: 400,
				`{"message":"?","draft":{"instructions":"` + strings.Repeat("x", 8_001) + `"}}`: 400, `{"message":"?","draft":{"model":"no-such-model"}}`: 400,
				`{"message":"?","draft":{"provider_id":"mp_0123456789abcdefghjkmnpq","model":"m"}}`: 400,
			} {
				if r := w.Call("POST", playgroundOf(baker)+"/stream", body, owner); r.StatusCode != status || r.ErrorMessage == "" {
					t.Errorf("%.80s gives %d %s", body, r.StatusCode, r.Text)
				}
			}
			r := w.Call("POST", playgroundOf(baker)+"/stream", `{"message":"?","draft":{"instructions":"Spend."}}`, helper)
			w.Expect(r, 403)
		})
		t.Run("a Starter workspace has it, without API access, up to its own number", func(t *testing.T) {
			w := w.Within(t)
			small := w.NewTenant("kiosk", plan.Starter, harness.Opening)
			session := w.OwnerOf(small)
			if got := tryPlayground(w, small, session, `{"message":"When does the bakery open?"}`).Rest(); harness.AnswerIn(got) != harness.AnswerOfSeven {
				t.Errorf("it answers %+v", got)
			}
			starter := plan.Defaults()[0]
			starter.Limits.PlaygroundPerMonth = 1
			w.Must(w.Server.Program.Tenants.Plans.Update(t.Context(), starter))
			r := w.Call("POST", playgroundOf(small)+"/stream", `{"message":"When?"}`, session)
			w.Expect(r, 429)
			if !strings.Contains(r.ErrorMessage, "playground questions for this month are used up") {
				t.Errorf("it says %q", r.ErrorMessage)
			}
		})
		t.Run("an answer can be stopped", func(t *testing.T) {
			w := w.Within(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: harness.PiecesOfSeven, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			stream := tryPlayground(w, baker, owner, `{"message":"When?"}`)
			begun := stream.Until("conversation")
			stream.Until("delta")
			r := w.Call("POST", fmt.Sprint(playgroundOf(baker), "/conversations/", begun[0].ConversationID, "/stop"), "", owner)
			w.Expect(r, 200)
			if got := inspectionIn(t, stream.Rest()).Inspect; got.Outcome != "stopped" || r.Data["status"] != "stopped" {
				t.Errorf("it ends with %+v and %s", got, r.Text)
			}
		})
		boss, err := w.Server.Program.Tenants.Users.ByEmail(t.Context(), baker.Email)
		w.Must(err)
		for how, end := range map[string]func(w *harness.Instance, user tenant.Person, session string){
			"signing out": func(w *harness.Instance, _ tenant.Person, session string) {
				w.Must(w.Server.Program.Tenants.Sessions.SignOut(w.Context(), session))
			},
			"leaving the workspace": func(w *harness.Instance, user tenant.Person, _ string) {
				w.Must(w.Server.Program.Tenants.Members.Remove(w.Context(), baker.Workspace, boss.ID, user.User.ID))
			},
		} {
			t.Run(how+" ends an open stream", func(t *testing.T) {
				w := w.Within(t)
				session := colleague(w, baker, strings.ReplaceAll(how, " ", "."), tenant.RoleMember)
				secret := strings.TrimPrefix(session.Value, "parley_session=")
				person, err := w.Server.Program.Tenants.People.Person(t.Context(), secret)
				w.Must(err)
				upstream.Next(llmtest.Reply{Pieces: harness.PiecesOfSeven, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
				stream := tryPlayground(w, baker, session, `{"message":"When?"}`)
				stream.Until("delta")
				end(w, person, secret)
				var refused bool
				for _, e := range stream.Rest() {
					refused = refused || e.Type == "error" && (e.Error == 1 || e.Error == 2)
				}
				if !refused {
					t.Error("the stream did not end with an error")
				}
			})
		}
	})
}
