package api

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/core/answer"
	"parley/core/chat/turn"
	"parley/text/markdown"
)

// The beginnings and ends of events.
const (
	conversationStart = "data: {\"type\":\"conversation\",\"conversation_id\":"
	waitingStart      = "data: {\"type\":\"waiting\",\"content\":"
	deltaStart        = "data: {\"type\":\"delta\",\"content\":"
	eventEnd          = "}\n\n"
	streamDone        = "data: [DONE]\n\n"
)

// writer writes the events of a turn into a stream. It belongs to the goroutine
// that runs the turn.
type writer struct {
	*stream
	// seen is what the reader had of the events after the answer.
	seen turn.Tail
	// settled says that the turn has ended.
	settled bool
}

// begin writes the first event, with the conversation's identifier.
func (w *writer) begin(conversationID int64) {
	w.append(func(b []byte) []byte {
		b = append(w.appendID(b), conversationStart...)
		return append(strconv.AppendInt(b, conversationID, 10), eventEnd...)
	})
}

// event writes an event of the turn: see [stream.offer].
func (w *writer) event(e turn.Event) error {
	start := deltaStart
	if e.Kind == turn.Waiting {
		start = waitingStart
	}
	return w.offer(func(b []byte) []byte {
		// A message about a turn moves nobody, unless it is begun anew.
		if e.Kind == turn.Delta || e.At.Attempt != w.at.Attempt {
			w.at = e.At
		}
		return appendEvent(w.appendID(b), start, e.Text, "")
	})
}

// settle notes that the turn has ended: what is written from now on are its
// last events, and no reader can miss a part of the answer by having them.
func (w *writer) settle(answer turn.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settled = true
	if answer.Attempt != w.at.Attempt { // nothing was written of this one
		w.at = turn.Position{AnswerID: answer.MessageID, Attempt: answer.Attempt}
	}
}

func (w *writer) sources(sources []answer.Citation) {
	w.after(turn.SourcesSent, func(b []byte) []byte {
		return appendObject(b, "data: {\"type\":\"sources\",\"sources\":", mapSlice(sources, citationToWire))
	})
}

func (w *writer) usage(answer turn.Answer) {
	w.after(turn.UsageSent, func(b []byte) []byte {
		return appendObject(b, "data: {\"type\":\"usage\",\"usage\":", usageRecordToWire(answer))
	})
}

func (w *writer) suggestions(questions []string) {
	w.after(turn.SuggestionsSent, func(b []byte) []byte {
		return appendObject(b, "data: {\"type\":\"suggestions\",\"suggestions\":", questions)
	})
}

// inspection is the event of the playground in the place of usage and sources.
func (w *writer) inspection(data inspectionData) {
	w.after(turn.UsageSent, func(b []byte) []byte {
		return appendObject(b, "data: {\"type\":\"inspect\",\"inspect\":", data)
	})
}

func (w *writer) formatted(text string, f markdown.Format) {
	w.after(turn.FormattedSent, func(b []byte) []byte {
		return appendEvent(b, "data: {\"type\":\"formatted\",\"content\":", text, ",\"format\":\""+string(f)+"\"")
	})
}

// fail writes the error event.
func (w *writer) fail(f failure) {
	write := func(b []byte) []byte {
		b = append(b, "data: {\"type\":\"error\",\"error\":"...)
		b = strconv.AppendInt(b, int64(f.code), 10)
		return appendEvent(b, ",\"error_message\":", f.message, ",\"error_code\":\""+string(f.name)+"\"")
	}
	if w.settled {
		w.after(turn.FormattedSent, write)
		return
	}
	// The error is the reader's and not the turn's, which it can resume where
	// it is.
	w.append(func(b []byte) []byte { return write(w.appendID(b)) })
}

// after writes an event that follows the answer, unless the reader has had it.
func (w *writer) after(tail turn.Tail, write func([]byte) []byte) {
	if tail <= w.seen {
		return
	}
	w.append(func(b []byte) []byte {
		w.at.Tail = tail
		return write(w.appendID(b))
	})
}

// end writes the terminal event.
func (w *writer) end() {
	w.mu.Lock()
	if w.settled {
		w.at.Tail = turn.DoneSent
	}
	w.unread = append(w.appendID(w.unread), streamDone...)
	w.ended = true
	w.mu.Unlock()
	signal(w.wake)
}

// offer writes an event of a turn. It waits while the reader is behind and fails
// when there is no reader any more, or the turn must end.
func (s *stream) offer(write func([]byte) []byte) error {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return errClientGone
		}
		full := len(s.unread) > maxUnread
		if !full {
			s.unread = write(s.unread)
		}
		s.mu.Unlock()
		if !full {
			signal(s.wake)
			return nil
		}
		select {
		case <-s.room:
		case <-s.reader.ctx.Done():
			return errClientGone // or whatever ended the turn
		}
	}
}

func (s *stream) append(write func([]byte) []byte) {
	s.mu.Lock()
	s.unread = write(s.unread)
	s.mu.Unlock()
	signal(s.wake)
}

// appendID begins an event with its id, if it is to have one. The stream is
// locked.
func (s *stream) appendID(b []byte) []byte {
	if !s.ids {
		return b
	}
	b = append(b, "id: "...)
	return append(appendPosition(b, s.answerID, s.at), '\n')
}

// appendEvent writes start, text as a JSON string, rest and the event's end.
func appendEvent(b []byte, start, text, rest string) []byte {
	b = append(b, start...)
	b, _ = jsontext.AppendQuote(b, text) // fails on invalid UTF-8 only, which a turn never gives
	b = append(b, rest...)
	return append(b, eventEnd...)
}

// appendObject writes start, value as JSON and the event's end.
func appendObject(b []byte, start string, value any) []byte {
	text, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // a defect of the wire types
	}
	b = append(b, start...)
	b = append(b, text...)
	return append(b, eventEnd...)
}
