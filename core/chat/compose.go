package chat

import (
	"strings"

	"parley/core/chatbot"
	"parley/core/retrieval"
)

// compose makes the prompt within the model's budget, and returns the passages
// that went in, best first: their order numbers the citations. Their texts are
// clean, as the model is given them.
//
// The instructions and the question always go in, then passages as long as
// there is room, each whole or not at all, and then the history from its end, by
// questions with their answers. The query is the question as it was searched
// for.
func compose(bot *chatbot.Chatbot, model Model, passages []retrieval.Result, history []Message, question, query string) (Prompt, []retrieval.Result) {
	prompt := Prompt{
		Question: question, NoAnswer: bot.NoAnswer, Temperature: bot.Temperature,
		MaxTokens: answerTokens(bot, model.Traits().Context),
	}
	if prompt.NoAnswer == "" {
		prompt.NoAnswer = defaultNoAnswer
	}
	if model.Traits().Tools {
		prompt.Tools = []Tool{searchTool}
	}
	system := instructions(bot, prompt.NoAnswer, len(prompt.Tools) > 0)
	asked := defuse(question)
	left := newBudget(model, bot)
	left.spend(system, reminder(bot, len(passages)), asked)
	for _, tool := range prompt.Tools {
		left.spend(tool.Name, tool.Description, tool.Parameters)
	}

	given, texts := choosePassages(left, passages, 1)
	earlier, all := recent(left, history)
	if !all && query != question && left.take(query) {
		asked += "\n(That is: " + defuse(query) + ")"
	}
	prompt.Passages = given
	prompt.Messages = append(prompt.Messages, PromptMessage{Role: SystemRole, Text: system})
	prompt.Messages = append(prompt.Messages, earlier...)
	last := withPassages(texts, reminder(bot, len(given)), asked)
	prompt.Messages = append(prompt.Messages, PromptMessage{Role: UserRole, Text: last})
	keepOnce(given, last)
	return prompt, given
}

// keepOnce makes the texts of passages parts of the message that holds them: a
// stream that stays open keeps both.
func keepOnce(passages []retrieval.Result, message string) {
	for i := range passages {
		text := &passages[i].Text
		if at := strings.Index(message, *text); at >= 0 {
			*text = message[at : at+len(*text)]
			message = message[at+len(*text):]
		}
	}
}

// choosePassages returns the passages that there is room for, and these as the model
// is given them, numbered from first on.
func choosePassages(left *budget, passages []retrieval.Result, first int) (given []retrieval.Result, texts []string) {
	given, texts = make([]retrieval.Result, 0, len(passages)), make([]string, 0, len(passages))
	for _, p := range passages {
		p.Text = cleanPassage(p.Text)
		text := delimited(first+len(given), p)
		if left.take(text) {
			given = append(given, p)
			texts = append(texts, text)
		}
	}
	return given, texts
}

// withPassages is the last message: passages, what is to be kept to, question.
func withPassages(texts []string, reminder, asked string) string {
	parts := make([]string, 0, len(texts)+3)
	if len(texts) > 0 {
		parts = append(parts, "Passages:")
	}
	parts = append(parts, texts...)
	if reminder != "" {
		parts = append(parts, reminder)
	}
	if len(parts) == 0 {
		return asked
	}
	return strings.Join(append(parts, "Question:\n"+asked), "\n\n")
}

// recent returns the end of a history, oldest first: as many questions with
// their answers as there is room for, and whether that was all.
func recent(left *budget, history []Message) (messages []PromptMessage, all bool) {
	from := len(history)
	for from > 0 {
		start := lastQuestion(history[:from])
		if start < 0 {
			// The question of what stands here is further back than the
			// history goes, and models want a question first.
			break
		}
		exchange := said(history[start:from])
		texts := make([]string, len(exchange))
		for i, m := range exchange {
			texts[i] = m.Text
		}
		if !left.take(texts...) {
			return messages, false
		}
		messages = append(exchange, messages...)
		from = start
	}
	return messages, true
}

func lastQuestion(history []Message) int {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Role == User {
			return i
		}
	}
	return -1
}

// said are messages as a prompt has them. An answer that failed before its
// first word is none.
func said(history []Message) []PromptMessage {
	var messages []PromptMessage
	for _, m := range history {
		message := PromptMessage{Role: UserRole, Text: m.Content}
		if m.Role == Assistant {
			message = PromptMessage{Role: AssistantRole, Text: uncited(m.Content)}
		}
		if message.Text = defuse(message.Text); message.Text != "" {
			messages = append(messages, message)
		}
	}
	return messages
}

// uncited is an earlier answer without its citations: their numbers are those
// of passages that were given then.
func uncited(answer string) string {
	if !strings.ContainsAny(answer, "[［【") {
		return answer
	}
	citations := newCitations(nil)
	return citations.write(answer) + citations.end()
}
