package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Format reads answers.
type Format interface {
	// whole returns the text of a JSON answer.
	whole(body []byte) ([]byte, error)
	// piece returns the text that an event adds to the answer, or nothing.
	piece(event []byte) ([]byte, error)
}

// The formats.
var (
	// Conversation is the format of the conversation API.
	Conversation Format = conversation{}
	// Completion is the format of OpenAI's chat completions.
	Completion Format = completion{}
)

var errRefused = errors.New("the server reported an error")

type conversation struct{}

// whole parses the usual answer by hand: decoding all of it would cost as much
// as some servers take to answer.
func (conversation) whole(body []byte) ([]byte, error) {
	if bytes.HasPrefix(body, []byte(`{"error":0,`)) {
		if text, ok := stringAfter(body, `"message":"`); ok {
			return text, nil
		}
	}
	var answer struct {
		Error        *int   `json:"error"`
		ErrorMessage string `json:"error_message"`
		Data         struct {
			Message string `json:"message"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	if answer.Error == nil || *answer.Error != 0 {
		return nil, fmt.Errorf("%w: %s", errRefused, answer.ErrorMessage)
	}
	return []byte(answer.Data.Message), nil
}

func (conversation) piece(event []byte) ([]byte, error) {
	const start = `{"type":"delta","content":"`
	if bytes.HasPrefix(event, []byte(start)) {
		if text, ok := stringAfter(event, start); ok {
			return text, nil
		}
	}
	var e struct {
		Type         string `json:"type"`
		Content      string `json:"content"`
		ErrorMessage string `json:"error_message"`
	}
	if err := json.Unmarshal(event, &e); err != nil {
		return nil, err
	}
	switch e.Type {
	case "delta":
		return []byte(e.Content), nil
	case "error":
		return nil, fmt.Errorf("%w: %s", errRefused, e.ErrorMessage)
	default:
		return nil, nil
	}
}

// completion reads what package upstream sends, and no more of the format.
type completion struct{}

func (completion) whole(body []byte) ([]byte, error) {
	text, ok := stringAfter(body, `"content":"`)
	if !ok {
		return nil, errRefused
	}
	return text, nil
}

func (completion) piece(event []byte) ([]byte, error) {
	text, _ := stringAfter(event, `"content":"`)
	return text, nil
}

// stringAfter returns the content of the JSON string that begins after start.
// It reports false when there is none, or one that has escapes.
func stringAfter(data []byte, start string) ([]byte, bool) {
	_, rest, ok := bytes.Cut(data, []byte(start))
	if !ok {
		return nil, false
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return nil, false
	}
	return rest[:end], true
}
