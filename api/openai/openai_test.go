package openai

import (
	"testing"

	"github.com/go-json-experiment/json"
)

// asked reads a chat completion's question.
func asked(t *testing.T, body string) *Question {
	t.Helper()
	var request CompletionRequest
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatal(err)
	}
	q, err := request.Question()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestWhatIsSaidBeforeAQuestion(t *testing.T) {
	t.Parallel()
	q := asked(t, `{"messages":[{"role":"system","content":"One."},{"role":"user","content":"First?"},{"role":"assistant","content":null,"tool_calls":[{}]},{"role":"tool","content":"x"},
		{"role":"assistant","content":"Yes."},{"role":"user","content":"Unanswered?"},{"role":"user","content":"Last?"},{"role":"developer","content":"Two."}]}`)
	said := ""
	for _, m := range q.History {
		said += string(m.Role) + ": " + m.Text + "\n"
	}
	if q.Text != "Last?" || q.Context != "One.\n\nTwo." || said != "user: First?\nassistant: Yes.\nuser: Unanswered?\n" {
		t.Errorf("the question is %q after %q, with %q", q.Text, said, q.Context)
	}
}

func TestTasksOfOpenWebUI(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n<chat_history>\nUSER: When do\nyou open?\nASSISTANT: At seven.\n</chat_history>": `{"title":"When do you open?"}`,
		"### Task:\nGenerate a concise, 3-5 word title.":                                                     `{"title":"New chat"}`,
		"### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.":               `{"tags":["General"]}`,
		"### Task:\nSuggest 3-5 relevant follow-up questions or prompts.":                                    `{"follow_ups":[]}`,
		"### Task:\nAnalyze the chat history to determine the necessity of generating search queries.":       `{"queries":[]}`,
		"### Task:\nYou are an autocompletion system.":                                                       `{"text":""}`,
		"### Task:\nRespond to the user query using the provided context.\n- Do not use XML tags or a title": "",
		"What is a ### Task:\nGenerate a title":                                                              "",
	} {
		q := &Question{Text: text}
		ended, is := q.Task()
		if is != (want != "") || ended.Text != want {
			t.Errorf("%q is answered %q", text, ended.Text)
		}
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{"": true, "chatbot": true, "Baker's Chatbot": true, "baker's chatbot ": true, "gpt-5": false, "Chatbot": false} {
		if err := CheckModel(name, "Baker's chatbot"); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
