package fallback

import "parley/core/chat"

// suits reports whether a model can make anything of a prompt. One that is no
// language model answers from the parts of a question; what is asked in words
// only, such as to rewrite a question, is not for it.
func suits(prompt chat.Prompt, traits chat.Traits) bool {
	return traits.Language || prompt.Question != ""
}

// adapted is a prompt for a model that may lack tools: what they have brought
// so far becomes part of the talk.
func adapted(prompt chat.Prompt, traits chat.Traits) chat.Prompt {
	if traits.Tools {
		return prompt
	}
	prompt.Tools = nil
	messages := make([]chat.PromptMessage, 0, len(prompt.Messages))
	for _, message := range prompt.Messages {
		switch {
		case message.Role == chat.ToolRole:
			message = chat.PromptMessage{Role: chat.UserRole, Text: message.Text}
		case len(message.Calls) > 0 && message.Text == "":
			continue
		}
		message.Calls = nil
		messages = append(messages, message)
	}
	prompt.Messages = messages
	return prompt
}
