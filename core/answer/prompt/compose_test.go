package prompt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"parley/core/chatbot"
	"parley/core/retrieval"
)

// sized is a model with a context, in which a token has four bytes.
type sized struct {
	context int
	tools   bool
	counts  *int
	// count, unless nil, counts in its place.
	count func(text string) int
}

func (m sized) Count(text string) int {
	if m.counts != nil {
		*m.counts++
	}
	if m.count != nil {
		return m.count(text)
	}
	return (len(text) + 3) / 4
}

// searchTool is one that a model may be offered.
var searchTool = Tool{Name: "search_knowledge", Description: strings.Repeat("d", 120), Parameters: strings.Repeat("p", 200)}

// compose composes a prompt for a model.
func compose(bot *chatbot.Chatbot, model sized, passages []retrieval.Result, history []Message, question, query string) (Prompt, []retrieval.Result) {
	asked := Question{Text: question, Query: query, Bot: bot, Passages: passages, History: history}
	if model.tools {
		asked.Tools = []Tool{searchTool}
	}
	return Compose(asked, Window{Tokens: model.context, Count: model.Count})
}

func modelWith(context int) sized { return sized{context: context} }

func passages(n, bytes int) []retrieval.Result {
	var all []retrieval.Result
	for i := range n {
		text := fmt.Sprintf("Passage no. %d. ", i+1)
		all = append(all, found(retrieval.Passage{ID: int64(i + 1), Title: "Hours", Text: text + strings.Repeat("x", bytes-len(text))}))
	}
	return all
}

func history(n, bytes int) []Message {
	var all []Message
	for i := range n {
		question, answer := fmt.Sprintf("question %d ", i+1), fmt.Sprintf("answer %d ", i+1)
		all = append(all,
			Message{Role: UserRole, Text: question + strings.Repeat("q", bytes-len(question))},
			Message{Role: AssistantRole, Text: answer + strings.Repeat("a", bytes-len(answer))})
	}
	return all
}

func tokensOf(model sized, prompt Prompt) int {
	sum := 0
	for _, m := range prompt.Messages {
		sum += model.Count(m.Text) + 4
	}
	return sum
}

func lastOf(prompt Prompt) string { return prompt.Messages[len(prompt.Messages)-1].Text }

func TestCompose(t *testing.T) {
	bot := &chatbot.Chatbot{Instructions: "Be merry.", NoAnswer: "Ask at the desk."}

	t.Run("instructions come first, then the history, then passages, a reminder and the question", func(t *testing.T) {
		prompt, given := compose(bot, modelWith(1<<17), passages(2, 40), history(1, 40), "When is it open?", "When is it open?")
		var roles []Role
		for _, m := range prompt.Messages {
			roles = append(roles, m.Role)
		}
		if !slices.Equal(roles, []Role{SystemRole, UserRole, AssistantRole, UserRole}) || len(given) != 2 {
			t.Fatalf("got %v with %d passages", roles, len(given))
		}
		last, at := lastOf(prompt), 0
		for _, part := range []string{`<passage id="1" source="Hours">`, "Passage no. 1.", "</passage>", `<passage id="2"`, "</passage>", "They are data", "Be merry.", "Question:\nWhen is it open?"} {
			next := strings.Index(last[at:], part)
			if next < 0 {
				t.Fatalf("%q does not follow in\n%s", part, last)
			}
			at += next + len(part)
		}
		if at != len(last) {
			t.Errorf("after the question comes %q", last[at:])
		}
		system := prompt.Messages[0].Text
		if !strings.Contains(system, "[1]") || !strings.Contains(system, "Be merry.") || !strings.Contains(system, bot.NoAnswer) {
			t.Errorf("the instructions are %q", system)
		}
	})

	t.Run("the prompt of a strict chatbot says to say nothing else, that of an open one does not", func(t *testing.T) {
		strict := *bot
		strict.Grounding = chatbot.Strict
		told, _ := compose(&strict, modelWith(1<<17), nil, nil, "Why?", "Why?")
		open, _ := compose(bot, modelWith(1<<17), nil, nil, "Why?", "Why?")
		if !strings.Contains(told.Messages[0].Text, onlyPassages+bot.NoAnswer) || !strings.Contains(lastOf(told), "No passage was found") {
			t.Errorf("strict: %q", told.Messages)
		}
		if strings.Contains(open.Messages[0].Text, onlyPassages) || !strings.Contains(open.Messages[0].Text, passagesFirst+bot.NoAnswer) {
			t.Errorf("open: %q", open.Messages)
		}
	})

	t.Run("the date and the language to answer in stand behind what providers can reuse", func(t *testing.T) {
		asked := Question{Text: "Wann ist das Schwimmbad morgen auf?", Bot: bot, Passages: passages(1, 40), Date: time.Date(2026, 11, 26, 23, 30, 0, 0, time.FixedZone("", -3600))}
		prompt, _ := Compose(asked, Window{})
		last := lastOf(prompt)
		for _, part := range []string{"Today is Friday, 27 November 2026 (UTC).", "Answer the question in German"} {
			if !strings.Contains(last, part) || strings.Index(last, part) > strings.Index(last, "Question:") || strings.Contains(prompt.Messages[0].Text, part) {
				t.Errorf("%q is not where it should be in %q", part, prompt.Messages)
			}
		}
		asked.Text = "Parkplatz?"
		if prompt, _ = Compose(asked, Window{}); !strings.Contains(lastOf(prompt), "in its own language") {
			t.Errorf("got %q", lastOf(prompt))
		}
	})

	t.Run("long instructions are not repeated word by word", func(t *testing.T) {
		long := *bot
		long.Instructions = strings.Repeat("Be merry. ", 100)
		prompt, _ := compose(&long, modelWith(1<<17), passages(1, 40), nil, "Why?", "Why?")
		if strings.Contains(lastOf(prompt), "merry") || !strings.Contains(lastOf(prompt), "what the business added above") {
			t.Errorf("the last message is %q", lastOf(prompt))
		}
	})

	t.Run("the prompt carries the chatbot's settings and its parts", func(t *testing.T) {
		warm, set := 0.7, *bot
		set.Temperature, set.MaxAnswerTokens, set.NoAnswer = &warm, 300, ""
		prompt, _ := compose(&set, modelWith(1<<17), passages(1, 40), nil, "Why?", "Why?")
		if prompt.Temperature != &warm || prompt.MaxTokens != 300 || prompt.NoAnswer != NoAnswer(&set, "", "") || prompt.Question != "Why?" || len(prompt.Passages) != 1 {
			t.Errorf("got %+v", prompt)
		}
	})

	t.Run("a bound of the answer leaves half of the context to the prompt", func(t *testing.T) {
		set := *bot
		set.MaxAnswerTokens = 1 << 20
		if prompt, _ := compose(&set, modelWith(8192), nil, nil, "Why?", "Why?"); prompt.MaxTokens != 4096 {
			t.Errorf("got %d", prompt.MaxTokens)
		}
	})

	t.Run("tools are offered, and spoken of, to models that have them only", func(t *testing.T) {
		able := modelWith(1 << 17)
		able.tools = true
		with, _ := compose(bot, able, nil, nil, "Why?", "Why?")
		without, _ := compose(bot, modelWith(1<<17), nil, nil, "Why?", "Why?")
		if len(with.Tools) != 1 || !strings.Contains(with.Messages[0].Text, searchTool.Name) {
			t.Errorf("with tools: %+v", with)
		}
		if len(without.Tools) != 0 || strings.Contains(without.Messages[0].Text, searchTool.Name) {
			t.Errorf("without: %+v", without)
		}
	})

	t.Run("the passages that went in are clean, in the order of their numbers", func(t *testing.T) {
		dirty := passages(3, 40)
		dirty[1].Text = "se\u200bcret"
		_, given := compose(bot, modelWith(1<<17), dirty, nil, "Why?", "Why?")
		if len(given) != 3 || given[1].Text != "secret" || given[1].ID != 2 {
			t.Errorf("got %+v", given)
		}
		if dirty[1].Text != "se\u200bcret" {
			t.Error("the caller's passages were changed")
		}
	})

	t.Run("a prompt that shrinks loses the passages' texts, and nothing else", func(t *testing.T) {
		five := passages(5, 400)
		before := []Message{{Role: UserRole, Text: "And then?"}, {Role: AssistantRole, Text: "This."}}
		prompt, _ := compose(bot, modelWith(1<<17), five, before, "Why?", "Why?")
		whole := slices.Clone(prompt.Messages)
		taken := prompt.Shrink()
		if len(taken) != len(five) {
			t.Fatalf("%d texts were taken out", len(taken))
		}
		last := whole[len(whole)-1].Text
		for i, text := range taken {
			if text != five[i].Text {
				t.Errorf("text %d is %q", i, text)
			}
			last = strings.Replace(last, text, "", 1)
		}
		if lastOf(prompt) != last || !slices.EqualFunc(prompt.Messages[:3], whole[:3], func(a, b Message) bool { return a.Text == b.Text }) {
			t.Errorf("what is left is %+v", prompt.Messages)
		}
		if again := prompt.Shrink(); len(again) > 0 {
			t.Errorf("a second time took %q", again)
		}
	})

	t.Run("with tools, the texts of passages are those in the message, not copies of them", func(t *testing.T) {
		five := passages(5, 400)
		model := modelWith(1 << 17)
		model.tools = true
		prompt, given := compose(bot, model, five, nil, "Why?", "Why?")
		message := lastOf(prompt)
		from := uintptr(unsafe.Pointer(unsafe.StringData(message)))
		for i, p := range given {
			at := uintptr(unsafe.Pointer(unsafe.StringData(p.Text)))
			if p.Text != five[i].Text || at < from || at >= from+uintptr(len(message)) {
				t.Errorf("passage %d is kept twice", i+1)
			}
		}
	})

	t.Run("no document, question or message pretends to be a passage", func(t *testing.T) {
		for _, attempt := range attempts {
			hostile := passages(2, 40)
			hostile[0].Text, hostile[1].Title = attempt, attempt
			before := []Message{{Role: UserRole, Text: attempt}, {Role: AssistantRole, Text: attempt}}
			prompt, _ := compose(bot, modelWith(1<<17), hostile, before, attempt, attempt)
			var all strings.Builder
			for _, m := range prompt.Messages {
				all.WriteString(m.Text + "\n")
			}
			wantPassages(t, all.String(), 2)
			if prompt.Question != attempt {
				t.Errorf("the question became %q", prompt.Question)
			}
		}
	})

	t.Run("an answer that failed before its first word is left out", func(t *testing.T) {
		before := []Message{{Role: UserRole, Text: "When?"}, {Role: AssistantRole}, {Role: UserRole, Text: "Where?"}, {Role: AssistantRole, Text: "Here."}}
		prompt, _ := compose(bot, modelWith(1<<17), nil, before, "Why?", "Why?")
		var texts []string
		for _, m := range prompt.Messages[1:] {
			texts = append(texts, m.Text)
		}
		if !slices.Equal(texts, []string{"When?", "Where?", "Here.", "Why?"}) {
			t.Errorf("got %q", texts)
		}
	})

	t.Run("an answer whose question is not there any more is left out", func(t *testing.T) {
		prompt, _ := compose(bot, modelWith(1<<17), nil, history(2, 40)[1:], "Why?", "Why?")
		if len(prompt.Messages) != 4 || prompt.Messages[1].Role != UserRole {
			t.Errorf("got %+v", prompt.Messages)
		}
	})
}
