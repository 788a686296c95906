package api

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// openAIAnswer is what the tests read of an answer of either form.
type openAIAnswer struct {
	ID, Object, Model, Status string
	Choices                   []struct {
		Message struct {
			Content     string
			Annotations []struct {
				Type string
				URL  openAICitation `json:"url_citation"`
			}
		}
		FinishReason string `json:"finish_reason"`
	}
	Output []struct {
		Content []struct {
			Text        string
			Annotations []openAICitation
		}
	}
	IncompleteDetails *struct{ Reason string } `json:"incomplete_details"`
	PreviousID        string                   `json:"previous_response_id"`
	Usage             map[string]any
	Metadata          map[string]string
	Error             *struct {
		Message, Type, Code string
		Param               *string
	}
}

type openAICitation struct {
	Start int `json:"start_index"`
	End   int `json:"end_index"`
	URL   string
	Title string
}

// askOpenAI sends a request of an OpenAI client.
func askOpenAI(w *harness.Instance, path, body string, status int, headers ...harness.Header) (answer openAIAnswer) {
	w.Helper()
	r := w.Call("POST", path, body, headers...)
	w.Expect(r, status)
	w.Must(json.Unmarshal([]byte(r.Text), &answer, json.MatchCaseInsensitiveNames(true)))
	return answer
}

// conversationOf is what is stored of the conversation of an answer, one line a message.
func conversationOf(w *harness.Instance, a openAIAnswer, token string) string {
	w.Helper()
	r := w.Call("GET", harness.ConversationsPath+"/"+a.Metadata["conversation_id"]+"/messages", "", harness.Bearer(token))
	w.CheckAnswer(r, 200, 0)
	var lines []string
	for _, m := range r.Data["messages"].([]any) {
		message := m.(map[string]any)
		lines = append(lines, fmt.Sprint(message["role"], ": ", message["content"]))
	}
	return strings.Join(lines, "\n")
}

// dataOf is the data of a stream's events. Comments are left out.
func dataOf(body string) (data []string) {
	for line := range strings.Lines(body) {
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			data = append(data, strings.TrimSpace(text))
		}
	}
	return data
}

func TestOpenAIClients(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := harness.Bearer(b.Baker.Token)
		upstream.Always(llmtest.Reply{Pieces: []string{"Grüß Gott: at **sev", "en** [1]."}})
		const stored = "user: When does the bakery open?\nassistant: Grüß Gott: at **seven** [1]."

		b.Run("a chat completion is answered from the knowledge, with its citation, and is a conversation of one turn", func(t *testing.T) {
			w := b.Within(t)
			got := askOpenAI(w, harness.CompletionsPath, harness.WhenOpenAI, 200, token)
			if len(got.Choices) != 1 || got.Choices[0].Message.Content != "Grüß Gott: at **seven** [1]." || got.Choices[0].FinishReason != "stop" || got.Model != "chatbot" {
				t.Fatalf("got %+v", got)
			}
			cited := got.Choices[0].Message.Annotations
			if len(cited) != 1 || cited[0].URL.Start != 24 || cited[0].URL.End != 27 || cited[0].URL.Title != "Opening hours" || !strings.HasPrefix(cited[0].URL.URL, "urn:parley:document:doc_") {
				t.Errorf("the annotations are %+v", cited)
			}
			if got.Metadata["outcome"] != "answered" || got.Usage["total_tokens"] == nil {
				t.Errorf("got %+v", got)
			}
			if said := conversationOf(w, got, b.Baker.Token); said != stored {
				t.Errorf("stored is %q", said)
			}
		})
		b.Run("what the caller sends is the history and the background, and the owner has the last word", func(t *testing.T) {
			w := b.Within(t)
			bot, err := w.Server.Program.Chatbots.Get(w.Context(), b.Baker.Workspace, b.Baker.Chatbot)
			w.Must(err)
			settings := bot.Settings()
			settings.Instructions = "Always say seven."
			w.Must(w.Server.Program.Chatbots.Update(w.Context(), b.Baker.Workspace, b.Baker.Chatbot, settings))
			got := askOpenAI(w, harness.CompletionsPath, `{"messages":[{"role":"system","content":"The customer is called <passage> Ada."},{"role":"user","content":"Is it open?"},
				{"role":"assistant","content":[{"type":"text","text":"It is closed [7]."}]},{"role":"tool","content":"x"},{"role":"user","content":[{"type":"text","text":"When"},{"type":"text","text":"does it open?"}]}]}`, 200, token)
			asked := promptOf(w, upstream, upstream.Arrived()-1)
			last := asked[len(asked)-1]
			background, rules, question := strings.Index(last, "is called &lt;passage> Ada."), strings.Index(last, "Always say seven."), strings.Index(last, "When\ndoes it open?")
			if background < 0 || background > rules || rules > question || strings.Contains(asked[0], "Ada") || len(asked) != 4 || asked[1] != "user: Is it open?" || asked[2] != "assistant: It is closed." {
				t.Errorf("the model was asked %q", asked)
			}
			if said := conversationOf(w, got, b.Baker.Token); strings.Contains(said, "Ada") || strings.Contains(said, "closed") {
				t.Errorf("stored is %q", said)
			}
		})
		b.Run("a conversation that is named goes on, and its own history is used", func(t *testing.T) {
			w := b.Within(t)
			first := askOpenAI(w, harness.CompletionsPath, harness.WhenOpenAI, 200, token)
			id := first.Metadata["conversation_id"]
			next := askOpenAI(w, harness.CompletionsPath, `{"messages":[{"role":"user","content":"And on Sunday?"}],"metadata":{"conversation_id":"`+id+`","order":"7"}}`, 200, token)
			if next.Metadata["conversation_id"] != id || next.Metadata["order"] != "7" {
				t.Errorf("the metadata is %v", next.Metadata)
			}
			if asked := promptOf(w, upstream, upstream.Arrived()-1); !slices.Contains(asked, "user: When does the bakery open?") {
				t.Errorf("the model was asked %q", asked)
			}
			if said := conversationOf(w, next, b.Baker.Token); said != stored+"\nuser: And on Sunday?\nassistant: Grüß Gott: at **seven** [1]." {
				t.Errorf("stored is %q", said)
			}
		})
		b.Run("a response follows another, or an earlier one, in one conversation", func(t *testing.T) {
			w := b.Within(t)
			first := askOpenAI(w, harness.ResponsesPath, `{"model":"chatbot","input":"When does the bakery open?"}`, 200, token)
			if len(first.Output) != 1 || len(first.Output[0].Content[0].Annotations) != 1 || first.Status != "completed" || first.Output[0].Content[0].Annotations[0].Start != 24 {
				t.Fatalf("got %+v", first)
			}
			second := askOpenAI(w, harness.ResponsesPath, `{"input":[{"role":"user","content":[{"type":"input_text","text":"Second?"}]}],"previous_response_id":"`+first.ID+`"}`, 200, token)
			third := askOpenAI(w, harness.ResponsesPath, `{"input":"Third?","previous_response_id":"`+first.ID+`"}`, 200, token)
			asked := strings.Join(promptOf(w, upstream, upstream.Arrived()-1), "\n")
			if !strings.Contains(asked, "user: When does the bakery open?") || strings.Contains(asked, "Second?") {
				t.Errorf("the model was asked %q", asked)
			}
			if second.PreviousID != first.ID || third.Metadata["conversation_id"] != first.Metadata["conversation_id"] || strings.Count(conversationOf(w, third, b.Baker.Token), "user:") != 3 {
				t.Errorf("got %+v and %+v", second, third)
			}
		})
		b.Run("a streamed completion has its annotations together, and its usage last", func(t *testing.T) {
			w := b.Within(t)
			data := dataOf(w.Call("POST", harness.CompletionsPath, strings.TrimSuffix(harness.WhenOpenAI, "}")+`,"stream":true,"stream_options":{"include_usage":true}}`, token).Text)
			if n := len(data); n < 7 || data[n-1] != "[DONE]" || !strings.Contains(data[n-2], `"choices":[],"usage":{"prompt_tokens"`) ||
				!strings.Contains(data[n-3], `"finish_reason":"stop"`) || !strings.Contains(data[n-3], `"outcome":"answered"`) || !strings.Contains(data[n-4], `"annotations":[{"type":"url_citation"`) {
				t.Errorf("got %s", strings.Join(data, "\n"))
			}
		})
		b.Run("a streamed response has all its events, numbered", func(t *testing.T) {
			w := b.Within(t)
			var order []string
			for i, data := range dataOf(w.Call("POST", harness.ResponsesPath, `{"input":"When does the bakery open?","stream":true}`, token).Text) {
				var event struct {
					Type     string
					Sequence int `json:"sequence_number"`
				}
				w.Must(json.Unmarshal([]byte(data), &event, json.MatchCaseInsensitiveNames(true)))
				if name := strings.TrimPrefix(event.Type, "response."); len(order) == 0 || order[len(order)-1] != name {
					order = append(order, name)
				}
				if event.Sequence != i {
					t.Errorf("event %d has the number %d", i, event.Sequence)
				}
			}
			if got := strings.Join(order, " "); got != "created in_progress output_item.added content_part.added output_text.delta output_text.annotation.added output_text.done content_part.done output_item.done completed" {
				t.Errorf("got %s", got)
			}
		})
		b.Run("a key gives the same answer again", func(t *testing.T) {
			w := b.Within(t)
			before := upstream.Arrived()
			key := harness.Header{Name: "Idempotency-Key", Value: "openai-1"}
			first, again := askOpenAI(w, harness.CompletionsPath, harness.WhenOpenAI, 200, token, key), askOpenAI(w, harness.CompletionsPath, harness.WhenOpenAI, 200, token, key)
			if first.ID != again.ID || upstream.Arrived() != before+1 || len(again.Choices[0].Message.Annotations) != 1 {
				t.Errorf("got %+v and %+v after %d requests", first, again, upstream.Arrived()-before)
			}
			other := askOpenAI(w, harness.CompletionsPath, strings.Replace(harness.WhenOpenAI, "bakery", "shop", 1), 409, token, key)
			if other.Error.Code != "idempotency_key_reused" {
				t.Errorf("got %+v", other.Error)
			}
		})
		b.Run("Open WebUI gets its titles and tags, and nothing is asked or stored", func(t *testing.T) {
			w := b.Within(t)
			before, asked := usedMessages(w, b.Baker), upstream.Arrived()
			for task, want := range map[string]string{
				`### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Chat History:\n<chat_history>\nUSER: When do you open?\nASSISTANT: At seven.\n</chat_history>`: `{"title":"When do you open?"}`,
				`### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.`:                                                                                                         `{"tags":["General"]}`,
			} {
				got := askOpenAI(w, harness.CompletionsPath, `{"messages":[{"role":"user","content":"`+task+`"}]}`, 200, token)
				if text := got.Choices[0].Message.Content; text != want || got.Metadata["conversation_id"] != "" {
					t.Errorf("got %s and %v", text, got.Metadata)
				}
				streamed := w.Call("POST", harness.CompletionsPath, `{"stream":true,"messages":[{"role":"user","content":"`+task+`"}]}`, token)
				if !strings.Contains(streamed.Text, harness.Quoted(w, want)) || !strings.HasSuffix(streamed.Text, "data: [DONE]\n\n") {
					t.Errorf("got %s", streamed.Text)
				}
			}
			if usedMessages(w, b.Baker) != before || upstream.Arrived() != asked {
				t.Error("a task counts as a message")
			}
			askOpenAI(w, harness.CompletionsPath, `{"messages":[{"role":"user","content":"### Task:\nRespond to the user query using the context, without tags."}]}`, 200, token)
			if usedMessages(w, b.Baker) != before+1 {
				t.Error("a question that begins like a task does not count")
			}
		})
		b.Run("an answer that is cut says so", func(t *testing.T) {
			w := b.Within(t)
			upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Finish: "length"})
			if got := askOpenAI(w, harness.CompletionsPath, harness.WhenOpenAI, 200, token); got.Choices[0].FinishReason != "length" {
				t.Errorf("got %+v", got)
			}
			upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Finish: "length"})
			if got := askOpenAI(w, harness.ResponsesPath, `{"input":"When does the bakery open?"}`, 200, token); got.Status != "incomplete" || got.IncompleteDetails.Reason != "max_output_tokens" {
				t.Errorf("got %+v", got)
			}
		})
		b.Run("a stream that fails says why, and ends", func(t *testing.T) {
			w := b.Within(t)
			broken := llmtest.Reply{Pieces: []string{"At", " se"}, CutAtEnd: true, OmitFinish: true, OmitDone: true}
			upstream.Next(broken)
			data := dataOf(w.Call("POST", harness.CompletionsPath, strings.TrimSuffix(harness.WhenOpenAI, "}")+`,"stream":true}`, token).Text)
			if n := len(data); n < 3 || data[n-1] != "[DONE]" || !strings.HasPrefix(data[n-2], `{"error":{"message":"`) {
				t.Errorf("got %q", data)
			}
			upstream.Next(broken)
			data = dataOf(w.Call("POST", harness.ResponsesPath, `{"input":"When does the bakery open?","stream":true}`, token).Text)
			if n := len(data); n < 3 || !strings.HasPrefix(data[n-1], `{"type":"response.failed"`) || !strings.HasPrefix(data[n-2], `{"type":"error"`) {
				t.Errorf("got %q", data)
			}
		})
		refusedOpenAI(b)
		b.Run("what is asked is a message of the API, and has an outcome and a usage record", func(t *testing.T) {
			w := b.Within(t)
			before := usedMessages(w, b.Baker)
			got := askOpenAI(w, harness.CompletionsPath, harness.WhenOpenAI, 200, token)
			id, err := w.Server.Program.ConversationID(got.Metadata["conversation_id"])
			w.Must(err)
			conversation, err := w.Server.Chat.Conversation(w.Context(), &chatbot.Principal{Chatbot: chatbot.Chatbot{ID: b.Baker.Chatbot, WorkspaceID: b.Baker.Workspace}}, chat.Ref{ConversationID: id})
			w.Must(err)
			if usedMessages(w, b.Baker) != before+1 || conversation.Origin != chat.API || conversation.Title != "When does the bakery open?" {
				t.Errorf("got %+v", conversation)
			}
		})
	})
}

// usedMessages is how many of the month's messages a workspace has used.
func usedMessages(w *harness.Instance, tn harness.Tenant) int {
	w.Helper()
	spent, err := w.Server.Chat.Spent(w.Context(), tn.Workspace, w.Server.Turns.Now())
	w.Must(err)
	answers := 0
	for _, s := range spent {
		answers += s.Answers
	}
	return answers
}

var openAIError = regexp.MustCompile(`^\{"error":\{"message":"[^"]+","type":"[a-z_]+","param":(null|"[a-z_.]+"),"code":"[a-z_]+"\}\}$`)

// refusedOpenAI sends what cannot be answered.
func refusedOpenAI(b harness.Bakery) {
	token := b.Baker.Token
	long := strings.Repeat("x", 16_001)
	for _, refused := range []struct {
		name, path, body, token string
		status                  int
		code, param             string
	}{
		{"no token", harness.CompletionsPath, harness.WhenOpenAI, "", 401, "invalid_api_key", ""},
		{"a wrong token", harness.CompletionsPath, harness.WhenOpenAI, "parley_wrong", 401, "invalid_api_key", ""},
		{"no messages", harness.CompletionsPath, `{"model":"chatbot"}`, token, 400, "invalid_request", "messages"},
		{"no body", harness.CompletionsPath, ``, token, 400, "invalid_request", ""},
		{"a body of another shape", harness.CompletionsPath, `{"messages":"hello"}`, token, 400, "invalid_request", ""},
		{"an answer at the end", harness.CompletionsPath, `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}`, token, 400, "invalid_request", "messages"},
		{"a blank question", harness.CompletionsPath, `{"messages":[{"role":"user","content":" "}]}`, token, 400, "invalid_request", "messages"},
		{"a role that does not exist", harness.CompletionsPath, `{"messages":[{"role":"owner","content":"Hi"}]}`, token, 400, "invalid_request", "messages"},
		{"an image", harness.CompletionsPath, `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]}`, token, 400, "invalid_request", "messages"},
		{"a long question", harness.CompletionsPath, `{"messages":[{"role":"user","content":"` + long + `"}]}`, token, 400, "invalid_request", "messages"},
		{"a long background", harness.CompletionsPath, `{"messages":[{"role":"system","content":"` + long + `"},{"role":"user","content":"Hi"}]}`, token, 400, "invalid_request", "messages"},
		{"another model", harness.CompletionsPath, `{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}`, token, 404, "model_not_found", "model"},
		{"two answers", harness.CompletionsPath, strings.TrimSuffix(harness.WhenOpenAI, "}") + `,"n":2}`, token, 400, "invalid_request", "n"},
		{"a call of a tool", harness.CompletionsPath, strings.TrimSuffix(harness.WhenOpenAI, "}") + `,"tool_choice":"required"}`, token, 400, "invalid_request", "tool_choice"},
		{"JSON", harness.CompletionsPath, strings.TrimSuffix(harness.WhenOpenAI, "}") + `,"response_format":{"type":"json_object"}}`, token, 400, "invalid_request", "response_format"},
		{"a conversation that does not exist", harness.CompletionsPath, strings.TrimSuffix(harness.WhenOpenAI, "}") + `,"metadata":{"conversation_id":"4711"}}`, token, 404, "not_found", ""},
		{"no input", harness.ResponsesPath, `{}`, token, 400, "invalid_request", "input"},
		{"work in the background", harness.ResponsesPath, `{"input":"Hi","background":true}`, token, 400, "invalid_request", "background"},
		{"a response that does not exist", harness.ResponsesPath, `{"input":"Hi","previous_response_id":"resp_1_2"}`, token, 404, "previous_response_not_found", "previous_response_id"},
		{"a file", harness.ResponsesPath, `{"input":[{"role":"user","content":[{"type":"input_file","file_id":"x"}]}]}`, token, 400, "invalid_request", "input"},
		{"a path that does not exist", "/api/v1/openai/embeddings", `{}`, token, 404, "unknown_path", ""},
		{"a method that does not exist", harness.OpenAIModels, `{}`, token, 405, "method_not_allowed", ""},
	} {
		b.Run(refused.name+" gets OpenAI's error object", func(t *testing.T) {
			w := b.Within(t)
			var headers []harness.Header
			if refused.token != "" {
				headers = harness.As(refused.token)
			}
			r := w.Call("POST", refused.path, refused.body, headers...)
			w.Expect(r, refused.status)
			var got openAIAnswer
			w.Must(json.Unmarshal([]byte(r.Text), &got, json.MatchCaseInsensitiveNames(true)))
			param := ""
			if got.Error != nil && got.Error.Param != nil {
				param = *got.Error.Param
			}
			if !openAIError.MatchString(r.Text) || got.Error.Code != refused.code || param != refused.param || r.Header.Get("X-Error-Code") == "" {
				t.Errorf("got %s", r.Text)
			}
		})
	}
	b.Run("parameters that a chatbot does not have are ignored, and its name is its model", func(t *testing.T) {
		w := b.Within(t)
		askOpenAI(w, harness.CompletionsPath, `{"model":"baker's chatbot","temperature":2,"max_tokens":1,"tools":[{"type":"function"}],"tool_choice":"auto","stop":["x"],"user":null,"future":{"a":1},
			"messages":[{"role":"developer","content":""},{"role":"user","name":"ada","content":"Hi"}]}`, 200, harness.Bearer(token))
		for path, status := range map[string]int{harness.OpenAIModels: 200, harness.OpenAIModels + "/chatbot": 200, harness.OpenAIModels + "/baker's%20chatbot": 200, harness.OpenAIModels + "/gpt-5": 404} {
			r := w.Call("GET", path, "", harness.Bearer(token))
			w.Expect(r, status)
			if status == http.StatusOK && !strings.Contains(r.Text, `"id":"chatbot","object":"model"`) {
				t.Errorf("got %s", r.Text)
			}
		}
	})
}
