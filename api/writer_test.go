package api

import (
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/text/markdown"
)

// answered is what a run has when a turn has ended.
var answered = turn.Answer{
	MessageID: 81, Attempt: 1, Status: chat.Complete, Outcome: chat.Answered,
	Answer: answer.Answer{
		Text: "At **seven**.",
		Citations: []answer.Citation{
			{
				Number: 1, Cited: true, DocumentID: "doc_1", Title: "Opening hours", URL: "https://www.example.com/hours", Place: "Page 3",
				HeadingPath: []string{"Hours", "Week"}, Start: 0, End: 40, ContentHash: "9f86", Version: 2,
			},
			{Number: 2, DocumentID: "doc_2", Title: "Prices"},
		},
		Record: answer.UsageRecord{
			Usage: answer.Usage{PromptTokens: 512, CompletionTokens: 9, Estimated: true}, Model: "double",
			FirstToken: 120 * time.Millisecond, Total: 1500 * time.Millisecond, Passages: 2,
		},
	},
}

// written is the whole of a stream of the answer, or of what its reader lacks.
func written(t *testing.T, delivery turn.Delivery, from turn.Position, resumed bool, answer turn.Answer, failed error) string {
	t.Helper()
	s := opened(t.Context())
	s.ids, s.answerID, s.at, s.seen, s.resumed = delivery.IDs, 81, from, from.Tail, resumed
	if !resumed {
		s.begin(17)
		must(t, s.event(turn.Event{Kind: turn.Waiting, Text: "Reading.", At: from}))
	}
	pieces, offset := []string{"At **seven", "**."}, 0
	for _, piece := range pieces {
		if offset += len(piece); offset > from.Offset {
			must(t, s.event(delta(piece, offset)))
		}
	}
	(&streamRun{api: New(Deps{Log: discarded()}), out: s, delivery: delivery}).finish(t.Context(), answer, failed)
	s.end()
	all, err := io.ReadAll(s)
	must(t, err)
	must(t, s.Close())
	return string(all)
}

// start is the position before the first piece.
var start = turn.Position{AnswerID: 81, Attempt: 1}

const (
	sourcesEvent = `data: {"type":"sources","sources":[{"number":1,"cited":true,"document_id":"doc_1","title":"Opening hours","heading_path":["Hours","Week"],` +
		`"url":"https://www.example.com/hours","place":"Page 3","start":0,"end":40,"content_hash":"9f86","version":2},` +
		`{"number":2,"cited":false,"document_id":"doc_2","title":"Prices","heading_path":[]}]}` + "\n\n"
	usageEvent = `data: {"type":"usage","usage":{"prompt_tokens":512,"completion_tokens":9,"total_tokens":521,"estimated":true,"model":"double",` +
		`"first_token_ms":120,"total_ms":1500,"passages":2,"status":"complete","outcome":"answered"}}` + "\n\n"
	formattedEvent = `data: {"type":"formatted","content":"At seven.","format":"plain_text"}` + "\n\n"
	firstEvents    = `data: {"type":"conversation","conversation_id":17}` + "\n\n" + `data: {"type":"waiting","content":"Reading."}` + "\n\n"
	deltaEvents    = `data: {"type":"delta","content":"At **seven"}` + "\n\n" + `data: {"type":"delta","content":"**."}` + "\n\n"
)

var everything = turn.Delivery{Format: markdown.PlainText, IDs: true, Usage: true, Sources: true}

func TestEvents(t *testing.T) {
	for name, c := range map[string]struct {
		delivery turn.Delivery
		want     string
	}{
		"a default stream has these bytes":                  {turn.Delivery{Format: markdown.Markdown}, firstEvents + deltaEvents + streamDone},
		"a format adds one event":                           {turn.Delivery{Format: markdown.PlainText}, firstEvents + deltaEvents + formattedEvent + streamDone},
		"sources and usage stand between answer and format": {turn.Delivery{Format: markdown.PlainText, Usage: true, Sources: true}, firstEvents + deltaEvents + sourcesEvent + usageEvent + formattedEvent + streamDone},
	} {
		t.Run(name, func(t *testing.T) {
			if got := written(t, c.delivery, start, false, answered, nil); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}

	t.Run("with ids each event says where a reader is who has seen it", func(t *testing.T) {
		got := written(t, everything, start, false, answered, nil)
		if ids := idsOf(got); ids != "81.1.0 81.1.0 81.1.10 81.1.13 81.1.13.1 81.1.13.2 81.1.13.3 81.1.13.4" {
			t.Errorf("the ids are %s", ids)
		}
		if without := withoutIDs(got); without != firstEvents+deltaEvents+sourcesEvent+usageEvent+formattedEvent+streamDone {
			t.Errorf("the rest is %s", without)
		}
	})

	t.Run("suggestions stand before what is formatted, and are not sent to who had them", func(t *testing.T) {
		const event = `data: {"type":"suggestions","suggestions":["Where?"]}` + "\n\n"
		follow := func(context.Context, turn.Answer) []string { return []string{"Where?"} }
		for tail, want := range map[turn.Tail]string{turn.Nothing: event + formattedEvent + streamDone, turn.UsageSent: event + formattedEvent + streamDone, turn.SuggestionsSent: formattedEvent + streamDone} {
			s := opened(t.Context())
			s.ids, s.answerID, s.at, s.seen, s.resumed = true, 81, start, tail, true
			(&streamRun{api: New(Deps{Log: discarded()}), out: s, delivery: turn.Delivery{Format: markdown.PlainText, IDs: true}, follow: follow}).finish(t.Context(), answered, nil)
			s.end()
			all, err := io.ReadAll(s)
			must(t, err)
			must(t, s.Close())
			if got := withoutIDs(string(all)); got != want || tail == turn.Nothing && !strings.HasPrefix(idsOf(string(all)), "81.1.0.5 81.1.0.3 81.1.0.4") {
				t.Errorf("after %d: got %s", tail, all)
			}
		}
	})

	t.Run("an error takes the place of sources and format, and usage stays", func(t *testing.T) {
		failed := answered
		failed.Status, failed.Outcome = chat.Failed, chat.OutcomeFailed
		got := written(t, everything, start, false, failed, fault.New(fault.Upstream, "The model failed."))
		if ids := idsOf(got); ids != "81.1.0 81.1.0 81.1.10 81.1.13 81.1.13.2 81.1.13.3 81.1.13.4" {
			t.Errorf("the ids are %s", ids)
		}
		want := `data: {"type":"error","error":5,"error_message":"The model failed.","error_code":"upstream_failed"}` + "\n\n" + streamDone
		if strings.Contains(got, "sources") || !strings.HasSuffix(withoutIDs(got), `"status":"failed","outcome":"failed"}}`+"\n\n"+want) {
			t.Errorf("got %s", got)
		}
	})

	t.Run("an answer that is begun again has positions of its own", func(t *testing.T) {
		s := opened(t.Context())
		s.ids, s.answerID, s.at = true, 81, start
		s.begin(17)
		at := start
		at.Attempt = 2
		must(t, s.event(turn.Event{Kind: turn.Waiting, Text: "Reading.", At: at}))
		must(t, s.event(turn.Event{Kind: turn.Delta, Text: "At seven.", At: turn.Position{AnswerID: 81, Attempt: 2, Offset: 9}}))
		again := answered
		again.Attempt = 3
		(&streamRun{api: New(Deps{Log: discarded()}), out: s, delivery: everything}).finish(t.Context(), again, nil)
		s.end()
		all, err := io.ReadAll(s)
		must(t, err)
		if ids := idsOf(string(all)); ids != "81.1.0 81.2.0 81.2.9 81.3.0.1 81.3.0.2 81.3.0.3 81.3.0.4" {
			t.Errorf("the ids are %s", ids)
		}
		must(t, s.Close())
	})

	t.Run("an error that is the reader's own leaves its position where it can resume", func(t *testing.T) {
		going := turn.Answer{Status: chat.Generating}
		got := written(t, everything, start, false, going, errClientGone)
		if ids := idsOf(got); ids != "81.1.0 81.1.0 81.1.10 81.1.13 81.1.13 81.1.13" || strings.Contains(got, `"usage"`) {
			t.Errorf("got %s", got)
		}
	})
}

func TestResumedEvents(t *testing.T) {
	whole := strings.SplitAfter(strings.TrimSuffix(written(t, everything, start, false, answered, nil), "\n\n"), "\n\n")
	for seen := 1; seen < len(whole); seen++ { // the turn says what comes after the first
		t.Run("after event "+strconv.Itoa(seen)+" of a stream come those behind it, and [DONE]", func(t *testing.T) {
			from, err := parsePosition(testIDs, idsOf(whole[seen]))
			must(t, err)
			want := strings.Join(whole[min(seen+1, len(whole)-1):], "") + "\n\n"
			if got := written(t, everything, from, true, answered, nil); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}

	t.Run("a resumed stream that is silent begins with a waiting event at once, so that its headers come", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := opened(t.Context())
			s.ids, s.answerID, s.resumed = true, 81, true
			s.at = turn.Position{AnswerID: 81, Attempt: 2, Offset: 5}
			begun := time.Now()
			for _, silence := range []time.Duration{firstSilence, 10 * time.Second} {
				if got := read(t, s); !strings.HasPrefix(got, "id: 81.2.5\n"+waitingStart) {
					t.Fatalf("got %q", got)
				}
				if waited := time.Since(begun); waited != silence {
					t.Fatalf("after %v, want %v", waited, silence)
				}
				begun = time.Now()
			}
			must(t, s.Close())
		})
	})
}

// idsOf are the ids of events, in order.
func idsOf(events string) string {
	var ids []string
	for line := range strings.SplitSeq(events, "\n") {
		if id, is := strings.CutPrefix(line, "id: "); is {
			ids = append(ids, id)
		}
	}
	return strings.Join(ids, " ")
}

func withoutIDs(events string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(events, "\n") {
		if !strings.HasPrefix(line, "id: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
