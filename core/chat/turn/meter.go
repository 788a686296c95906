package turn

import "context"

// Transport is the interface by which a question came.
type Transport string

// The transports.
const (
	Chat         Transport = "chat"
	Stream       Transport = "stream"
	OpenAI       Transport = "openai"
	OpenAIStream Transport = "openai_stream"
	MCP          Transport = "mcp"
	Playground   Transport = "playground"
)

// Transports are all of them.
func Transports() []Transport {
	return []Transport{Chat, Stream, OpenAI, OpenAIStream, MCP, Playground}
}

// Meter is told what becomes of questions: of each attempt at an answer once, at its end.
// It must not wait.
type Meter interface {
	// Ended is told of an attempt that has ended, before its readers are. They get err,
	// unless it is nil.
	Ended(by Transport, answer Answer, err error)
	// Refused is told of a question without an attempt.
	Refused(by Transport, err error)
}

// Refuse tells the meter of a question that a transport refuses before [Service.Begin].
// It returns the error.
func (s *Service) Refuse(by Transport, err error) error {
	if s.Meter != nil {
		s.Meter.Refused(by, err)
	}
	return err
}

// tell tells the meter of the attempt, which has ended.
func (a *attempt) tell(answer Answer, err error) {
	if s := a.service; s.Meter != nil {
		s.Meter.Ended(a.transport, answer, err)
	}
}

// refuse abandons a turn that could not begin, and tells the meter. It returns the error.
func (t *Turn) refuse(ctx context.Context, by Transport, err error) error {
	begun := t.attempt != nil && t.attempt.begun()
	if t.attempt != nil {
		t.attempt.abandon(ctx, err)
	}
	if begun { // it was counted at its end
		return err
	}
	return t.service.Refuse(by, err)
}
