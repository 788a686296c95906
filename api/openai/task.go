package openai

import (
	"strings"

	"github.com/go-json-experiment/json"

	"parley/core/answer"
	"parley/core/chat"
)

// taskStart is how Open WebUI begins what it asks a model to do for itself.
const taskStart = "### Task:"

// tasks are what Open WebUI asks for besides answers, by words in the first line of its
// prompts, with what it gets. None of them is about the knowledge, so none is answered
// from it, and none reaches the model: what begins like one must be no way to use the
// owner's model for anything else.
var tasks = []struct {
	begins, has string
	answer      func(subject string) any
}{
	{"Generate", "title", func(subject string) any { return map[string]string{"title": subject} }},
	{"Generate", "tags", func(string) any { return map[string][]string{"tags": {"General"}} }},
	{"Suggest", "follow-up", func(string) any { return map[string][]string{"follow_ups": {}} }},
	{"Analyze", "search queries", func(string) any { return map[string][]string{"queries": {}} }},
	{"You are", "autocompletion", func(string) any { return map[string]string{"text": ""} }},
}

// Task answers a prompt of Open WebUI for a title, for tags and the like, and reports whether
// the question is one. What else begins so is a question: Open WebUI puts one with its
// own passages, too.
func (q *Question) Task() (Ended, bool) {
	rest, is := strings.CutPrefix(strings.TrimSpace(q.Text), taskStart)
	if !is {
		return Ended{}, false
	}
	line, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	for _, task := range tasks {
		if !strings.HasPrefix(line, task.begins) || !strings.Contains(line, task.has) {
			continue
		}
		_, said, _ := strings.Cut(rest, "<chat_history>")
		text, err := json.Marshal(task.answer(q.subject(said)), json.Deterministic(true))
		if err != nil {
			return Ended{}, false
		}
		return Ended{Text: string(text), Finish: answer.FinishStop, Status: chat.Complete, Outcome: chat.Answered}, true
	}
	return Ended{}, false
}

// subject is what a chat is about: its first question.
func (q *Question) subject(history string) string {
	if _, said, found := strings.Cut(history, "USER:"); found {
		said, _, _ = strings.Cut(said, "</chat_history>")
		said, _, _ = strings.Cut(said, "\nASSISTANT:")
		if title := chat.TitleOf(said); title != "" {
			return title
		}
	}
	for _, m := range q.History {
		if title := chat.TitleOf(m.Text); title != "" {
			return title
		}
	}
	return "New chat"
}
