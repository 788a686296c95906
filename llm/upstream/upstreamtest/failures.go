package upstreamtest

import (
	"strings"
	"testing"
	"time"

	"parley/llm/llmtest"
)

const mebibyte = 1 << 20

func (a *Adapter) failures(t *testing.T) {
	for name, c := range map[string]struct {
		reply    llmtest.Reply
		message  string
		requests int
	}{
		"a wrong request is refused at once":               {llmtest.Reply{Status: 400, ErrorBody: a.Echo}, Refuses, 1},
		"a wrong key is refused at once":                   {llmtest.Reply{Status: 401, ErrorBody: a.Echo}, RejectsKey, 1},
		"a failing server is called three times":           {llmtest.Reply{Status: 500, ErrorBody: a.Echo}, NotAnswered, 3},
		"a busy server is called three times":              {llmtest.Reply{Status: 429, ErrorBody: a.Echo}, TooBusy, 3},
		"a busy server that names a long wait is not":      {llmtest.Reply{Status: 429, RetryAfter: "60"}, TooBusy, 1},
		"a refusal that is not JSON is a refusal":          {llmtest.Reply{Status: 404, ErrorBody: "<html>" + Question}, Unknown, 1},
		"a refusal of any length is a refusal":             {llmtest.Reply{Status: 400, ErrorBody: strings.Repeat(Question, 50_000)}, Refuses, 1},
		"a refusal of brackets is a refusal":               {llmtest.Reply{Status: 400, ErrorBody: strings.Repeat("[", 8*mebibyte)}, Refuses, 1},
		"a redirect is not followed":                       {llmtest.Reply{Status: 302}, NotAnswered, 1},
		"a success without an answer is a failure":         {llmtest.Reply{Status: 204}, NotAnswered, 1},
		"an empty answer is a failure, and not retried":    {llmtest.Reply{}, NotAnswered, 1},
		"a blank answer is a failure":                      {llmtest.Reply{Pieces: []string{" ", "\n"}}, NotAnswered, 1},
		"nothing but thoughts is a failure":                {llmtest.Reply{Pieces: []string{"<think>Hm.</think>\n"}}, NotAnswered, 1},
		"a malformed first line is a failure":              {llmtest.Reply{Raw: []string{`{"a":[` + Question}}, NotAnswered, 1},
		"a line that is not an object is a failure":        {llmtest.Reply{Raw: []string{`"` + Question + `"`}}, NotAnswered, 1},
		"a line of brackets is a failure":                  {llmtest.Reply{Raw: []string{`{"a":` + strings.Repeat("[", mebibyte/8)}}, NotAnswered, 1},
		"an endless line is a failure":                     {llmtest.Reply{Raw: []string{strings.Repeat("x", 2*mebibyte)}}, NotAnswered, 1},
		"an error within the stream is a failure":          {llmtest.Reply{Raw: []string{a.Echo}}, NotAnswered, 1},
		"an error within the answer is a failure":          {llmtest.Reply{Pieces: []string{"a"}, Raw: []string{a.Echo}}, BrokeOff, 1},
		"a malformed later line is a failure":              {llmtest.Reply{Pieces: []string{"a"}, Raw: []string{"{"}}, BrokeOff, 1},
		"a stream cut before the first token is a failure": {llmtest.Reply{Pieces: []string{"a"}, CutAfter: 30}, NotAnswered, 1},
		"a stream cut within the answer is a failure":      {llmtest.Reply{Pieces: []string{"a", strings.Repeat("b", 2000)}, CutAfter: 1000}, BrokeOff, 1},
		"a stream that just ends is a failure":             {llmtest.Reply{Pieces: []string{"a"}, OmitFinish: true, OmitDone: true}, BrokeOff, 1},
		"an endless answer is a failure":                   {llmtest.Reply{Pieces: Fill(6, mebibyte/5)}, BrokeOff, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := a.Serve(t, c.reply)
			_, _, err := generate(t.Context(), a.at(t, server, nil))
			WantFault(t, err, c.message)
			if got := server.Arrived(); got != c.requests {
				t.Errorf("%d requests were sent, want %d", got, c.requests)
			}
		})
	}
	t.Run("the fault says when to try again", func(t *testing.T) {
		_, _, err := generate(t.Context(), a.at(t, a.Serve(t, llmtest.Reply{Status: 429, RetryAfter: "60"}), nil))
		if found := WantFault(t, err, TooBusy); found.RetryAfter != time.Minute {
			t.Errorf("RetryAfter = %v", found.RetryAfter)
		}
	})
	t.Run("a server that recovers within the retries gives its answer", func(t *testing.T) {
		server := a.Serve(t, llmtest.Reply{Pieces: []string{"Yes."}})
		server.Next(llmtest.Reply{Status: 503}, llmtest.Reply{Status: 429, RetryAfter: "0"})
		got, _, err := generate(t.Context(), a.at(t, server, nil))
		if err != nil || strings.Join(got, "") != "Yes." || server.Arrived() != 3 {
			t.Errorf("got %q and %v after %d requests", got, err, server.Arrived())
		}
	})
}

func (a *Adapter) failuresOfWhole(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{
		"an empty answer is a failure":            {},
		"a truncated answer is a failure":         {Pieces: []string{"Seven o'clock."}, CutAfter: 20},
		"a refusal is a failure":                  {Status: 400, ErrorBody: a.Echo},
		"an error instead of one is a failure":    {Raw: []string{a.Echo}},
		"an answer that is not JSON is a failure": {Raw: []string{Question}},
		"one that is not an object is a failure":  {Raw: []string{"[]"}},
		// It once exhausted the stack of the whole process.
		"an answer of 8 MiB of brackets is a failure": {Raw: []string{`{"a":` + strings.Repeat("[", 8*mebibyte-20)}},
		"an answer that is longer is a failure":       {Raw: []string{`{"a":` + strings.Repeat("[", 8*mebibyte+20)}},
		"a text of more than 1 MiB is a failure":      {Pieces: Fill(1, mebibyte+1)},
	} {
		t.Run(name, func(t *testing.T) {
			server := a.Serve(t, reply)
			prompt := llmtest.Prompt()
			prompt.Whole = true
			got, _, err := Generate(t.Context(), a.at(t, server, nil), prompt)
			message := NotAnswered
			if reply.Status == 400 {
				message = Refuses
			}
			WantFault(t, err, message)
			if got != nil || server.Arrived() != 1 {
				t.Errorf("%d pieces were emitted after %d requests", len(got), server.Arrived())
			}
		})
	}
}
