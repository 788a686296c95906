package openai

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/answer/prompt"
	"parley/text/tokens"
)

const (
	// maxCalls and maxCallBytes bound the calls in one answer, whatever the server sends.
	// The bytes of all names, ids and arguments count.
	maxCalls     = 16
	maxCallBytes = 64 << 10
)

// calls collects the calls of tools in an answer. A stream sends them in pieces:
// the first piece of a call has its id and name, later ones continue its
// arguments, and pieces of several calls may alternate.
type calls struct {
	open  []openCall
	bytes int
}

type openCall struct {
	index     int64
	id, name  string
	arguments []byte
}

// add takes the tool_calls of one chunk. In a whole answer each of them is a
// separate call.
func (c *calls) add(pieces gjson.Result, whole bool) error {
	var failed error
	pieces.ForEach(func(_, piece gjson.Result) bool {
		failed = c.piece(piece, whole)
		return failed == nil
	})
	return failed
}

func (c *calls) piece(piece gjson.Result, whole bool) error {
	function := piece.Get("function")
	id, name, arguments := piece.Get("id").Str, function.Get("name").Str, argumentsIn(function.Get("arguments"))
	if c.bytes += len(id) + len(name) + len(arguments); c.bytes > maxCallBytes {
		return errCalls
	}
	index := piece.Get("index")
	at := -1
	if !whole {
		at = c.find(index, id, name)
	}
	if at < 0 {
		if len(c.open) == maxCalls {
			return errCalls
		}
		at = len(c.open)
		c.open = append(c.open, openCall{index: index.Int()})
	}
	call := &c.open[at]
	if call.id == "" {
		call.id = id
	}
	if call.name == "" {
		call.name = name
	}
	call.arguments = append(call.arguments, arguments...)
	return nil
}

// find returns the position of the call that a piece continues, or -1 if the
// piece begins a call.
//
// The index distinguishes calls. Some servers send the same index for all of
// them; there a new id begins a call. Others send none; there a name does.
func (c *calls) find(index gjson.Result, id, name string) int {
	for at, call := range slices.Backward(c.open) {
		if index.Exists() {
			if call.index == index.Int() && (id == "" || call.id == "" || call.id == id) {
				return at
			}
			continue
		}
		if id == "" && name == "" || id != "" && call.id == id {
			return at
		}
	}
	return -1
}

// argumentsIn returns arguments from a string that holds JSON. A few servers send
// the object itself.
func argumentsIn(value gjson.Result) string {
	if value.IsObject() {
		return value.Raw
	}
	return value.Str
}

// all returns the calls in the order in which they began. It drops a call without
// a name, and gives a call without an id one that no other call of the
// conversation has. Round is any number that grows with the conversation's messages.
func (c *calls) all(round int) []prompt.Call {
	var found []prompt.Call
	for i, call := range c.open {
		if call.name == "" {
			continue
		}
		if call.id == "" {
			call.id = fmt.Sprintf("call_%d_%d", round, i+1)
		}
		found = append(found, prompt.Call{
			ID: strings.ToValidUTF8(call.id, "\uFFFD"), Name: strings.ToValidUTF8(call.name, "\uFFFD"),
			Arguments: strings.ToValidUTF8(string(call.arguments), "\uFFFD"),
		})
	}
	return found
}

func (c *calls) any() bool {
	return slices.ContainsFunc(c.open, func(call openCall) bool { return call.name != "" })
}

// count counts the tokens of the calls received so far.
func (c *calls) count(counter *tokens.Counter) int {
	total := 0
	for _, call := range c.open {
		total += counter.Count(call.name) + counter.Count(string(call.arguments))
	}
	return total
}
