package harness

import "regexp"

// story is a default stream, read to its end.
type story struct {
	Conversation int64
	// Kinds are the types of its events, each once in a row.
	Kinds     string
	Text      string
	Formatted Event
	Failures  []Event
}

// order is what the specification says about events, and an error that takes
// the place of what is left.
var order = regexp.MustCompile(`^conversation (waiting )*((delta )?(formatted )?|(delta )?(waiting )*(error ))\[DONE\] $`)

// Story reads a stream and checks its order.
func (w *Instance) Story(stream *Events) story {
	w.Helper()
	stream.t = w.T
	var s story
	last := ""
	for _, e := range stream.Rest() {
		if e.Done {
			e.Type = "[DONE]"
		}
		if e.Type != last || e.Type == "[DONE]" || e.Type == "error" || e.Type == "formatted" || e.Type == "conversation" {
			s.Kinds += e.Type + " "
		}
		last = e.Type
		switch e.Type {
		case "conversation":
			s.Conversation = e.ConversationID
		case "waiting":
			if e.Content == "" {
				w.Error("a waiting event says nothing")
			}
		case "delta":
			if e.Content == "" {
				w.Error("a delta is empty")
			}
			s.Text += e.Content
		case "formatted":
			s.Formatted = e
		case "error":
			s.Failures = append(s.Failures, e)
		}
	}
	if !order.MatchString(s.Kinds) {
		w.Errorf("the events are out of order: %s", s.Kinds)
	}
	return s
}
