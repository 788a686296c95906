// Package stats sums up what chatbots do, day by day: a roller folds the usage
// records of answers that have ended, and the feedback on them, into a row for
// each chatbot and day, from which reports are made. No question waits for it.
//
// It counts nothing of the playground. Days begin and end at midnight UTC.
package stats

import (
	"slices"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/internal/plain"
)

// Day is what a chatbot did on one day.
type Day struct {
	// Date is such as 2026-11-22.
	Date          string
	Conversations int
	// Questions counts each question once. An answer that is begun again has an
	// outcome for each attempt.
	Questions, Answered, NoAnswer, Failed, Stopped int
	// ThumbsUp and ThumbsDown are of feedback that was given on the day.
	ThumbsUp, ThumbsDown           int
	PromptTokens, CompletionTokens int
	FirstText                      Histogram
	// Hours counts questions by the hour, UTC.
	Hours [24]int
	Users Sketch
}

// Add adds what happened on the same day, or on another.
func (d *Day) Add(more *Day) {
	d.Conversations += more.Conversations
	d.Questions += more.Questions
	d.Answered += more.Answered
	d.NoAnswer += more.NoAnswer
	d.Failed += more.Failed
	d.Stopped += more.Stopped
	d.ThumbsUp += more.ThumbsUp
	d.ThumbsDown += more.ThumbsDown
	d.PromptTokens += more.PromptTokens
	d.CompletionTokens += more.CompletionTokens
	d.FirstText.add(&more.FirstText)
	for hour, n := range more.Hours {
		d.Hours[hour] += n
	}
	d.Users.Merge(more.Users)
}

// Record is a usage record that is not counted yet, with the facts of its
// answer.
type Record struct {
	ID                     int64
	WorkspaceID, ChatbotID string
	// Counts is false for one of the playground, and of a chatbot that is gone.
	Counts bool
	// ConversationID is zero for a record from before it was kept.
	ConversationID, MessageID int64
	Attempt                   int
	Opens                     bool
	Outcome                   chat.Outcome
	// ExternalUserID is empty when there is none, or the conversation is gone.
	ExternalUserID                 string
	PromptTokens, CompletionTokens int
	// FirstText is zero if there was no text.
	FirstText time.Duration
	// Citations are the cited ones of an answer that is still there, with their
	// documents, titles and headings alone.
	Citations []answer.Citation
	At        time.Time
}

// count adds a record to its day.
func (d *Day) count(r *Record) {
	if r.Attempt == 1 {
		d.Questions++
		d.Hours[r.At.UTC().Hour()]++
		if r.Opens {
			d.Conversations++
		}
	}
	switch r.Outcome {
	case chat.Answered:
		d.Answered++
	case chat.NoAnswer:
		d.NoAnswer++
	case chat.OutcomeFailed:
		d.Failed++
	default:
		d.Stopped++
	}
	d.PromptTokens += r.PromptTokens
	d.CompletionTokens += r.CompletionTokens
	if r.FirstText > 0 {
		d.FirstText.Observe(r.FirstText)
	}
	if r.ExternalUserID != "" {
		d.Users.Add(r.ChatbotID + "\x00" + r.ExternalUserID)
	}
}

// maxTopic is the length of the longest topic, in characters.
const maxTopic = 200

// topic is the title of the document that the answer cites first, and the heading
// in it: "Returns › Exchanging a size". It is empty if the answer cites nothing.
func (r *Record) topic() string {
	for _, c := range r.Citations {
		if !c.Cited {
			continue
		}
		topic := plain.Line(c.Title)
		for _, heading := range c.HeadingPath {
			if heading = plain.Line(heading); heading != "" && heading != topic {
				topic += " › " + heading
				break
			}
		}
		return plain.Shorten(topic, maxTopic)
	}
	return ""
}

// documents are those that the answer cites, each once.
func (r *Record) documents() (ids []string) {
	for _, c := range r.Citations {
		if c.Cited && !slices.Contains(ids, c.DocumentID) {
			ids = append(ids, c.DocumentID)
		}
	}
	return ids
}

// dateOf is the day of a time, and monthOf its month.
func dateOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }
func monthOf(date string) string { return date[:len("2026-11")] }
