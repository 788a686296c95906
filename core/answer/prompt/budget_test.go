package prompt

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/chatbot"
	"parley/text/tokens"
)

func TestBudget(t *testing.T) {
	bot := &chatbot.Chatbot{Instructions: "Be merry."}

	t.Run("nothing is counted when the bytes alone show that all fits", func(t *testing.T) {
		counts := 0
		model := modelWith(1 << 17)
		model.counts = &counts
		_, given := compose(bot, model, passages(5, 1200), history(5, 1500), "Why?", "Why?")
		if counts != 0 || len(given) != 5 {
			t.Errorf("%d counts, %d passages", counts, len(given))
		}
	})

	t.Run("what bytes say does not fit is counted, each text once", func(t *testing.T) {
		counts := 0
		model := modelWith(16 << 10)
		model.counts = &counts
		prompt, given := compose(bot, model, passages(5, 1200), history(5, 1500), "Why?", "Why?")
		if len(given) != 5 || len(prompt.Messages) != 12 {
			t.Errorf("%d passages and %d messages went in", len(given), len(prompt.Messages))
		}
		if texts := 3 + 5 + 10; counts == 0 || counts > texts {
			t.Errorf("%d counts of %d texts", counts, texts)
		}
	})

	t.Run("passages go before the history, whole and the best first", func(t *testing.T) {
		prompt, given := compose(bot, modelWith(4096), passages(5, 1600), history(5, 400), "Why?", "Why?")
		if len(given) != 5 || len(prompt.Messages) == 12 {
			t.Errorf("%d passages and %d messages went in", len(given), len(prompt.Messages))
		}
		few, given := compose(bot, modelWith(1900), passages(5, 1200), history(5, 400), "Why?", "Why?")
		if len(given) == 0 || len(given) == 5 || given[0].ID != 1 || given[len(given)-1].ID != int64(len(given)) {
			t.Errorf("got %+v", given)
		}
		wantPassages(t, lastOf(few), len(given))
	})

	t.Run("a passage that does not fit gives way to a smaller one, which gets its number", func(t *testing.T) {
		mixed := append(passages(1, 40_000), passages(2, 400)...)
		prompt, given := compose(bot, modelWith(4096), mixed, nil, "Why?", "Why?")
		if len(given) != 2 || !strings.Contains(lastOf(prompt), "<passage id=\"1\" source=\"Hours\">\nPassage no. 1.") {
			t.Errorf("got %+v", prompt)
		}
	})

	t.Run("the history loses its oldest questions with their answers", func(t *testing.T) {
		prompt, _ := compose(bot, modelWith(4096), nil, history(9, 1600), "Why?", "Why?")
		kept := prompt.Messages[1 : len(prompt.Messages)-1]
		if len(kept) == 0 || len(kept) == 18 || len(kept)%2 != 0 {
			t.Fatalf("%d messages were kept", len(kept))
		}
		if first := fmt.Sprintf("question %d ", 10-len(kept)/2); kept[0].Role != UserRole || !strings.HasPrefix(kept[0].Text, first) {
			t.Errorf("the first is %.20q, not %q", kept[0].Text, first)
		}
		if !strings.HasPrefix(kept[len(kept)-1].Text, "answer 9 ") {
			t.Errorf("the last is %.20q", kept[len(kept)-1].Text)
		}
	})

	t.Run("a follow-up question also has its rewritten form when history was cut off", func(t *testing.T) {
		long, _ := compose(bot, modelWith(4096), nil, history(9, 1600), "And there?", "Is the pool open on Sundays?")
		short, _ := compose(bot, modelWith(4096), nil, history(1, 40), "And there?", "Is the pool open on Sundays?")
		if !strings.Contains(lastOf(long), "And there?\n(That is: Is the pool open on Sundays?)") || strings.Contains(lastOf(short), "pool") {
			t.Errorf("got %q and %q", lastOf(long), lastOf(short))
		}
	})

	t.Run("a question that fills the context is not cut, and goes alone", func(t *testing.T) {
		question := strings.Repeat("Why? ", 4000)
		prompt, given := compose(bot, modelWith(4096), passages(5, 400), history(2, 400), question, question)
		if len(given) != 0 || len(prompt.Messages) != 2 || !strings.HasSuffix(lastOf(prompt), question) {
			t.Errorf("%d passages and %d messages went in", len(given), len(prompt.Messages))
		}
	})

	t.Run("a model that says nothing of its context is given everything", func(t *testing.T) {
		prompt, given := compose(bot, modelWith(0), passages(9, 9000), history(9, 9000), "Why?", "Why?")
		if len(given) != 9 || len(prompt.Messages) != 20 {
			t.Errorf("%d passages and %d messages went in", len(given), len(prompt.Messages))
		}
	})

	t.Run("whatever is asked, prompt and answer are within the context", rapid.MakeCheck(neverTooMuch))
}

// neverTooMuch holds whenever instructions and question leave some room.
func neverTooMuch(t *rapid.T) {
	size := rapid.IntRange(1, 12_000)
	model := modelWith(rapid.IntRange(2048, 40_000).Draw(t, "context"))
	model.tools = rapid.Bool().Draw(t, "tools")
	bot := &chatbot.Chatbot{Instructions: strings.Repeat("i", rapid.IntRange(0, 1000).Draw(t, "instructions"))}
	bot.MaxAnswerTokens = rapid.IntRange(0, 8192).Draw(t, "answer")
	all := passages(0, 0)
	for range rapid.IntRange(0, 8).Draw(t, "passages") {
		all = append(all, passages(1, 20+size.Draw(t, "passage"))...)
	}
	var before []Message
	for range rapid.IntRange(0, 8).Draw(t, "exchanges") {
		before = append(before, history(1, 20+size.Draw(t, "message"))...)
	}
	question := strings.Repeat("w", rapid.IntRange(1, 300).Draw(t, "question"))
	prompt, given := compose(bot, model, all, before, question, question)

	reserve := prompt.MaxTokens
	if reserve == 0 {
		reserve = min(4096, model.context/4)
	}
	if sum := tokensOf(model, prompt) + reserve; sum > model.context {
		t.Errorf("%d tokens of %d", sum, model.context)
	}
	kept := prompt.Messages[1 : len(prompt.Messages)-1]
	for i, m := range kept {
		if want := before[len(before)-len(kept)+i]; m.Text != want.Text {
			t.Errorf("message %d is %.30q, not %.30q", i, m.Text, want.Text)
		}
	}
	for i, p := range given {
		if !strings.Contains(lastOf(prompt), fmt.Sprintf("<passage id=\"%d\" source=\"Hours\">\n%s\n</passage>", i+1, p.Text)) {
			t.Errorf("passage %d is not there whole", i+1)
		}
	}
}

func BenchmarkCompose(b *testing.B) {
	prose := strings.Repeat("The shop on the market square is open from nine to five, except on holidays. ", 20)[:1300]
	five := passages(5, 40)
	for i := range five {
		five[i].Text = prose
	}
	earlier := history(5, 40)
	for i := range earlier {
		earlier[i].Text = prose[:800]
	}
	bot := &chatbot.Chatbot{Instructions: "Be merry."}
	for name, context := range map[string]int{"128k, nothing counted": 1 << 17, "8k, counted": 1 << 13} {
		for turn, before := range map[string][]Message{"first": nil, "sixth": earlier} {
			b.Run(name+"/"+turn, func(b *testing.B) {
				b.ReportAllocs()
				model := modelWith(context)
				model.count = tokens.Count
				for b.Loop() {
					compose(bot, model, five, before, "When is it open?", "When is it open?")
				}
			})
		}
	}
}
