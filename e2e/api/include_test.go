package api

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/e2e/harness"
	"parley/llm/llmtest"
)

func TestInclude(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := b.Baker.Token
		upstream.Always(harness.SevenInPieces)
		for _, list := range []string{"null", "[]", `["usage"]`, `["sources"]`, `["ids"]`, `["usage","sources","ids"]`, `["usage","usage"]`} {
			b.Play(harness.Scenario{Name: "an answer at once may be asked to include " + list + ", and has the same fields", Body: harness.Including(list), Headers: harness.As(token), Then: func(w *harness.Instance, r harness.Reply) {
				w.CheckFields(r.Data, "message", "conversation_id", "format", "usage", "message_id", "sources", "outcome", "finish_reason")
			}})
		}
		for _, list := range []string{`"usage"`, `{}`, `1`, `[""]`, `["Usage"]`, `["usage "]`, `["usage,ids"]`, `[1]`, `[null]`, `[["usage"]]`, `["passages"]`} {
			for _, path := range []string{harness.ChatPath, harness.StreamPath} {
				b.Play(harness.Scenario{Name: path + " cannot include " + list, Path: path, Body: harness.Including(list), Headers: harness.As(token), Status: 400, Code: 4, Has: []string{"include"}, Lacks: []string{"passages"}})
			}
		}

		whole := b.Call("POST", harness.ChatPath, harness.InFormat("html"), harness.Bearer(token))
		rest := `{"type":"formatted","content":` + harness.Quoted(b.Instance, harness.Message(whole)) + `,"format":"html"}` + "\n[DONE]"
		answer := "answer: At **seven** in the morning [1].\n"
		sources := `{"type":"sources","sources":` + sourcesIn(whole.Text) + "}\n"
		usage := `{"type":"usage","usage":{"prompt_tokens":21,"completion_tokens":8,"total_tokens":29,"estimated":false,"model":"double","first_token_ms":N,"total_ms":N,"passages":P,"status":"complete","outcome":"answered","finish_reason":"stop"}}` + "\n"
		b.Run("suggestions are in an answer at once, and in a stream before what is formatted", func(t *testing.T) { checkSuggestions(b.Within(t), b.Baker) })
		for list, want := range map[string]string{
			"[]":                        answer + rest,
			`["usage"]`:                 answer + usage + rest,
			`["sources"]`:               answer + sources + rest,
			`["usage","sources"]`:       answer + sources + usage + rest,
			`["ids","usage","sources"]`: answer + sources + usage + rest,
		} {
			b.Run("a stream with "+list+" has that, and no more", func(t *testing.T) {
				w := b.Within(t)
				body := noIDs.ReplaceAllString(w.Call("POST", harness.StreamPath, harness.Including(list), harness.Bearer(token)).Text, "")
				_, got, _ := strings.Cut(milliseconds.ReplaceAllString(harness.GistOf(t, body), `"$1":N`), "\n")
				if want := strings.Replace(want, `"passages":P`, fmt.Sprintf(`"passages":%d`, strings.Count(sources, "document_id")), 1); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
		b.Run("sources say which part of which document the answer cites", func(t *testing.T) { checkSources(b.Within(t), b.Baker, whole) })
		b.Run("usage says when Parley counted it", func(t *testing.T) {
			upstream.Next(llmtest.Reply{Pieces: []string{"At seven."}, OmitUsage: true})
			if body := b.Within(t).Call("POST", harness.StreamPath, harness.Including(`["usage"]`), harness.Bearer(token)).Text; !strings.Contains(body, `"estimated":true`) {
				t.Errorf("got %s", body)
			}
		})
		b.Run("a stream that fails has its usage, its error and no sources", func(t *testing.T) {
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " se"}, CutAtEnd: true, OmitFinish: true, OmitDone: true})
			got := harness.GistOf(t, b.Within(t).Call("POST", harness.StreamPath, harness.Including(`["sources","usage"]`), harness.Bearer(token)).Text)
			lines := strings.Split(got, "\n")
			if len(lines) != 5 || lines[1] != "answer: At se" || !strings.Contains(lines[2], `"status":"failed"`) || !strings.HasPrefix(lines[3], `{"type":"error","error":5,`) {
				t.Errorf("got %s", got)
			}
		})
	})
}

var (
	noIDs        = regexp.MustCompile(`(?m)^id: [0-9.]+\n`)
	milliseconds = regexp.MustCompile(`"(first_token_ms|total_ms)":\d+`)
)

// sourcesIn are the sources of an answer as they are written.
func sourcesIn(body string) string {
	_, rest, _ := strings.Cut(body, `"sources":`)
	return strings.TrimSuffix(rest, "}}")
}

// checkSources compares the sources of an answer with the document they are
// from.
func checkSources(w *harness.Instance, tn harness.Tenant, r harness.Reply) {
	w.Helper()
	documents, err := w.Server.Knowledge.Documents.List(w.Context(), tn.Workspace, tn.Chatbot)
	w.Must(err)
	list, _ := r.Data["sources"].([]any)
	if len(list) == 0 || len(documents) != 1 {
		w.Fatalf("%d sources of %d documents: %s", len(list), len(documents), r.Text)
	}
	for i, item := range list {
		source := item.(map[string]any)
		w.CheckFields(source, "number", "cited", "document_id", "title", "heading_path", "start", "end", "content_hash", "version")
		from, to := int(source["start"].(float64)), int(source["end"].(float64))
		if source["number"] != float64(i+1) || source["cited"] != (i == 0) || source["document_id"] != documents[0].ID || source["version"] != float64(1) {
			w.Errorf("source %d is %v", i, source)
		}
		if from >= to || to > len([]rune(harness.Opening)) {
			w.Errorf("source %d is from %d to %d of %d characters", i, from, to, len([]rune(harness.Opening)))
		}
		if hash, _ := source["content_hash"].(string); !sha256InHex.MatchString(hash) {
			w.Errorf("the hash of source %d is %q", i, hash)
		}
	}
}

var sha256InHex = regexp.MustCompile(`^[0-9a-f]{64}$`)
