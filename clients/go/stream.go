package parley

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"
)

// maxSilence is how long a stream may be silent before it counts as broken. The server sends
// something every ten seconds.
const maxSilence = 45 * time.Second

// EventType says what an [Event] is.
type EventType string

// The types of events, in their order. Later versions may add some.
const (
	// EventConversation comes first, once.
	EventConversation EventType = "conversation"
	// EventRestarted says that the answer failed and begins again: drop the pieces so far. This
	// client makes it; it is no event of the server.
	EventRestarted EventType = "restarted"
	// EventWaiting reports progress in a sentence for people.
	EventWaiting EventType = "waiting"
	// EventDelta is a piece of the answer, in Markdown.
	EventDelta       EventType = "delta"
	EventSources     EventType = "sources"
	EventUsage       EventType = "usage"
	EventSuggestions EventType = "suggestions"
	EventFormatted   EventType = "formatted"
)

// Event is a part of a streamed answer.
type Event struct {
	Type EventType `json:"type"`
	// ID names the event, for [Client.Resume].
	ID string `json:"-"`
	// ConversationID comes with EventConversation.
	ConversationID ID `json:"conversation_id"`
	// Content is the text of EventWaiting, EventDelta and EventFormatted.
	Content string   `json:"content"`
	Format  Format   `json:"format"`
	Sources []Source `json:"sources"`
	Usage   Usage    `json:"usage"`
	// Suggestions come with EventSuggestions.
	Suggestions []string `json:"suggestions"`
}

// Stream asks a question and returns its answer while it is written. When the connection breaks,
// it resumes by itself where it was. It ends at the first error; an [*Error] without a status is
// one that ended the answer.
//
//	for event, err := range client.Stream(ctx, parley.Question{Message: "When do you open?"}) {
//		if err != nil {
//			return err
//		}
//		if event.Type == parley.EventDelta {
//			fmt.Print(event.Content)
//		}
//	}
//
// Leaving the loop closes the connection. The answer goes on without you: [Client.Stop] stops it.
func (c *Client) Stream(ctx context.Context, q Question) iter.Seq2[Event, error] {
	key := q.IdempotencyKey
	if key == "" {
		key = rand.Text()
	}
	q.Include = append([]string{"ids"}, q.Include...)
	s := &stream{client: c, ask: request{method: http.MethodPost, path: "/chat/stream", body: q, key: key}}
	return s.events(ctx)
}

// Resume returns the events of a conversation's last answer that come after one, during the answer
// or later. Without an id it returns the whole answer.
func (c *Client) Resume(ctx context.Context, conversation ID, after string) iter.Seq2[Event, error] {
	s := &stream{client: c, conversation: conversation, last: after}
	return s.events(ctx)
}

// stream is where a reader is in an answer.
type stream struct {
	client *Client
	ask    request // of a stream that is begun here, and else empty

	conversation ID     // zero before the first event
	last         string // id of the last event
	tried        int    // since the last event
}

func (s *stream) events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			err := s.read(ctx, yield)
			if err == nil || errors.Is(err, errLeft) {
				return
			}
			if e, is := errors.AsType[*Error](err); is && e.Name == "answer_restarted" && s.last != "" {
				s.last = "" // the answer failed, and was begun again
				if !yield(Event{Type: EventRestarted, ConversationID: s.conversation}, nil) {
					return
				}
				continue
			}
			s.tried++
			if s.tried >= s.client.tries || !mayRetry(ctx, err) {
				yield(Event{}, err)
				return
			}
			if err := s.client.wait(ctx, s.tried, err); err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

var (
	errLeft = errors.New("the reader has left")
	// errNoEnd says that a stream ended without [DONE].
	errNoEnd = errors.New("the stream ended before the answer did")
)

// request is the one that gets what is still missing.
func (s *stream) request() request {
	if s.ask.path != "" { // sent again with the id of an event, a question is not asked again
		r := s.ask
		if s.last != "" {
			r.header = map[string]string{"Last-Event-ID": s.last}
		}
		return r
	}
	r := request{method: http.MethodGet, path: of(s.conversation) + "/stream"}
	if s.last != "" {
		r.header = map[string]string{"Last-Event-ID": s.last}
	}
	return r
}

// read reads events until the end of the answer, or until the connection breaks.
func (s *stream) read(ctx context.Context, yield func(Event, error) bool) error {
	response, err := s.client.send(ctx, s.request())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	silent := time.AfterFunc(maxSilence, func() { response.Body.Close() })
	defer silent.Stop()
	lines := bufio.NewReader(response.Body)
	var id string
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return &cut{fmt.Errorf("parley: %w", errNoEnd)}
		}
		if err != nil {
			return &cut{fmt.Errorf("parley: reading the stream: %w", err)}
		}
		silent.Reset(maxSilence)
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "id":
			id = value
		case name == "data" && value == "[DONE]":
			return nil
		case name == "data":
			if err := s.event(id, value, yield); err != nil {
				return err
			}
		}
	}
}

// event hands over one event.
func (s *stream) event(id, text string, yield func(Event, error) bool) error {
	var e struct {
		Event
		Code    int    `json:"error"`
		Message string `json:"error_message"`
		Name    string `json:"error_code"`
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return fmt.Errorf("parley: an event has another form than this client knows: %w", err)
	}
	if e.Type == "error" {
		return &Error{Code: e.Code, Message: e.Message, Name: e.Name}
	}
	if e.Type == EventConversation {
		s.conversation = e.ConversationID
	}
	e.ID, s.last, s.tried = id, id, 0
	if !yield(e.Event, nil) {
		return errLeft
	}
	return nil
}
