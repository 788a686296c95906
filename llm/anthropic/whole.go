package anthropic

import (
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"parley/llm/upstream"
)

// readWhole reads an answer that is not streamed and emits it as one piece.
func (a *decoder) readWhole(body io.Reader) error {
	data, err := upstream.ReadWhole(body)
	if err != nil {
		return err
	}
	if !upstream.IsObject(data) {
		return errMalformed
	}
	all := gjson.ParseBytes(data)
	if all.Get("type").Str == "error" {
		return refusalIn(data)
	}
	text, err := a.addBlocks(all.Get("content"))
	if err != nil {
		return err
	}
	last := event{text: text, stop: all.Get("stop_reason").Str, usage: readUsage(all.Get("usage"))}
	last.usage.final = last.usage.completion > 0
	last.ended = true
	if err := a.add(last); err != nil {
		return err
	}
	return a.ended(io.EOF)
}

// addBlocks takes the calls of a whole answer, and returns its text.
func (a *decoder) addBlocks(content gjson.Result) (string, error) {
	var (
		text   strings.Builder
		index  int
		failed error
	)
	content.ForEach(func(_, block gjson.Result) bool {
		part := event{index: index}
		part.readBlock(block)
		text.WriteString(part.text)
		part.text = ""
		failed = a.add(part)
		index++
		return failed == nil
	})
	return text.String(), failed
}
