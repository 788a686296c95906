package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/llm/anthropic"
	"parley/llm/llmtest"
	"parley/llm/openai"
)

// chunk is a line of a stream whose choice is given.
func chunk(choice string) string { return `{"choices":[{"index":0,` + choice + `}]}` }

// stream is a stream with these lines.
func stream(lines ...string) llmtest.Reply {
	return llmtest.Reply{Body: "data: " + strings.Join(lines, "\n\ndata: ") + "\n\n"}
}

const (
	ended = `"delta":{},"finish_reason":"stop"`
	done  = "[DONE]"
)

// open returns a model at a server.
func open(t *testing.T, server *llmtest.Server) answer.Model {
	t.Helper()
	model, err := openai.New(openai.Config{BaseURL: server.BaseURL(), Model: "m", MaxRetryDelay: time.Millisecond, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func ask(t *testing.T, model answer.Model, asked prompt.Prompt) (string, answer.Generated, error) {
	t.Helper()
	var text strings.Builder
	generated, err := model.Generate(t.Context(), asked, func(piece string) error {
		text.WriteString(piece)
		return nil
	})
	return text.String(), generated, err
}

// TestStreams is about servers that end answers, repeat them, and think, each in its
// own way.
func TestStreams(t *testing.T) {
	const text = "We open at 9."
	for name, c := range map[string]struct {
		reply  llmtest.Reply
		want   string
		finish answer.FinishReason
	}{
		"stop stands in every chunk": {stream(
			chunk(`"delta":{"content":"We open "},"finish_reason":"stop"`), chunk(`"delta":{"content":"at 9."},"finish_reason":"stop"`), done), text, answer.FinishStop},
		"stop stands in every chunk, and nothing follows the last": {stream(
			chunk(`"delta":{"content":"We open "},"finish_reason":"stop"`), chunk(`"delta":{"content":"at 9."},"finish_reason":"stop"`)), text, answer.FinishStop},
		"null is a word": {stream(
			chunk(`"delta":{"content":"We open "},"finish_reason":"null"`), chunk(`"delta":{"content":"at 9."},"finish_reason":"None"`), chunk(ended)), text, answer.FinishStop},
		"an unspecified reason stands in every chunk": {stream(
			chunk(`"delta":{"content":"We open "},"finish_reason":"FINISH_REASON_UNSPECIFIED"`), chunk(`"delta":{"content":"at 9."},"finish_reason":"length"`)), text, answer.FinishLength},
		"stop comes before the first text": {stream(
			chunk(`"delta":{"role":"assistant","content":""},"finish_reason":"stop"`), chunk(`"delta":{"content":"We open at 9."},"finish_reason":"stop"`), done), text, answer.FinishStop},

		"a message stands behind each delta": {stream(
			chunk(`"delta":{"content":"We open "},"message":{"content":"We open "}`), chunk(`"delta":{"content":"at 9."},"message":{"content":"We open at 9."}`), chunk(ended)), text, answer.FinishStop},
		"a message stands before each delta, and beside an empty one": {stream(
			chunk(`"message":{"content":"We open "},"delta":{"content":"We open "}`), chunk(`"message":{"content":"We open at 9."},"delta":{"content":"at 9."}`),
			chunk(`"message":{"content":"We open at 9."},"delta":{"content":""},"finish_reason":"stop"`)), text, answer.FinishStop},
		"the whole message stands in the last chunk": {stream(
			chunk(`"delta":{"content":"We open "}`), chunk(`"delta":{"content":"at 9."}`), chunk(`"message":{"content":"We open at 9."},"finish_reason":"stop"`)), text, answer.FinishStop},
		"the last chunk has the message, trimmed": {stream(
			chunk(`"delta":{"content":"\nWe open "}`), chunk(`"delta":{"content":"at 9."}`), chunk(`"message":{"content":"We open at 9."},"finish_reason":"stop"`)), text, answer.FinishStop},
		"messages grow": {stream(
			chunk(`"message":{"content":"We open "}`), chunk(`"message":{"content":"We open at 9."},"finish_reason":"stop"`)), text, answer.FinishStop},
		"messages are pieces": {stream(
			chunk(`"message":{"content":"We open "}`), chunk(`"message":{"content":"at 9."},"finish_reason":"stop"`)), text, answer.FinishStop},
		"only the last chunk has text, as a message": {stream(
			chunk(`"delta":{"role":"assistant"}`), chunk(`"delta":{},"message":{"content":"We open at 9."},"finish_reason":"stop"`)), text, answer.FinishStop},

		"the answer is a refusal": {stream(
			chunk(`"delta":{"content":null,"refusal":"We open "}`), chunk(`"delta":{"refusal":"at 9."}`), chunk(ended), done), text, answer.FinishStop},
		"a part of the message is a refusal": {stream(
			chunk(`"message":{"content":[{"type":"text","text":"We open "},{"type":"refusal","refusal":"at 9."}],"refusal":null},"finish_reason":"stop"`)), text, answer.FinishStop},
		"texts stand in the choice": {stream(
			chunk(`"text":"We open ","finish_reason":null`), chunk(`"text":"at 9.","finish_reason":"stop"`), done), text, answer.FinishStop},
		"lines end in carriage returns": {llmtest.Reply{Body: strings.ReplaceAll(stream(
			chunk(`"delta":{"content":"We open "}`), chunk(`"delta":{"content":"at 9."}`), chunk(ended), done).Body, "\n", "\r")}, text, answer.FinishStop},

		"the limit is called MAX_TOKENS":       {llmtest.Reply{Pieces: []string{text}, Finish: "MAX_TOKENS"}, text, answer.FinishLength},
		"the limit is called model_length":     {llmtest.Reply{Pieces: []string{text}, Finish: "model_length"}, text, answer.FinishLength},
		"the limit is called maxOutputTokens":  {llmtest.Reply{Pieces: []string{text}, Finish: "maxOutputTokens"}, text, answer.FinishLength},
		"the filter is called SAFETY":          {llmtest.Reply{Pieces: []string{text}, Finish: "SAFETY"}, text, answer.FinishContentFilter},
		"the filter is called RECITATION":      {llmtest.Reply{Pieces: []string{text}, Finish: "RECITATION"}, text, answer.FinishContentFilter},
		"the filter is called sensitive":       {llmtest.Reply{Pieces: []string{text}, Finish: "sensitive"}, text, answer.FinishContentFilter},
		"the end is called end_turn":           {llmtest.Reply{Pieces: []string{text}, Finish: "end_turn"}, text, answer.FinishStop},
		"the end is called eos":                {llmtest.Reply{Pieces: []string{text}, Finish: "eos"}, text, answer.FinishStop},
		"the end has a name that nobody knows": {llmtest.Reply{Pieces: []string{text}, Finish: "fnord"}, text, ""},

		"thoughts are not opened":                {llmtest.Reply{Pieces: []string{"Okay, the user", " asks.\n", "</think>", "\n\n", text}}, text, answer.FinishStop},
		"other thoughts are not opened":          {llmtest.Reply{Pieces: []string{"Al", "right. They ask.</thin", "king>", text}}, text, answer.FinishStop},
		"bracketed thoughts are not opened":      {llmtest.Reply{Pieces: []string{"The user asks. ", "[/THINK]", text}}, text, answer.FinishStop},
		"thoughts of harmony are not opened":     {llmtest.Reply{Pieces: []string{"We need to answer.<|end|><|start|>assistant", "<|channel|>final<|message|>", text, "<|return|>"}}, text, answer.FinishStop},
		"thoughts are <thinking>":                {llmtest.Reply{Pieces: []string{"<think", "ing>\nHm.</thinking>\n", text}}, text, answer.FinishStop},
		"thoughts are <Thought>":                 {llmtest.Reply{Pieces: []string{"<Thought>Hm.</Thought>\n", text}}, text, answer.FinishStop},
		"thoughts are [THINK]":                   {llmtest.Reply{Pieces: []string{"[THI", "NK]Hm.[/THINK]", text}}, text, answer.FinishStop},
		"thoughts are ◁think▷":                   {llmtest.Reply{Pieces: []string{"◁think▷Hm.◁/think▷", text}}, text, answer.FinishStop},
		"thoughts are <|begin_of_thought|>":      {llmtest.Reply{Pieces: []string{"<|begin_of_thought|>Hm.<|end_of_thought|>\n<|begin_of_solution|>\n", text, "<|end_of_solution|>"}}, text, answer.FinishStop},
		"thoughts are a channel":                 {llmtest.Reply{Pieces: []string{"<|channel|>analysis<|message|>Hm.<|end|>", "<|start|>assistant<|channel|>final<|message|>", text}}, text, answer.FinishStop},
		"there is a channel, and no thoughts":    {llmtest.Reply{Pieces: []string{"<|channel|>final<|message|>", text}}, text, answer.FinishStop},
		"an answer that begins like a thought":   {llmtest.Reply{Pieces: []string{"Okay, ", "we open at 9."}}, "Okay, we open at 9.", answer.FinishStop},
		"an answer is about tags of thoughts":    {llmtest.Reply{Pieces: []string{"It writes <think> before and </think> after, or `</thinking>`."}}, "It writes <think> before and </think> after, or `</thinking>`.", answer.FinishStop},
		"an answer begins with a bracket":        {llmtest.Reply{Pieces: []string{"[", "1] says: < 9."}}, "[1] says: < 9.", answer.FinishStop},
		"thoughts are beside the text":           {llmtest.Reply{Reasoning: []string{"Hm."}, Pieces: []string{text}}, text, answer.FinishStop},
		"reasons stand beside thoughts and text": {stream(chunk(`"delta":{"reasoning":"Hm."},"finish_reason":"stop"`), chunk(`"delta":{"content":"We open at 9."},"finish_reason":"stop"`), done), text, answer.FinishStop},
	} {
		t.Run(name, func(t *testing.T) {
			got, generated, err := ask(t, open(t, llmtest.NewServer(t, c.reply)), llmtest.Prompt())
			if err != nil || got != c.want || generated.Finish != c.finish {
				t.Errorf("got %q, %q and %v", got, generated.Finish, err)
			}
		})
	}
	t.Run("an answer that says stop in every chunk, and breaks off, is a failure", func(t *testing.T) {
		reply := stream(chunk(`"delta":{"content":"We open "},"finish_reason":"stop"`), chunk(`"delta":{"content":"at "},"finish_reason":"stop"`), done)
		reply.CutAfter = len(reply.Body) - len(done) - 8
		if got, _, err := ask(t, open(t, llmtest.NewServer(t, reply)), llmtest.Prompt()); err == nil {
			t.Errorf("got %q", got)
		}
	})
	t.Run("an answer that the server gives up is a failure", func(t *testing.T) {
		for _, reason := range []string{"insufficient_system_resource", "network_error", "abort"} {
			if got, _, err := ask(t, open(t, llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"We "}, Finish: reason})), llmtest.Prompt()); err == nil {
				t.Errorf("after %s: %q", reason, got)
			}
		}
	})
	t.Run("a model that once thought without opening its thoughts is held back at once, until it does not", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Mal sehen.", "</think>", text}})
		model := open(t, server)
		if got, _, err := ask(t, model, llmtest.Prompt()); err != nil || strings.Contains(got, "think") {
			t.Errorf("got %q and %v", got, err)
		}
		if got, _, err := ask(t, model, llmtest.Prompt()); err != nil || got != text {
			t.Errorf("the second time got %q and %v", got, err)
		}
		server.Always(llmtest.Reply{Pieces: []string{text}})
		for range 2 {
			if got, _, err := ask(t, model, llmtest.Prompt()); err != nil || got != text {
				t.Errorf("without thoughts got %q and %v", got, err)
			}
		}
	})
	t.Run("a whole answer has no thoughts", func(t *testing.T) {
		whole := llmtest.Prompt()
		whole.Whole = true
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Mal sehen.\n</think>\n\n" + text}})
		if got, _, err := ask(t, open(t, server), whole); err != nil || got != text {
			t.Errorf("got %q and %v", got, err)
		}
	})
}

// slow is a transport without sockets whose stream pauses between its lines.
type slow struct {
	pause time.Duration
	lines []string
}

func (s slow) RoundTrip(request *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	context.AfterFunc(request.Context(), func() { _ = writer.CloseWithError(context.Cause(request.Context())) })
	go func() {
		for _, line := range s.lines {
			time.Sleep(s.pause) // by the clock of synctest, which waits for nothing
			if _, err := writer.Write([]byte("data: " + line + "\n\n")); err != nil {
				return
			}
		}
		_ = writer.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader, Request: request}, nil
}

func TestSlowStream(t *testing.T) {
	t.Run("an answer that says stop in every chunk is read to its end, however long it takes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var lines []string
			for range 10 {
				lines = append(lines, chunk(`"delta":{"content":"a "},"finish_reason":"stop"`))
			}
			model, err := openai.New(openai.Config{
				BaseURL: "http://model.test/v1", Model: "m", HTTPClient: &http.Client{Transport: slow{5 * time.Second, append(lines, done)}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := ask(t, model, llmtest.Prompt()); err != nil || got != strings.Repeat("a ", 10) {
				t.Errorf("got %q and %v", got, err)
			}
		})
	})
}

// TestRefusals is about servers that refuse parts of requests, in their own words.
func TestRefusals(t *testing.T) {
	warm := 0.2
	for name, c := range map[string]struct {
		has, body string
		status    int
	}{
		"stream_options is an extra input":           {`"stream_options"`, `{"message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]},"param":null}`, 422},
		"stream_options is an unrecognized argument": {`"stream_options"`, `{"error":{"message":"Unrecognized request argument supplied: stream_options","param":null}}`, 400},
		"stream_options is the parameter":            {`"stream_options"`, `{"error":{"message":"Unknown parameter.","param":"stream_options.include_usage"}}`, 400},
		"include_usage is named in plain text":       {`"stream_options"`, `unknown field "include_usage"`, 400},
		"a temperature is refused by a gateway":      {`"temperature"`, `{"error":{"message":"UnsupportedParamsError: temperature=0.2 is not supported","param":"None"}}`, 400},
		"max_tokens has a new name":                  {`"max_tokens"`, `{"error":{"message":"Use 'max_completion_tokens' instead.","param":"max_tokens"}}`, 400},
		"there is no system role":                    {`"system"`, `{"message":"System role not supported","param":null}`, 400},
		"there is no developer instruction":          {`"system"`, `{"error":{"message":"Developer instruction is not enabled for this model","status":"INVALID_ARGUMENT"}}`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewServer(t, llmtest.Reply{})
			server.Answers(func(body []byte) llmtest.Reply {
				if strings.Contains(string(body), c.has) {
					return llmtest.Reply{Status: c.status, ErrorBody: c.body}
				}
				return llmtest.Reply{Pieces: []string{"Yes."}}
			})
			model, asked := open(t, server), llmtest.Prompt()
			asked.MaxTokens, asked.Temperature = 99, &warm
			for range 2 {
				if got, _, err := ask(t, model, asked); err != nil || got != "Yes." {
					t.Fatalf("got %q and %v", got, err)
				}
			}
			if n := server.Arrived(); n != 3 {
				t.Errorf("%d requests for two answers", n)
			}
		})
	}
	t.Run("a refusal that only echoes a field is final, and nothing is remembered", func(t *testing.T) {
		server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		refusal := llmtest.Reply{Status: 400, ErrorBody: `{"error":{"message":"No: stream_options"}}`}
		server.Next(refusal, refusal)
		model := open(t, server)
		if _, _, err := ask(t, model, llmtest.Prompt()); err == nil || server.Arrived() != 2 {
			t.Errorf("%v after %d requests", err, server.Arrived())
		}
		if _, _, err := ask(t, model, llmtest.Prompt()); err != nil || !strings.Contains(string(server.Request(2).Body()), "stream_options") {
			t.Errorf("%v, and %s", err, server.Request(2).Body())
		}
	})
}

// TestAlternation is about servers whose templates want user and assistant by turns.
func TestAlternation(t *testing.T) {
	user, assistant := prompt.UserRole, prompt.AssistantRole
	call := []prompt.Call{{ID: "c", Name: "f", Arguments: "{}"}}
	for name, c := range map[string]struct {
		messages []prompt.Message
		want     string
	}{
		"an answer failed":           {[]prompt.Message{{Role: user, Text: "a"}, {Role: user, Text: "b"}}, `"messages":[{"role":"user","content":"a\n\nb"}]`},
		"two answers failed":         {[]prompt.Message{{Role: user, Text: "a"}, {Role: user, Text: "b"}, {Role: user, Text: "c"}}, `"messages":[{"role":"user","content":"a\n\nb\n\nc"}]`},
		"a person replied twice":     {[]prompt.Message{{Role: user, Text: "a"}, {Role: assistant, Text: "b"}, {Role: assistant, Text: "c"}, {Role: user, Text: "d"}}, `{"role":"assistant","content":"b\n\nc"},{"role":"user","content":"d"}`},
		"results are no repetitions": {[]prompt.Message{{Role: user, Text: "a"}, {Role: assistant, Calls: call}, {Role: prompt.ToolRole, Text: "r", CallID: "c"}, {Role: prompt.ToolRole, Text: "r", CallID: "c"}}, `"content":"r","tool_call_id":"c"},{"role":"tool"`},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
			if _, _, err := ask(t, open(t, server), prompt.Prompt{Messages: c.messages}); err != nil {
				t.Fatal(err)
			}
			if body := string(server.Request(0).Body()); !strings.Contains(body, c.want) {
				t.Errorf("the server got %s", body)
			}
		})
	}
}

// TestContext is about prompts that servers find too long, in their own words.
func TestContext(t *testing.T) {
	asked := func() prompt.Prompt {
		p := prompt.Prompt{Question: "When?", Passages: make([]retrieval.Result, 2), Messages: []prompt.Message{
			{Role: prompt.SystemRole, Text: "Answer."},
			{Role: prompt.UserRole, Text: "EARLIER"},
			{Role: prompt.AssistantRole, Text: "Yes."},
			{Role: prompt.UserRole, Text: "Passages:\n\n<passage id=\"1\" source=\"A\">\nFIRST\n</passage>\n\n<passage id=\"2\" source=\"B\">\nSECOND\n</passage>\n\nQuestion:\nWhen?"},
		}}
		return p
	}
	for name, reply := range map[string]llmtest.Reply{
		"vLLM":               {Status: 400, ErrorBody: `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5120 tokens","code":400}`},
		"llama.cpp":          {Status: 400, ErrorBody: `{"error":{"code":400,"message":"the request exceeds the available context size.","type":"exceed_context_size_error"}}`},
		"llama.cpp before":   {Status: 500, ErrorBody: `{"error":{"code":500,"message":"context size exceeded","type":"server_error"}}`},
		"LM Studio":          {Status: 400, ErrorBody: `{"error":"Trying to keep the first 5120 tokens when context overflows. However, the model is loaded with context length of only 4096 tokens"}`},
		"LM Studio, streams": {Body: "event: error\ndata: {\"error\":{\"message\":\"Reached context length of 4096 tokens\"}}\n\n"},
		"Ollama":             {Status: 400, ErrorBody: `{"error":"the input length exceeds the context length"}`},
		"OpenAI":             {Status: 400, ErrorBody: `{"error":{"message":"Too long.","code":"context_length_exceeded"}}`},
		"Mistral":            {Status: 400, ErrorBody: `{"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}`},
		"LiteLLM":            {Status: 400, ErrorBody: `{"error":{"message":"litellm.ContextWindowExceededError: no","code":"400"}}`},
		"Gemini":             {Status: 400, ErrorBody: `{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}`},
		"a proxy":            {Status: 413, ErrorBody: `<html>Request Entity Too Large</html>`},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
			server.Next(reply)
			model := open(t, server)
			if got, _, err := ask(t, model, asked()); err != nil || got != "Yes." {
				t.Fatalf("got %q and %v", got, err)
			}
			body := string(server.Request(1).Body())
			if strings.Contains(body, "EARLIER") || strings.Contains(body, "SECOND") || !strings.Contains(body, "FIRST") || !strings.Contains(body, "Question") {
				t.Errorf("the second request is %s", body)
			}
			server.Always(reply)
			_, _, err := ask(t, model, asked())
			var failure *fault.Error
			if !errors.As(err, &failure) || failure.Code() != fault.ContextTooLong || server.Arrived() != 4 {
				t.Errorf("%v after %d requests", err, server.Arrived())
			}
		})
	}
}

// TestSmallBatches is about embedding servers that take fewer texts at a time.
func TestSmallBatches(t *testing.T) {
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d", i)
	}
	for name, c := range map[string]struct {
		most   int
		status int
		body   string
	}{
		"half, as TEI":               {32, 422, `{"error":"batch size 64 > maximum allowed batch size 32","error_type":"Validation"}`},
		"ten, by its words":          {10, 400, `{"error":{"message":"batch size is invalid, it should not be larger than 10"}}`},
		"one, without words":         {1, 413, `too large`},
		"three, as its server fails": {3, 500, `{"error":"too many inputs"}`},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewEmbeddings(t, 4)
			server.Most(c.most, llmtest.Reply{Status: c.status, ErrorBody: c.body})
			embedder, err := openai.NewEmbedder(openai.Config{BaseURL: server.BaseURL(), Model: "e", Retries: -1}, 0)
			if err != nil {
				t.Fatal(err)
			}
			first, err := embedder.Passages(t.Context(), texts)
			if err != nil || len(first) != len(texts) {
				t.Fatalf("%d vectors and %v", len(first), err)
			}
			before := len(server.Requests())
			again, err := embedder.Passages(t.Context(), texts)
			if err != nil || !slices.EqualFunc(first, again, slices.Equal) {
				t.Errorf("the second time: %v", err)
			}
			for _, request := range server.Requests()[before:] {
				if len(request.Input) > c.most {
					t.Errorf("%d texts are sent again at a time", len(request.Input))
				}
			}
		})
	}
	t.Run("a text that is refused alone is a failure, and the others go on together", func(t *testing.T) {
		server := llmtest.NewEmbeddings(t, 4)
		refusal := llmtest.EmbeddingReply{Reply: llmtest.Reply{Status: 422}}
		server.Next(refusal, refusal, refusal, refusal, refusal, refusal, refusal)
		embedder, err := openai.NewEmbedder(openai.Config{BaseURL: server.BaseURL(), Model: "e", Retries: -1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := embedder.Passages(t.Context(), texts); err == nil {
			t.Error("there are vectors")
		}
		before := len(server.Requests())
		if _, err := embedder.Passages(t.Context(), texts); err != nil || len(server.Requests()) != before+1 {
			t.Errorf("%v after %d more requests", err, len(server.Requests())-before)
		}
	})
}

// TestAnthropicServers is about servers with the other interface.
func TestAnthropicServers(t *testing.T) {
	at := func(t *testing.T, server *llmtest.Anthropic) answer.Model {
		t.Helper()
		model, err := anthropic.New(anthropic.Config{BaseURL: server.BaseURL(), Model: "m", Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		return model
	}
	for finish, want := range map[string]answer.FinishReason{"MAX_TOKENS": answer.FinishLength, "SAFETY": answer.FinishContentFilter, "stop": answer.FinishStop, "fnord": ""} {
		t.Run("an answer may end with "+finish, func(t *testing.T) {
			server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Yes."}, Finish: finish})
			if got, generated, err := ask(t, at(t, server), llmtest.Prompt()); err != nil || got != "Yes." || generated.Finish != want {
				t.Errorf("got %q, %q and %v", got, generated.Finish, err)
			}
		})
	}
	for _, words := range []string{"prompt is too long: 215000 tokens > 200000 maximum", "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000"} {
		t.Run("a prompt is shortened after: "+words, func(t *testing.T) {
			server := llmtest.NewAnthropic(t,
				llmtest.Reply{Status: 400, ErrorBody: `{"type":"error","error":{"type":"invalid_request_error","message":"` + words + `"}}`},
				llmtest.Reply{Pieces: []string{"Yes."}})
			asked := prompt.Prompt{Messages: []prompt.Message{{Role: prompt.UserRole, Text: "EARLIER"}, {Role: prompt.AssistantRole, Text: "No."}, {Role: prompt.UserRole, Text: "When?"}}}
			got, _, err := ask(t, at(t, server), asked)
			if err != nil || got != "Yes." || strings.Contains(string(server.Request(1).Body()), "EARLIER") {
				t.Errorf("got %q and %v", got, err)
			}
		})
	}
	t.Run("thoughts may not be opened", func(t *testing.T) {
		server := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"Okay, they ask.", "</think>", "Yes."}})
		if got, _, err := ask(t, at(t, server), llmtest.Prompt()); err != nil || got != "Yes." {
			t.Errorf("got %q and %v", got, err)
		}
	})
}
