package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/answer/prompt"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/retrieval"
)

// shelf finds passages by the query, and keeps what it was asked.
type shelf struct {
	of    map[string][]retrieval.Result
	err   error
	asked []retrieval.Query
	scope retrieval.Scope
}

func (s *shelf) Search(_ context.Context, scope retrieval.Scope, query retrieval.Query) ([]retrieval.Result, error) {
	s.asked, s.scope = append(s.asked, query), scope
	return s.of[query.Text], s.err
}

// heard is what somebody hears who reads an answer.
type heard struct {
	// onWaiting, unless nil, is called in the place of noting a message.
	onWaiting func(string) error

	events   []string
	passages []retrieval.Result
}

func (h *heard) text(piece string) error { h.events = append(h.events, piece); return nil }

func (h *heard) waiting(message string) error {
	if h.onWaiting != nil {
		return h.onWaiting(message)
	}
	h.events = append(h.events, "("+message+")")
	return nil
}

func (h *heard) addPassages(more []retrieval.Result) { h.passages = append(h.passages, more...) }

// calls says its text, and then calls.
func calls(text string, all ...prompt.Call) step {
	return func(ctx context.Context, emit func(string) error) (Generated, error) {
		generated, err := Generated{Usage: oneEach, Calls: all}, error(nil)
		if text != "" {
			err = emit(text)
		}
		return generated, err
	}
}

func search(id, query string) prompt.Call {
	return prompt.Call{ID: id, Name: "search_knowledge", Arguments: fmt.Sprintf(`{"query":%q}`, query)}
}

// toolMessages are the results that a model was told, in order.
func toolMessages(asked prompt.Prompt) []prompt.Message {
	return slices.DeleteFunc(slices.Clone(asked.Messages), func(m prompt.Message) bool { return m.Role != prompt.ToolRole })
}

// converse returns what was used, too.
func converse(ctx context.Context, p *Pipeline, model Model, bot *chatbot.Chatbot, asked prompt.Prompt, to listener) (Generated, error) {
	c := newRounds(p, model, bot, asked, to)
	err := c.run(ctx)
	return c.used, err
}

func TestConverse(t *testing.T) {
	bot := &chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"}
	begin := func(model Model, given []retrieval.Result) prompt.Prompt {
		p := composed(bot, model, given, "When?")
		p.Whole = true
		return p
	}

	t.Run("an answer without calls is passed on as it arrives", func(t *testing.T) {
		model, knows, hears := script(answers("At ", "nine.")), &shelf{}, &heard{}
		got, err := converse(t.Context(), pipeline(knows, model), model, bot, begin(model, nil), hears)
		if err != nil || got.Usage != oneEach || got.Model != "scripted" || len(knows.asked) != 0 || !slices.Equal(hears.events, []string{"At ", "nine."}) {
			t.Errorf("got %+v, %v; heard %q", got, err, hears.events)
		}
	})

	t.Run("a call is executed, and the model gets its passages with continued numbers", func(t *testing.T) {
		all := passages(4, 40)
		model := script(calls("", search("c1", "pool hours")), answers("At nine [3]."))
		knows, hears := &shelf{of: map[string][]retrieval.Result{"pool hours": {all[2], all[0], all[3]}}}, &heard{}
		asked := begin(model, all[:2])
		got, err := converse(t.Context(), pipeline(knows, model), model, bot, asked, hears)
		if err != nil || got.Usage != oneEach.Plus(oneEach) || len(got.Calls) != 0 {
			t.Fatalf("got %+v, %v", got, err)
		}
		if !slices.Equal(hears.events, []string{"(Searching the knowledge for “pool hours”.)", "At nine [3]."}) {
			t.Errorf("heard %q", hears.events)
		}
		if len(hears.passages) != 2 || hears.passages[0].ID != 3 || hears.passages[1].ID != 4 {
			t.Errorf("found %+v", hears.passages)
		}
		if knows.scope != (retrieval.Scope{WorkspaceID: "ws", ChatbotID: "cb"}) || knows.asked[0].Limit != 5 {
			t.Errorf("asked for %+v in %+v", knows.asked, knows.scope)
		}
		second := (*model.asked)[1]
		if len(second.Passages) != 4 || !second.Whole || len(second.Tools) != 1 {
			t.Errorf("it was asked with %+v", second)
		}
		n := len(second.Messages)
		if call := second.Messages[n-2]; call.Role != prompt.AssistantRole || len(call.Calls) != 1 || call.Calls[0] != search("c1", "pool hours") {
			t.Errorf("it is told that it called %+v", call)
		}
		result := second.Messages[n-1]
		if result.Role != prompt.ToolRole || result.CallID != "c1" || !strings.Contains(result.Text, "given already: [1].") {
			t.Errorf("it was told %+v", result)
		}
		for _, want := range []string{"<passage id=\"3\" source=\"Hours\">\nPassage no. 3.", "<passage id=\"4\""} {
			if !strings.Contains(result.Text, want) {
				t.Errorf("%q is not in %s", want, result.Text)
			}
		}
		wantPassages(t, result.Text, 2)
		if len(asked.Passages) != 2 || len((*model.asked)[0].Messages) != 2 {
			t.Error("the caller's prompt was changed")
		}
	})

	t.Run("after three rounds the tools are left out", func(t *testing.T) {
		again := calls("", search("c", "pool"))
		model := script(again, again, again, answers("At nine."))
		knows, hears := &shelf{}, &heard{}
		if _, err := converse(t.Context(), pipeline(knows, model), model, bot, begin(model, nil), hears); err != nil {
			t.Fatal(err)
		}
		for i, asked := range *model.asked {
			if (len(asked.Tools) > 0) != (i < 3) {
				t.Errorf("call %d had %d tools", i+1, len(asked.Tools))
			}
		}
		if len(*model.asked) != 4 || len(knows.asked) != 3 || len(hears.events) != 4 {
			t.Errorf("asked %d times, searched %d times, heard %q", len(*model.asked), len(knows.asked), hears.events)
		}
		ids := map[string]bool{}
		for _, m := range toolMessages((*model.asked)[3]) {
			ids[m.CallID] = true
		}
		if len(ids) != 3 {
			t.Errorf("the calls' ids are %v", ids)
		}
	})

	t.Run("calls after that are not carried out", func(t *testing.T) {
		again := calls("x", search("c", "pool"))
		model, knows, hears := script(again, again, again, again), &shelf{}, &heard{}
		got, err := converse(t.Context(), pipeline(knows, model), model, bot, begin(model, nil), hears)
		if err != nil || len(got.Calls) != 0 || len(knows.asked) != 3 {
			t.Errorf("got %+v, %v after %d searches", got, err, len(knows.asked))
		}
	})

	t.Run("a blank line separates the text before a call from the text after it", func(t *testing.T) {
		for _, c := range []struct {
			before string
			after  []string
			want   string
		}{
			{"Let me see.", []string{"At nine."}, "Let me see.\n\nAt nine."},
			{"Let me see.\n", []string{"At nine."}, "Let me see.\n\nAt nine."},
			{"Let me see.\n\n", []string{"At nine."}, "Let me see.\n\nAt nine."},
			{"Let me see.", []string{"\n", "\n", "\nAt", " nine."}, "Let me see.\n\nAt nine."},
			{"", []string{"At nine."}, "At nine."},
		} {
			model, hears := script(calls(c.before, search("c", "pool")), answers(c.after...)), &heard{}
			if _, err := converse(t.Context(), pipeline(&shelf{}, model), model, bot, begin(model, nil), hears); err != nil {
				t.Fatal(err)
			}
			said := strings.ReplaceAll(strings.Join(hears.events, ""), "(Searching the knowledge for “pool”.)", "")
			if said != c.want {
				t.Errorf("%q and %q became %q", c.before, c.after, said)
			}
			if told := (*model.asked)[1].Messages[2]; told.Text != c.before {
				t.Errorf("it is told that it said %q", told.Text)
			}
		}
	})

	t.Run("the model learns of a search that fails, and the answer continues", func(t *testing.T) {
		model := script(calls("", search("c", "pool")), answers("I cannot say."))
		knows, hears := &shelf{err: errors.New("secret address")}, &heard{}
		_, err := converse(t.Context(), pipeline(knows, model), model, bot, begin(model, nil), hears)
		told := toolMessages((*model.asked)[1])
		if err != nil || len(told) != 1 || !strings.Contains(told[0].Text, "cannot be searched") || strings.Contains(told[0].Text, "secret") {
			t.Errorf("got %v; it was told %+v", err, told)
		}
	})

	t.Run("a caller that leaves during a search ends the answer, with the usage so far", func(t *testing.T) {
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		model := script(calls("", search("c", "pool")))
		listens := &heard{onWaiting: func(string) error { cancel(gone); return nil }}
		got, err := converse(ctx, pipeline(&shelf{err: context.Canceled}, model), model, bot, begin(model, nil), listens)
		if err != gone || got.Usage != oneEach {
			t.Errorf("got %+v, %v", got, err)
		}
	})

	t.Run("a model that fails later has used what it used before, too", func(t *testing.T) {
		model := script(calls("", search("c", "pool")), fails)
		got, err := converse(t.Context(), pipeline(&shelf{}, model), model, bot, begin(model, nil), &heard{})
		if !fault.Is(err, fault.Upstream) || got.Usage != oneEach.Plus(oneEach) {
			t.Errorf("got %+v, %v", got, err)
		}
	})

	t.Run("a caller that can no longer be reached ends the answer", func(t *testing.T) {
		broken := errors.New("broken")
		for _, call := range []prompt.Call{search("c", "pool"), {Name: "other"}} {
			model := script(calls("", call))
			listens := &heard{onWaiting: func(string) error { return broken }}
			if _, err := converse(t.Context(), pipeline(&shelf{}, model), model, bot, begin(model, nil), listens); err != broken {
				t.Errorf("got %v", err)
			}
		}
	})

	t.Run("a model without tools is asked once, whatever it calls", func(t *testing.T) {
		model := script(calls("At nine.", search("c", "pool")))
		model.traits.Tools = false
		knows := &shelf{}
		if _, err := converse(t.Context(), pipeline(knows, model), model, bot, begin(model, nil), &heard{}); err != nil || len(knows.asked) != 0 {
			t.Errorf("got %v after %d searches", err, len(knows.asked))
		}
	})
}

func TestToolsWithinBounds(t *testing.T) {
	bot := &chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"}
	run := func(t *testing.T, model scripted, knows *shelf, given []retrieval.Result) *heard {
		t.Helper()
		hears := &heard{}
		asked := composed(bot, model, given, "When?")
		if _, err := converse(t.Context(), pipeline(knows, model), model, bot, asked, hears); err != nil {
			t.Fatal(err)
		}
		return hears
	}

	t.Run("four calls of a round are carried out, and the prompt has no others", func(t *testing.T) {
		var many []prompt.Call
		for i := range 9 {
			many = append(many, search(fmt.Sprint("c", i), fmt.Sprint("pool ", i)))
		}
		model, knows := script(calls("", many...), answers("At nine.")), &shelf{}
		run(t, model, knows, nil)
		second := (*model.asked)[1]
		if len(knows.asked) != 4 || len(second.Messages[2].Calls) != 4 || len(toolMessages(second)) != 4 {
			t.Errorf("%d searches; it was told %+v", len(knows.asked), second.Messages)
		}
	})

	t.Run("a passage that two calls find is given once", func(t *testing.T) {
		one := passages(1, 40)
		model := script(calls("", search("a", "x"), search("b", "y")), answers("Yes."))
		hears := run(t, model, &shelf{of: map[string][]retrieval.Result{"x": one, "y": one}}, nil)
		told := toolMessages((*model.asked)[1])
		if len(hears.passages) != 1 || !strings.Contains(told[1].Text, "given already: [1]") || strings.Contains(told[1].Text, "<passage") {
			t.Errorf("found %d; it was told %+v", len(hears.passages), told)
		}
	})

	t.Run("tools give fifteen passages at most", func(t *testing.T) {
		all := passages(30, 40)
		knows := &shelf{of: map[string][]retrieval.Result{}}
		var many []prompt.Call
		for i := range 4 {
			query := fmt.Sprint("pool ", i)
			knows.of[query] = all[5*i+5 : 5*i+10]
			many = append(many, search(fmt.Sprint("c", i), query))
		}
		model := script(calls("", many...), answers("At nine."))
		hears := run(t, model, knows, all[:5])
		told := toolMessages((*model.asked)[1])
		if len(hears.passages) != 15 || !strings.Contains(told[3].Text, "no room") {
			t.Errorf("%d were given; at last it was told %q", len(hears.passages), told[3].Text)
		}
	})

	t.Run("what does not fit into the context is not given, and no more is called", func(t *testing.T) {
		all := passages(10, 1500)
		model := script(calls("", search("a", "x")), calls("", search("b", "x")), answers("At nine."))
		model.traits.Context = 4096
		hears := run(t, model, &shelf{of: map[string][]retrieval.Result{"x": all[3:8]}}, all[:3])
		if len(hears.passages) == 0 || len(hears.passages) == 5 {
			t.Errorf("%d were given", len(hears.passages))
		}
		for _, asked := range *model.asked {
			if sum := tokensOf(model, asked); sum > 4096-1024 {
				t.Errorf("a prompt of %d tokens", sum)
			}
		}
	})

	t.Run("a model that talks until the context is full loses its tools", func(t *testing.T) {
		model := script(calls(strings.Repeat("Well, ", 4096), search("a", "x")), answers("At nine."))
		model.traits.Context = 4096
		run(t, model, &shelf{}, nil)
		if len((*model.asked)[1].Tools) != 0 {
			t.Error("it was offered tools")
		}
	})
}

func TestHostileCalls(t *testing.T) {
	bot := &chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"}
	long := strings.Repeat("pool ", 2000)
	for _, c := range []struct {
		is   string
		call prompt.Call
		told string
	}{
		{"another tool", prompt.Call{ID: "c", Name: "delete_all", Arguments: `{"query":"x"}`}, "no such tool"},
		{"a name that is none", prompt.Call{ID: "c", Name: "search knowledge\n", Arguments: `{"query":"x"}`}, "no such tool"},
		{"no arguments", prompt.Call{ID: "c", Name: "search_knowledge"}, "must be a JSON object"},
		{"broken JSON", prompt.Call{ID: "c", Name: "search_knowledge", Arguments: `{"query":"x`}, "must be a JSON object"},
		{"two values", prompt.Call{ID: "c", Name: "search_knowledge", Arguments: `{"query":"x"}{"query":"y"}`}, "must be a JSON object"},
		{"a string", prompt.Call{ID: "c", Name: "search_knowledge", Arguments: `"x"`}, "must be a JSON object"},
		{"null", prompt.Call{ID: "c", Name: "search_knowledge", Arguments: `null`}, "must be a JSON object"},
		{"a query that is null", prompt.Call{ID: "c", Name: "search_knowledge", Arguments: `{"query":null}`}, "must be a JSON object"},
		{"a query that is a number", prompt.Call{ID: "c", Name: "search_knowledge", Arguments: `{"query":7}`}, "must be a JSON object"},
		{"arguments of its own", prompt.Call{ID: "c", Name: "search_knowledge", Arguments: `{"query":"x","chatbot":"cb_2"}`}, "must be a JSON object"},
		{"deep nesting", prompt.Call{ID: "c", Name: "search_knowledge", Arguments: strings.Repeat("[", 8000)}, "must be a JSON object"},
		{"an empty query", search("c", ""), "is empty"},
		{"a query that nobody sees", search("c", " \u200b\n"), "is empty"},
		{"a query that is too long", search("c", long[:2000]), "query is too long"},
		{"arguments that are too long", search("c", long), "arguments are too long"},
	} {
		t.Run(c.is+" is answered by what is wrong with it", func(t *testing.T) {
			model, knows, hears := script(calls("", c.call), answers("Yes.")), &shelf{}, &heard{}
			asked := composed(bot, model, nil, "When?")
			if _, err := converse(t.Context(), pipeline(knows, model), model, bot, asked, hears); err != nil {
				t.Fatal(err)
			}
			second := (*model.asked)[1]
			told := toolMessages(second)
			if len(knows.asked) != 0 || len(told) != 1 || !strings.Contains(told[0].Text, c.told) || told[0].CallID != "c" {
				t.Errorf("%d searches; it was told %+v", len(knows.asked), told)
			}
			if call := second.Messages[2].Calls[0]; call.Arguments != "{}" || !isName(call.Name) {
				t.Errorf("the prompt repeats %+v", call)
			}
			if !slices.Equal(hears.events, []string{"(Going on with the answer.)", "Yes."}) {
				t.Errorf("heard %q", hears.events)
			}
		})
	}

	t.Run("ids that are missing, equal or none are replaced, each by another", func(t *testing.T) {
		ids := []string{"", "c", "c", "call00000"}
		next := []string{"c", "no id\n", strings.Repeat("x", 200), "call00001"}
		var first, second []prompt.Call
		for i := range ids {
			first, second = append(first, search(ids[i], "x")), append(second, search(next[i], "x"))
		}
		model := script(calls("", first...), calls("", second...), answers("Yes."))
		asked := composed(bot, model, nil, "When?")
		if _, err := converse(t.Context(), pipeline(&shelf{}, model), model, bot, asked, &heard{}); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, m := range toolMessages((*model.asked)[2]) {
			if seen[m.CallID] || !isName(m.CallID) {
				t.Errorf("id %q", m.CallID)
			}
			seen[m.CallID] = true
		}
		if len(seen) != 8 {
			t.Errorf("the ids are %v", seen)
		}
	})

	t.Run("a query is shown cleaned and shortened", func(t *testing.T) {
		model, hears := script(calls("", search("c", "po\u200bol\nand "+strings.Repeat("ä", 200))), answers("Yes.")), &heard{}
		asked := composed(bot, model, nil, "When?")
		if _, err := converse(t.Context(), pipeline(&shelf{}, model), model, bot, asked, hears); err != nil {
			t.Fatal(err)
		}
		if want := "(Searching the knowledge for “pool and " + strings.Repeat("ä", 70) + "…”.)"; hears.events[0] != want {
			t.Errorf("heard %q", hears.events[0])
		}
	})
}
