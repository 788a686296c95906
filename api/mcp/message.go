package mcp

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/core/fault"
)

// Message is the body of a request: one call or one notification of JSON-RPC.
type Message struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  struct {
		Name string `json:"name"`
	} `json:"params"`
}

// Check refuses what is no call. A batch, which only protocol 2025-03-26 has, is
// refused where the body is decoded: each call counts as a request.
func (m *Message) Check() error {
	switch kind := m.ID.Kind(); {
	case m.Version != "2.0":
		return fault.InField("jsonrpc", `jsonrpc must be "2.0".`)
	case m.Method == "":
		return fault.InField("method", "method is required. This server asks clients nothing, so it takes no responses.")
	case len(m.ID) > 0 && kind != '"' && (kind != '0' || strings.ContainsAny(string(m.ID), ".eE")):
		return fault.InField("id", "id must be a string or a whole number.")
	}
	return nil
}

// Asks reports whether the message calls the tool that asks the chatbot.
func (m *Message) Asks() bool { return m.Method == "tools/call" && m.Params.Name == askTool }

// waits reports whether the message waits for what this server never sends.
func (m *Message) waits() bool { return m.Method == "subscriptions/listen" }

// taken returns the body of a message without arguments that its tool does without:
// those that are null, which stands for one that is left out, and those that it does
// not know. Programs in between add such to every call.
func (m *Message) taken(body []byte) []byte {
	known, calls := takes[m.Params.Name]
	if m.Method != "tools/call" || !calls {
		return body
	}
	var message, params, arguments map[string]jsontext.Value
	if json.Unmarshal(body, &message) != nil || json.Unmarshal(message["params"], &params) != nil ||
		json.Unmarshal(params["arguments"], &arguments) != nil {
		return body // The SDK says what is wrong.
	}
	before := len(arguments)
	maps.DeleteFunc(arguments, func(name string, value jsontext.Value) bool {
		return value.Kind() == 'n' || !slices.Contains(known, name)
	})
	if len(arguments) == before && params["arguments"].Kind() == '{' {
		return body
	}
	if arguments == nil {
		arguments = map[string]jsontext.Value{}
	}
	var err error
	if params["arguments"], err = json.Marshal(arguments); err != nil {
		return body
	}
	if message["params"], err = json.Marshal(params); err != nil {
		return body
	}
	if changed, err := json.Marshal(message); err == nil {
		return changed
	}
	return body
}
