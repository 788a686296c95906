package api

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// sdk is a running script of testdata/sdks, which talks with a server through the
// libraries of others.
type sdk struct {
	t       *testing.T
	asks    io.Writer
	answers *bufio.Scanner
	stderr  *harness.Buffer
}

// startSDK runs a program with a script until the test ends.
func startSDK(t *testing.T, program string, args ...string) *sdk {
	t.Helper()
	s := &sdk{t: t, stderr: &harness.Buffer{}}
	command := exec.CommandContext(t.Context(), program, args...)
	command.Stderr = s.stderr
	command.Env = append(os.Environ(), "AI_SDK_LOG_WARNINGS=false", "LANGSMITH_TRACING=false", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	asks, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.asks, s.answers = asks, bufio.NewScanner(answers)
	s.answers.Buffer(nil, 1<<20)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		asks.Close()
		_ = command.Wait()
	})
	return s
}

// found is what a script saw.
type found struct {
	Text, Finish, Model, Conversation, Failed string
	Cited, URLs, Events, Thrown               []string
	Texts, Models                             []string
	Usage                                     int
	Usages                                    []int
	Same, Previous                            bool
}

// do has the script do something, and returns what it saw.
func (s *sdk) do(t *testing.T, what, token string) (seen found) {
	t.Helper()
	ask, err := json.Marshal(map[string]string{"do": what, "token": token})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.asks.Write(append(ask, '\n')); err != nil {
		t.Fatalf("the script has ended: %v: %s", err, s.stderr.String())
	}
	if !s.answers.Scan() {
		t.Fatalf("the script has ended: %s", s.stderr.String())
	}
	if err := json.Unmarshal(s.answers.Bytes(), &seen, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v: %s", err, s.answers.Bytes())
	}
	if seen.Failed != "" {
		t.Fatalf("%s: %s", what, seen.Failed)
	}
	return seen
}

// TestOpenAISDKs talks through the libraries that people use, in their own languages.
func TestOpenAISDKs(t *testing.T) {
	t.Parallel()
	folder := harness.SDKs(t)
	for language, program := range map[string][]string{
		"Python": {filepath.Join(folder, "bin", "python"), "testdata/sdks/clients.py"},
		"Node":   {"node", "testdata/sdks/clients.mjs", folder},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Grüß 🥨 Gott: at **sev", "en** [1]."}})
			w := harness.Start(t, harness.WithModel(upstream))
			w.HasNoHurry()
			w.Includes(plan.Enterprise, func(l *plan.Limits) { l.RequestsPerMinute = 1 })
			w.Includes(plan.Premium, func(l *plan.Limits) { l.MessagesPerMonth = 1 })
			baker := w.NewTenant("baker", plan.Standard, harness.Opening)
			s := startSDK(t, program[0], append(program[1:], w.Base+"/api/v1/openai", baker.Token)...)
			understands(w, s, upstream)
			leaves(w, s, upstream, "canceled", "canceled_response")
			failsWith(w, s, upstream)
			if language == "Python" {
				langChain(w, s)
			} else {
				vercel(w, s, upstream)
			}
		})
	}
}

const sdkAnswer = "Grüß 🥨 Gott: at **seven** [1]."

// isAnswer checks what a library made of an answer.
func isAnswer(t *testing.T, seen found, finish string) {
	t.Helper()
	if seen.Text != sdkAnswer || seen.Finish != finish || seen.Model != "chatbot" || seen.Usage < 1 || !slices.Equal(seen.Cited, []string{"[1] Opening hours"}) ||
		len(seen.URLs) != 1 || !strings.HasPrefix(seen.URLs[0], "urn:parley:document:doc_") {
		t.Errorf("the library read %+v", seen)
	}
}

func understands(w *harness.Instance, s *sdk, upstream *llmtest.Server) {
	w.Run("a completion, with its citation", func(t *testing.T) { isAnswer(t, s.do(t, "whole", ""), "stop") })
	w.Run("a completion by the helper for streams", func(t *testing.T) {
		seen := s.do(t, "streamed", "")
		isAnswer(t, seen, "stop")
		if !slices.Contains(seen.Events, "content.delta") || !slices.Contains(seen.Events, "content.done") {
			t.Errorf("the events are %v", seen.Events)
		}
	})
	w.Run("a stream without a helper", func(t *testing.T) {
		if seen := s.do(t, "raw", ""); seen.Text != sdkAnswer {
			t.Errorf("the library read %+v", seen)
		}
	})
	w.Run("a response, with its citation", func(t *testing.T) { isAnswer(t, s.do(t, "whole_response", ""), "completed") })
	w.Run("a response by the helper for streams", func(t *testing.T) {
		seen := s.do(t, "streamed_response", "")
		isAnswer(t, seen, "completed")
		want := []string{
			"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added", "response.output_text.delta", "response.output_text.annotation.added",
			"response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
		}
		if got := slices.Compact(seen.Events); !slices.Equal(got, want) {
			t.Errorf("the events are %v", got)
		}
	})
	w.Run("a response that follows another has its history", func(t *testing.T) {
		seen := s.do(t, "followed", "")
		asked := strings.Join(promptOf(w.Within(t), upstream, upstream.Arrived()-1), "\n")
		if !seen.Same || !seen.Previous || !strings.Contains(asked, "user: When does the bakery open?") {
			t.Errorf("the library read %+v after %s", seen, asked)
		}
	})
	w.Run("the model", func(t *testing.T) {
		if seen := s.do(t, "models", ""); !slices.Equal(seen.Models, []string{"chatbot"}) || seen.Model != "chatbot" {
			t.Errorf("the library read %+v", seen)
		}
	})
}

// leaves breaks streams off.
func leaves(w *harness.Instance, s *sdk, upstream *llmtest.Server, ways ...string) {
	for _, what := range ways {
		w.Run(what+": the model is stopped", func(t *testing.T) {
			asked := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
			if seen := s.do(t, what, ""); seen.Text != "At" {
				t.Errorf("the library read %+v", seen)
			}
			w.Within(t).Comes("the model is canceled", asked.Canceled())
		})
	}
}

func failsWith(w *harness.Instance, s *sdk, upstream *llmtest.Server) {
	check := func(what, token string, want ...string) {
		w.Run(what+": the library throws its own errors", func(t *testing.T) {
			seen := s.do(t, what, token)
			for i, thrown := range seen.Thrown { // null is written differently
				seen.Thrown[i] = strings.ReplaceAll(thrown, "None", "null")
			}
			if !slices.Equal(seen.Thrown, want) {
				t.Errorf("it threw %q, want %q", seen.Thrown, want)
			}
		})
	}
	check("errors", "", "AuthenticationError 401 invalid_api_key null", "NotFoundError 404 model_not_found model", "NotFoundError 404 not_found null",
		"NotFoundError 404 previous_response_not_found previous_response_id", "BadRequestError 400 invalid_request messages", "NotFoundError 404 model_not_found model")
	check("limited", w.NewTenant("hurried", plan.Enterprise, harness.Opening).Token, "nothing", "RateLimitError 429 rate_limit_exceeded null")
	spent := w.NewTenant("spent", plan.Premium, harness.Opening).Token
	w.Chats(spent, 200)
	refused := strings.Count(w.ServerLog.String(), "status=429")
	check("used_up", spent, "RateLimitError 429 insufficient_quota null")
	w.Run("a library that is told so does not try again", func(t *testing.T) {
		w.Within(t).Eventually("the request is logged", func() bool { return strings.Count(w.ServerLog.String(), "status=429") == refused+1 })
	})
	for _, what := range []string{"broken", "broken_response"} {
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " se"}, CutAtEnd: true, OmitFinish: true, OmitDone: true})
		check(what, "", "APIError  model_failed null")
	}
}

func langChain(w *harness.Instance, s *sdk) {
	w.Run("LangChain", func(t *testing.T) {
		seen := s.do(t, "langchain", "")
		if seen.Text != sdkAnswer || seen.Finish != "stop" || seen.Usage < 1 || !slices.Equal(seen.Texts, []string{sdkAnswer, sdkAnswer, sdkAnswer}) || len(seen.Usages) != 3 || slices.Min(seen.Usages) < 1 {
			t.Errorf("it read %+v", seen)
		}
		if len(seen.Cited) != 2 || !strings.HasSuffix(seen.Cited[0], " Opening hours") || seen.Cited[0] != seen.Cited[1] {
			t.Errorf("it cites %q", seen.Cited)
		}
		if !slices.Equal(seen.Thrown, []string{"AuthenticationError 401 invalid_api_key None"}) && !slices.Equal(seen.Thrown, []string{"OpenAIAuthenticationError 401 invalid_api_key None"}) {
			t.Errorf("it threw %q", seen.Thrown)
		}
	})
}

func vercel(w *harness.Instance, s *sdk, upstream *llmtest.Server) {
	w.Run("the Vercel AI SDK", func(t *testing.T) {
		seen := s.do(t, "vercel", "")
		if !slices.Equal(seen.Texts, slices.Repeat([]string{"stop " + sdkAnswer}, 6)) || len(seen.Usages) != 6 || slices.Min(seen.Usages) < 1 {
			t.Errorf("it read %+v", seen)
		}
		if !slices.Equal(seen.Cited, slices.Repeat([]string{"url Opening hours"}, 4)) {
			t.Errorf("it cites %q", seen.Cited)
		}
		if !slices.Equal(seen.Thrown, []string{"401 Invalid or expired API token."}) {
			t.Errorf("it threw %q", seen.Thrown)
		}
	})
	leaves(w, s, upstream, "canceled_vercel")
}
