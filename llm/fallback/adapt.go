package fallback

import (
	"parley/core/answer"
	"parley/core/answer/prompt"
)

// suits reports whether a model can answer a prompt. A model that is not a
// language model answers from the parts of a question: it cannot follow free-form
// instructions, such as to rewrite a question.
func suits(asked prompt.Prompt, traits answer.Traits) bool {
	return traits.Language || asked.Question != ""
}

// adapted returns a prompt for a model that may lack tools: it turns the tools'
// results so far into ordinary text.
func adapted(asked prompt.Prompt, traits answer.Traits) prompt.Prompt {
	if traits.Tools {
		return asked
	}
	asked.Tools = nil
	messages := make([]prompt.Message, 0, len(asked.Messages))
	for _, message := range asked.Messages {
		switch {
		case message.Role == prompt.ToolRole:
			message = prompt.Message{Role: prompt.UserRole, Text: message.Text}
		case len(message.Calls) > 0 && message.Text == "":
			continue
		}
		message.Calls = nil
		messages = append(messages, message)
	}
	asked.Messages = messages
	return asked
}
