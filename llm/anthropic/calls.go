package anthropic

import (
	"fmt"
	"strings"

	"parley/core/answer/prompt"
)

const (
	// maxCalls bounds the calls of one answer.
	maxCalls = 16
	// maxCallBytes bounds their total size.
	maxCallBytes = 64 << 10
)

// begunCall is a call whose arguments may still be arriving.
type begunCall struct {
	index    int
	id, name string
	// input holds arguments that came with the block's beginning. Later pieces
	// replace them.
	input  string
	pieces strings.Builder
}

// calls are the calls in an answer, in the order they began.
type calls struct {
	begun []*begunCall
	bytes int
}

func (c *calls) begin(index int, call *begunCall) error {
	if len(c.begun) == maxCalls {
		return errManyCalls
	}
	call.index = index
	c.begun = append(c.begun, call)
	return c.grow(len(call.id) + len(call.name) + len(call.input))
}

// add appends a piece to the arguments of the block's call. It ignores pieces of
// blocks that are not calls.
func (c *calls) add(index int, piece string) error {
	for _, call := range c.begun {
		if call.index == index {
			call.pieces.WriteString(piece)
			return c.grow(len(piece))
		}
	}
	return nil
}

func (c *calls) grow(bytes int) error {
	if c.bytes += bytes; c.bytes > maxCallBytes {
		return errLongCalls
	}
	return nil
}

// found returns the calls. A call without arguments gets an empty object; a call
// without a name calls nothing and is dropped; a call without an id gets one that
// no other call of the conversation has. Round is any number that grows with the
// conversation's messages.
func (c *calls) found(round int) []prompt.Call {
	var found []prompt.Call
	for i, call := range c.begun {
		if call.name == "" {
			continue
		}
		id := call.id
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", round, i+1)
		}
		arguments := call.pieces.String()
		if arguments == "" {
			arguments = call.input
		}
		if arguments == "" {
			arguments = "{}"
		}
		found = append(found, prompt.Call{ID: validText(id), Name: validText(call.name), Arguments: validText(arguments)})
	}
	return found
}

func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
