package api

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/core/answer"
	"parley/core/answer/format"
	"parley/core/chat/turn"
)

// The beginnings and ends of events.
const (
	conversationStart = "data: {\"type\":\"conversation\",\"conversation_id\":"
	waitingStart      = "data: {\"type\":\"waiting\",\"content\":"
	deltaStart        = "data: {\"type\":\"delta\",\"content\":"
	eventEnd          = "}\n\n"
	streamDone        = "data: [DONE]\n\n"
)

// begin writes the first event, with the conversation's identifier.
func (s *stream) begin(conversationID int64) {
	s.append(func(b []byte) []byte {
		b = append(s.appendID(b), conversationStart...)
		return append(strconv.AppendInt(b, conversationID, 10), eventEnd...)
	})
}

// event writes an event of the turn. It waits while the reader is behind and
// fails when there is no reader any more, or the turn must end.
func (s *stream) event(e turn.Event) error {
	start := deltaStart
	if e.Kind == turn.Waiting {
		start = waitingStart
	}
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return errClientGone
		}
		full := len(s.unread) > maxUnread
		if !full {
			// A message about a turn moves nobody, unless it is begun anew.
			if e.Kind == turn.Delta || e.At.Attempt != s.at.Attempt {
				s.at = e.At
			}
			s.unread = appendEvent(s.appendID(s.unread), start, e.Text, "")
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

// settle notes that the turn has ended: what is written from now on are its
// last events, and no reader can miss a part of the answer by having them.
func (s *stream) settle(answer turn.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled = true
	if answer.Attempt != s.at.Attempt { // nothing was written of this one
		s.at = turn.Position{AnswerID: answer.MessageID, Attempt: answer.Attempt}
	}
}

func (s *stream) sources(sources []answer.Citation) {
	s.after(turn.SourcesSent, func(b []byte) []byte {
		return appendObject(b, "data: {\"type\":\"sources\",\"sources\":", each(sources, citationToWire))
	})
}

func (s *stream) usage(answer turn.Answer) {
	s.after(turn.UsageSent, func(b []byte) []byte {
		return appendObject(b, "data: {\"type\":\"usage\",\"usage\":", receiptToWire(answer))
	})
}

func (s *stream) formatted(text string, f format.Format) {
	s.after(turn.FormattedSent, func(b []byte) []byte {
		return appendEvent(b, "data: {\"type\":\"formatted\",\"content\":", text, ",\"format\":\""+string(f)+"\"")
	})
}

// fail writes the error event.
func (s *stream) fail(f failure) {
	write := func(b []byte) []byte {
		b = append(b, "data: {\"type\":\"error\",\"error\":"...)
		b = strconv.AppendInt(b, int64(f.code), 10)
		return appendEvent(b, ",\"error_message\":", f.message, "")
	}
	if s.settled {
		s.after(turn.FormattedSent, write)
		return
	}
	// The error is the reader's and not the turn's, which it can resume where
	// it is.
	s.append(func(b []byte) []byte { return write(s.appendID(b)) })
}

// after writes an event that follows the answer, unless the reader has had it.
func (s *stream) after(tail turn.Tail, write func([]byte) []byte) {
	if tail <= s.seen {
		return
	}
	s.append(func(b []byte) []byte {
		s.at.Tail = tail
		return write(s.appendID(b))
	})
}

// end writes the terminal event.
func (s *stream) end() {
	s.mu.Lock()
	if s.settled {
		s.at.Tail = turn.DoneSent
	}
	s.unread = append(s.appendID(s.unread), streamDone...)
	s.ended = true
	s.mu.Unlock()
	signal(s.wake)
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
