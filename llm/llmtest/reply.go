package llmtest

import "sync"

// Reply scripts one answer of a [Server]. The zero value is an empty answer
// that ends normally.
type Reply struct {
	// Pieces are the text deltas, one chunk each. They may split a character:
	// their bytes are sent unchanged.
	Pieces []string
	// Reasoning are deltas of reasoning_content, sent before the pieces.
	Reasoning []string
	// ToolCalls are sent after the pieces, each in two chunks.
	ToolCalls []ToolCall
	// CallBytes is how many bytes of a call's arguments each chunk holds. The
	// chunks of several calls then alternate. Zero sends all arguments at once.
	CallBytes int
	// Raw holds data lines to send unchanged after the pieces, such as a
	// malformed chunk or an error object.
	Raw []string
	// Body replaces the body of a streamed answer. From the rest of the reply
	// only CutAfter, HoldAfter and ByteByByte then apply.
	Body string
	// Usage is what the server reports; nil means [DefaultUsage].
	Usage *Usage
	// OmitUsage omits the usage even if the request asks for it.
	OmitUsage bool
	// Finish is the finish_reason. Empty means "stop", or "tool_calls" after
	// tool calls.
	Finish string
	// OmitFinish omits the chunk with the finish_reason.
	OmitFinish bool
	// OmitDone omits the last line, "[DONE]".
	OmitDone bool
	// LineBreak ends each line of the stream. Empty means "\n".
	LineBreak string
	// ByteByByte flushes after each byte of the body.
	ByteByByte bool
	// CutAtEnd breaks the connection instead of ending the response.
	CutAtEnd bool
	// CutAfter breaks the connection after a number of bytes of the body.
	// Zero means never, and [CutAtStart] before the first byte.
	CutAfter int
	// Hold makes the server wait at HoldAt until the gate is released or the
	// client goes away.
	Hold   *Gate
	HoldAt Point
	// HoldAfter makes a stream wait after a number of bytes of its body instead.
	HoldAfter int
	// Status is the HTTP status; zero means 200. Any other status comes with
	// an error object.
	Status int
	// RetryAfter is the value of the header, if any.
	RetryAfter string
	// ErrorBody replaces the error object.
	ErrorBody string
}

// CutAtStart cuts an answer after its headers.
const CutAtStart = -1

// Usage is the usage that a server reports.
type Usage struct{ PromptTokens, CompletionTokens int }

// DefaultUsage is the usage of replies that set none.
var DefaultUsage = Usage{PromptTokens: 21, CompletionTokens: 8}

// ToolCall is a call of a function in an answer.
type ToolCall struct{ ID, Name, Arguments string }

// Point is a position in an answer: the number of pieces sent before it.
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

// Release opens the gate permanently. It may be called again.
func (g *Gate) Release() { g.releaseOnce.Do(func() { close(g.released) }) }

// Reached is closed when the server first reaches the gate.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// wait returns false if gone or closing is closed before the release.
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
