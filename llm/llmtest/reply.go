package llmtest

import "sync"

// Reply scripts one answer of a [Server]. The zero value is an empty answer
// that ends well.
type Reply struct {
	// Pieces are the text deltas, one chunk each. They may split a character:
	// their bytes are sent as they are.
	Pieces []string
	// Reasoning are deltas of reasoning_content, sent before the pieces.
	Reasoning []string
	// ToolCalls are sent after the pieces, each in two chunks.
	ToolCalls []ToolCall
	// CallBytes is how many bytes of a call's arguments a chunk has. The chunks
	// of several calls then alternate. Zero sends all arguments in one.
	CallBytes int
	// Raw are data lines sent as they are after the pieces, such as a
	// malformed chunk or an error object.
	Raw []string
	// Body replaces the body of a streamed answer with these bytes. Of the rest
	// of the reply only CutAfter, HoldAfter and ByteByByte then hold.
	Body string
	// Usage is what the server reports; nil stands for [DefaultUsage].
	Usage *Usage
	// OmitUsage leaves the usage out though the request asks for it.
	OmitUsage bool
	// Finish is the finish_reason. Empty stands for "stop", or "tool_calls"
	// after tool calls.
	Finish string
	// OmitFinish leaves out the chunk with the finish_reason.
	OmitFinish bool
	// OmitDone leaves out the last line, "[DONE]".
	OmitDone bool
	// LineBreak ends each line of the stream. Empty stands for "\n".
	LineBreak string
	// ByteByByte flushes each byte of the body by itself.
	ByteByByte bool
	// CutAtEnd breaks the connection off instead of ending the response.
	CutAtEnd bool
	// CutAfter breaks the connection off after so many bytes of the body.
	// Zero means never, and [CutAtStart] before the first byte.
	CutAfter int
	// Hold makes the server wait at HoldAt until the gate is released, or the
	// client goes away.
	Hold   *Gate
	HoldAt Point
	// HoldAfter makes a stream wait after so many bytes of its body instead.
	HoldAfter int
	// Status is the HTTP status; zero stands for 200. Any other is answered
	// with an error object.
	Status int
	// RetryAfter is the value of the header, if any.
	RetryAfter string
	// ErrorBody replaces the error object.
	ErrorBody string
}

// CutAtStart breaks an answer off after its headers.
const CutAtStart = -1

// Usage is the usage a server reports.
type Usage struct{ PromptTokens, CompletionTokens int }

// DefaultUsage is reported by replies without a usage of their own.
var DefaultUsage = Usage{PromptTokens: 21, CompletionTokens: 8}

// ToolCall is a call of a function in an answer.
type ToolCall struct{ ID, Name, Arguments string }

// Point is a place in an answer: the number of pieces sent before it.
type Point int

// The points before the pieces.
const (
	// BeforeHeaders is before the status line.
	BeforeHeaders Point = -1
	// BeforeFirstPiece is after the headers.
	BeforeFirstPiece Point = 0
)

// AfterPieces is the point after n pieces.
func AfterPieces(n int) Point { return Point(n) }

// Gate holds a server back until it is released.
type Gate struct {
	released, reached         chan struct{}
	releaseOnce, reachedFirst sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate {
	return &Gate{released: make(chan struct{}), reached: make(chan struct{})}
}

// Release opens the gate for good. It may be called again.
func (g *Gate) Release() { g.releaseOnce.Do(func() { close(g.released) }) }

// Reached is closed when the server has come to the gate for the first time.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// wait returns false when gone or closing is closed before the release.
func (g *Gate) wait(gone, closing <-chan struct{}) bool {
	g.reachedFirst.Do(func() { close(g.reached) })
	select {
	case <-g.released:
		return true
	case <-gone:
		return false
	case <-closing:
		return false
	}
}
