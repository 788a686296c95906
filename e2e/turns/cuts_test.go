package turns

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
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// cutsAtOnce is how many positions are tried at the same time, and everyWay the
// distance of those at which it is asked in every way, not by a stream alone.
const cutsAtOnce, everyWay = 16, 16

func TestEveryCut(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 13
	}
	for i, format := range harness.Speaks {
		t.Run(format.Name+" on sqlite", func(t *testing.T) {
			t.Parallel()
			cutEverywhere(t, i, step, "")
		})
	}
	t.Run("openai on postgres", func(t *testing.T) {
		t.Parallel()
		cutEverywhere(t, 0, 8*step, storetest.Postgres(t))
	})
}

// cutting is a server whose model breaks off where the question says.
type cutting struct {
	*harness.Instance
	format   int
	upstream *llmtest.Server
	tn       harness.Tenant
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
	speak := harness.Speaks[format]
	upstream, address := speak.Open(t)
	w := harness.Start(t, harness.Spoken(speak.Name, address, speak.Model), func(c *app.Config) { c.DatabaseURL = database })
	c := &cutting{
		Instance: w, format: format, upstream: upstream, tn: w.NewTenant("provider", plan.Enterprise, harness.RouterManual),
		said: map[int]string{}, ended: map[chat.Status]int{},
	}
	c.whole = c.lengthOfWhole(address + speak.Path)
	asked := upstream.Arrived()
	upstream.Answers(c.answer)

	positions := make(chan int)
	deep := places(speak.Positions, speak.Complete, everyWay)
	var workers sync.WaitGroup
	for range cutsAtOnce {
		workers.Go(func() {
			for after := range positions {
				t.Run(fmt.Sprintf("an answer that is cut after %d bytes ends once, in one state", after), func(t *testing.T) {
					c.checkCut(w.Within(t), after, slices.Contains(deep, after))
				})
			}
		})
	}
	for _, after := range places(speak.Positions, speak.Complete, step) {
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
	c.Must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	c.Must(err)
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
		after = harness.Speaks[c.format].Positions - 1
	}
	return harness.Speaks[c.format].Cut(after)
}

// checkCut asks for an answer that is cut, by a stream or in every way.
func (c *cutting) checkCut(w *harness.Instance, after int, everyWay bool) {
	body := fmt.Sprintf(`{"message":"How is the router reset? cut after %d"}`, after)
	complete := after >= harness.Speaks[c.format].Complete
	events := w.Stream(body, harness.Bearer(c.tn.Token)).Rest()
	text := checkEnd(w, events, complete)
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
func checkEnd(w *harness.Instance, all []harness.Event, complete bool) (text string) {
	w.Helper()
	if len(all) < 3 || all[0].Type != "conversation" {
		w.Fatalf("the stream is %+v", all)
	}
	for i, e := range all {
		if last := i == len(all)-1; e.Done != last {
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
func (c *cutting) checkStored(w *harness.Instance, conversation int64, complete bool, text string, attempt int) {
	w.Helper()
	status := chat.Failed
	if complete {
		status = chat.Complete
	}
	c.mu.Lock()
	c.ended[status]++
	c.mu.Unlock()
	turn, err := w.Server.Turns.Turns.Turn(w.Context(), c.tn.Workspace, w.Sequence(conversation), 0)
	w.Must(err)
	if a := turn.Answer; a.Status != status || a.Text != text || a.Attempt != attempt || a.Record.At.IsZero() || !turn.Last {
		w.Errorf("stored is %+v, want %s %q", a, status, text)
	}
	messages, err := w.Server.Chat.LastMessages(w.Context(), c.tn.Workspace, w.Sequence(conversation), 0, 10_000)
	w.Must(err)
	want := 2
	if text == "" { // nobody is shown an empty answer
		want = 1
	}
	if len(messages) != want || want == 2 && (messages[1].Status != status || messages[1].Content != text) {
		w.Errorf("the conversation is %+v", messages)
	}
}

// checkWhole asks for an answer that is not streamed: all of it or nothing.
func (c *cutting) checkWhole(w *harness.Instance, after int) {
	w.Helper()
	conversation := w.NewConversation(c.tn.Token, "")
	body := fmt.Sprintf(`{"message":"How is the router reset? cut after %d","conversation_id":%q}`, after, harness.Written(conversation))
	r := w.Call("POST", harness.ChatPath, body, harness.Bearer(c.tn.Token))
	if after < c.whole {
		w.CheckAnswer(r, http.StatusInternalServerError, 5)
		c.checkStored(w, conversation, false, "", 1)
		return
	}
	w.CheckAnswer(r, http.StatusOK, 0)
	if harness.Message(r) != llmtest.RecordedText {
		w.Errorf("the answer is %s", r.Text)
	}
	c.checkStored(w, conversation, true, llmtest.RecordedText, 1)
}

// checkWithAll asks for a stream with all that it may include. It says the same
// as the one without, and so does the one that resumes it.
func (c *cutting) checkWithAll(w *harness.Instance, after int, body, text string) {
	w.Helper()
	complete := after >= harness.Speaks[c.format].Complete
	read := w.Marked("POST", harness.StreamPath, body, harness.Bearer(c.tn.Token)).Rest()
	if got := checkEnd(w, eventsOf(read), complete); got != text {
		w.Errorf("it says %q, and %q without what it may include", got, text)
	}
	conversation, whole := read[0].ConversationID, harness.Gist(read)
	c.checkStored(w, conversation, complete, text, 1)
	status := map[bool]string{true: "complete", false: "failed"}[complete]
	w.CheckParts(whole, []string{`"status":"` + status + `"`, fmt.Sprintf(`"estimated":%v`, after < harness.Speaks[c.format].Counted)})
	if strings.Count(whole, `"type":"usage"`) != 1 || strings.Contains(whole, `"sources":[{`) != complete {
		w.Errorf("it is %s", whole)
	}
	again := w.Marked("GET", harness.ResumePath(conversation), "", harness.Bearer(c.tn.Token)).Rest()
	if got := wording.ReplaceAllString(harness.Gist(again), ""); got != wording.ReplaceAllString(whole, "") {
		w.Errorf("once more it is\n%s\nand was\n%s", got, whole)
	}
}

// wording is what of a failure is not kept: what went wrong in words.
var wording = regexp.MustCompile(`,"error_message":"[^"]+","error_code":"[^"]+"`)

func eventsOf(all []harness.Marked) []harness.Event {
	events := make([]harness.Event, len(all))
	for i, e := range all {
		events[i] = e.Event
	}
	return events
}

// checkKeyed sends a stream again with its key when the model is well again:
// what failed is answered then, in its place, and what was complete stays.
func (c *cutting) checkKeyed(w *harness.Instance, after int, body, text string) {
	w.Helper()
	complete, attempt := after >= harness.Speaks[c.format].Complete, 1
	ask := func() []harness.Event {
		return w.Stream(body, harness.Bearer(c.tn.Token), harness.Keyed(fmt.Sprint("cut ", after))).Rest()
	}
	first := ask()
	if got := checkEnd(w, first, complete); got != text {
		w.Errorf("it says %q, and %q without a key", got, text)
	}
	conversation := first[0].ConversationID
	c.checkStored(w, conversation, complete, text, attempt)
	c.mended.Store(after, true)
	second := ask()
	checkEnd(w, second, true)
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
	all, err := c.Server.Chat.Spent(c.Context(), c.tn.Workspace, harness.Now())
	c.Must(err)
	records := map[chat.Status]int{}
	for _, spent := range all {
		records[spent.Status] += spent.Answers
	}
	if !maps.Equal(records, c.ended) {
		c.Errorf("the usage records are %v of attempts that ended %v", records, c.ended)
	}
	attempts := c.ended[chat.Complete] + c.ended[chat.Failed]
	got := c.Instance.Tally(c.tn, c.upstream)
	if want := (harness.Tally{Asked: asked + attempts, Counted: c.ended[chat.Complete], Records: attempts}); got != want {
		c.Errorf("asked, counted and usage records are %v, want %v", got, want)
	}
	c.Instance.NoneGenerating()
	before := ""
	for _, after := range slices.Sorted(maps.Keys(c.said)) {
		if !strings.HasPrefix(c.said[after], before) {
			c.Errorf("cut after %d bytes it says %q, and before that %q", after, c.said[after], before)
		}
		before = c.said[after]
	}
	if last, tried := c.said[harness.Speaks[c.format].Complete-1]; tried && last != llmtest.RecordedText {
		c.Errorf("just before it is complete it says %q", last)
	}
}
