package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley/app"
	"parley/core/chat"
	"parley/core/plan"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// routerManual is what the recorded answers are from.
const routerManual = "# Router\n\nTo reset the router, hold its button for ten seconds. The light blinks.\n"

// cutsAtOnce is how many positions are tried at the same time, and everyWay the
// distance of those at which it is asked in every way, not by a stream alone.
const cutsAtOnce, everyWay = 16, 16

// speaks are the formats of models, each with its recorded answer.
var speaks = []struct {
	name, path, model string
	// positions is how many there are. From complete on the answer is, and from
	// counted on the model has said what it took.
	positions, complete, counted int
	cut                          func(after int) llmtest.Reply
	open                         func(t *testing.T) (upstream *llmtest.Server, address string)
}{
	{
		name: "openai", path: "/chat/completions", model: "double",
		positions: llmtest.CutPositions(), complete: llmtest.RecordedComplete(), counted: behindLine(llmtest.Recording().Body, `"usage"`),
		cut: llmtest.CutRecording,
		open: func(t *testing.T) (*llmtest.Server, string) {
			s := llmtest.NewServer(t, llmtest.Recording())
			return s, s.BaseURL()
		},
	},
	{
		name: "anthropic", path: "/v1/messages", model: "claude-haiku-4-5",
		positions: llmtest.AnthropicCutPositions(), complete: llmtest.AnthropicRecordedComplete(), counted: llmtest.AnthropicRecordedComplete(),
		cut: llmtest.CutAnthropicRecording,
		open: func(t *testing.T) (*llmtest.Server, string) {
			s := llmtest.NewAnthropic(t, llmtest.AnthropicRecording())
			return s.Server, s.BaseURL()
		},
	},
}

// behindLine is the position after the line with a part.
func behindLine(text, part string) int {
	at := strings.Index(text, part)
	return at + strings.Index(text[at:], "\n") + len("\n")
}

// spoken lets the server be answered in a format.
func spoken(format, address, model string) func(*app.Config) {
	return func(c *app.Config) {
		c.LLMProvider, c.LLMBaseURL, c.LLMAPIKey, c.LLMModel = format, address, "key", model
	}
}

func TestEveryCut(t *testing.T) {
	t.Parallel()
	for i, format := range speaks {
		t.Run(format.name+" on sqlite", func(t *testing.T) {
			t.Parallel()
			cutEverywhere(t, i, 1, "")
		})
	}
	t.Run("openai on postgres", func(t *testing.T) {
		t.Parallel()
		cutEverywhere(t, 0, 8, storetest.Postgres(t))
	})
}

// cutting is a server whose model breaks off where the question says.
type cutting struct {
	*instance
	format   int
	upstream *llmtest.Server
	tn       tenantOf
	// whole is how long an answer is that is not streamed.
	whole int
	// said is what each position's stream said, and ended how often an attempt
	// ended how.
	mu    sync.Mutex
	said  map[int]string
	ended map[chat.Status]int
	// mended are the positions at which the model no longer breaks off.
	mended sync.Map
}

// cutEverywhere cuts the recorded answer at every so manieth position, and at
// those on both sides of where it is complete.
func cutEverywhere(t *testing.T, format, step int, database string) {
	speak := speaks[format]
	upstream, address := speak.open(t)
	w := start(t, spoken(speak.name, address, speak.model), func(c *app.Config) { c.DatabaseURL = database })
	c := &cutting{
		instance: w, format: format, upstream: upstream, tn: w.newTenant("provider", plan.Enterprise, routerManual),
		said: map[int]string{}, ended: map[chat.Status]int{},
	}
	c.whole = c.lengthOfWhole(address + speak.path)
	asked := upstream.Arrived()
	upstream.Answers(c.answer)

	positions := make(chan int)
	deep := places(speak.positions, speak.complete, everyWay)
	var workers sync.WaitGroup
	for range cutsAtOnce {
		workers.Go(func() {
			for after := range positions {
				t.Run(fmt.Sprintf("an answer that is cut after %d bytes ends once, in one state", after), func(t *testing.T) {
					c.checkCut(w.within(t), after, slices.Contains(deep, after))
				})
			}
		})
	}
	for _, after := range places(speak.positions, speak.complete, step) {
		positions <- after
	}
	close(positions)
	workers.Wait()
	c.checkSum(asked)
}

// places are every so manieth position, the last, and the two where the answer
// becomes complete.
func places(positions, complete, step int) []int {
	all := []int{complete - 1, complete, positions - 1}
	for after := 0; after < positions; after += step {
		all = append(all, after)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (c *cutting) lengthOfWhole(address string) int {
	response, err := http.Post(address, "application/json", strings.NewReader(`{"stream":false}`))
	c.must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	c.must(err)
	return len(body)
}

var cutAfter = regexp.MustCompile(`cut after (\d+)`)

// answer is what the model says to a question.
func (c *cutting) answer(body []byte) llmtest.Reply {
	found := cutAfter.FindSubmatch(body)
	if found == nil {
		return llmtest.Reply{Status: http.StatusBadRequest}
	}
	after, _ := strconv.Atoi(string(found[1]))
	if _, mended := c.mended.Load(after); mended {
		after = speaks[c.format].positions - 1
	}
	return speaks[c.format].cut(after)
}

// checkCut asks for an answer that is cut, by a stream or in every way.
func (c *cutting) checkCut(w *instance, after int, everyWay bool) {
	body := fmt.Sprintf(`{"message":"How is the router reset? cut after %d"}`, after)
	complete := after >= speaks[c.format].complete
	events := w.stream(body, bearer(c.tn.token)).rest()
	text := w.checkEnd(events, complete)
	c.mu.Lock()
	c.said[after] = text
	c.mu.Unlock()
	c.checkStored(w, events[0].ConversationID, complete, text, 1)
	if !everyWay {
		return
	}
	c.checkWhole(w, after)
	c.checkWithAll(w, after, strings.TrimSuffix(body, "}")+`,"include":["ids","usage","sources"]}`, text)
	c.checkKeyed(w, after, body, text)
}

// checkEnd fails unless a stream has one end, after one error where the answer
// is not complete, and returns what it said.
func (w *instance) checkEnd(all []event, complete bool) (text string) {
	w.Helper()
	if len(all) < 3 || all[0].Type != "conversation" {
		w.Fatalf("the stream is %+v", all)
	}
	for i, e := range all {
		if last := i == len(all)-1; e.done != last {
			w.Errorf("event %d of %d is %+v", i, len(all), e)
		}
		if failure := !complete && i == len(all)-2; (e.Type == "error") != failure || failure && e.Error != 5 {
			w.Errorf("event %d of %d is %+v, and complete is %v", i, len(all), e, complete)
		}
		if e.Type == "delta" {
			text += e.Content
		}
	}
	if !strings.HasPrefix(llmtest.RecordedText, text) || complete && text != llmtest.RecordedText {
		w.Errorf("the stream says %q", text)
	}
	return text
}

// checkStored fails unless the conversation is one question with its answer,
// which ended at one of its attempts, and has a usage record.
func (c *cutting) checkStored(w *instance, conversation int64, complete bool, text string, attempt int) {
	w.Helper()
	status := chat.Failed
	if complete {
		status = chat.Complete
	}
	c.mu.Lock()
	c.ended[status]++
	c.mu.Unlock()
	turn, err := w.server.Turns.Turns.Turn(w.Context(), c.tn.workspace, w.sequence(conversation), 0)
	w.must(err)
	if a := turn.Answer; a.Status != status || a.Text != text || a.Attempt != attempt || a.Record.At.IsZero() || !turn.Last {
		w.Errorf("stored is %+v, want %s %q", a, status, text)
	}
	messages, err := w.server.Chat.LastMessages(w.Context(), c.tn.workspace, w.sequence(conversation), 0, 10_000)
	w.must(err)
	want := 2
	if text == "" { // nobody is shown an empty answer
		want = 1
	}
	if len(messages) != want || want == 2 && (messages[1].Status != status || messages[1].Content != text) {
		w.Errorf("the conversation is %+v", messages)
	}
}

// checkWhole asks for an answer that is not streamed: all of it or nothing.
func (c *cutting) checkWhole(w *instance, after int) {
	w.Helper()
	conversation := w.newConversation(c.tn.token, "")
	body := fmt.Sprintf(`{"message":"How is the router reset? cut after %d","conversation_id":%q}`, after, written(conversation))
	r := w.call("POST", chatPath, body, bearer(c.tn.token))
	if after < c.whole {
		w.checkAnswer(r, http.StatusInternalServerError, 5)
		c.checkStored(w, conversation, false, "", 1)
		return
	}
	w.checkAnswer(r, http.StatusOK, 0)
	if message(r) != llmtest.RecordedText {
		w.Errorf("the answer is %s", r.body)
	}
	c.checkStored(w, conversation, true, llmtest.RecordedText, 1)
}

// checkWithAll asks for a stream with all that it may include. It says the same
// as the one without, and so does the one that resumes it.
func (c *cutting) checkWithAll(w *instance, after int, body, text string) {
	w.Helper()
	complete := after >= speaks[c.format].complete
	read := w.marked("POST", streamPath, body, bearer(c.tn.token)).rest()
	if got := w.checkEnd(eventsOf(read), complete); got != text {
		w.Errorf("it says %q, and %q without what it may include", got, text)
	}
	conversation, whole := read[0].ConversationID, gist(read)
	c.checkStored(w, conversation, complete, text, 1)
	status := map[bool]string{true: "complete", false: "failed"}[complete]
	w.checkParts(whole, []string{`"status":"` + status + `"`, fmt.Sprintf(`"estimated":%v`, after < speaks[c.format].counted)})
	if strings.Count(whole, `"type":"usage"`) != 1 || strings.Contains(whole, `"sources":[{`) != complete {
		w.Errorf("it is %s", whole)
	}
	again := w.marked("GET", resumePath(conversation), "", bearer(c.tn.token)).rest()
	if got := wording.ReplaceAllString(gist(again), ""); got != wording.ReplaceAllString(whole, "") {
		w.Errorf("once more it is\n%s\nand was\n%s", got, whole)
	}
}

// wording is what of a failure is not kept: what went wrong in words.
var wording = regexp.MustCompile(`,"error_message":"[^"]+","error_code":"[^"]+"`)

func eventsOf(all []marked) []event {
	events := make([]event, len(all))
	for i, e := range all {
		events[i] = e.event
	}
	return events
}

// checkKeyed sends a stream again with its key when the model is well again:
// what failed is answered then, in its place, and what was complete stays.
func (c *cutting) checkKeyed(w *instance, after int, body, text string) {
	w.Helper()
	complete, attempt := after >= speaks[c.format].complete, 1
	ask := func() []event {
		return w.stream(body, bearer(c.tn.token), keyed(fmt.Sprint("cut ", after))).rest()
	}
	first := ask()
	if got := w.checkEnd(first, complete); got != text {
		w.Errorf("it says %q, and %q without a key", got, text)
	}
	conversation := first[0].ConversationID
	c.checkStored(w, conversation, complete, text, attempt)
	c.mended.Store(after, true)
	second := ask()
	w.checkEnd(second, true)
	if second[0].ConversationID != conversation {
		w.Errorf("sent again it is in conversation %d, and was in %d", second[0].ConversationID, conversation)
	}
	if !complete {
		c.checkStored(w, conversation, true, llmtest.RecordedText, attempt+1)
	}
}

// checkSum fails unless each attempt was one call of the model and has one
// usage record, what is complete counts as a message, nothing is being generated,
// and a later cut says no less.
func (c *cutting) checkSum(asked int) {
	all, err := c.server.Chat.Spent(c.Context(), c.tn.workspace, now())
	c.must(err)
	records := map[chat.Status]int{}
	for _, spent := range all {
		records[spent.Status] += spent.Answers
	}
	if !maps.Equal(records, c.ended) {
		c.Errorf("the usage records are %v of attempts that ended %v", records, c.ended)
	}
	attempts := c.ended[chat.Complete] + c.ended[chat.Failed]
	got := c.tally(c.tn, c.upstream)
	if want := (tally{asked + attempts, c.ended[chat.Complete], attempts}); got != want {
		c.Errorf("asked, counted and usage records are %v, want %v", got, want)
	}
	c.noneGenerating()
	before := ""
	for _, after := range slices.Sorted(maps.Keys(c.said)) {
		if !strings.HasPrefix(c.said[after], before) {
			c.Errorf("cut after %d bytes it says %q, and before that %q", after, c.said[after], before)
		}
		before = c.said[after]
	}
	if last, tried := c.said[speaks[c.format].complete-1]; tried && last != llmtest.RecordedText {
		c.Errorf("just before it is complete it says %q", last)
	}
}
