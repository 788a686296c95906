package upstream

import (
	"fmt"
	"strconv"
	"strings"
)

// Tokens is the number of tokens of every answer.
const Tokens = 50

// text is cut into tokens at its spaces. Nothing in it needs escaping in JSON,
// so that readers can take it unchanged.
const text = "You can do that on the page of the chatbot . Open its settings , choose the tokens and read the list . " +
	"Each one has a name and the day on which it was used last . Choose the one that you no longer need and revoke " +
	"it ."

// pieces returns the tokens of the answer.
func pieces() []string {
	words := strings.SplitAfter(text, " ")
	if len(words) != Tokens {
		panic(fmt.Sprintf("upstream: the answer has %d tokens", len(words)))
	}
	return words
}

// Text is the whole answer.
func Text() string { return text }

const (
	identity = `"id":"chatcmpl-bench","created":1700000000,"model":"bench","system_fingerprint":"fp_bench"`
	usage    = `{"prompt_tokens":25,"completion_tokens":50,"total_tokens":75}`
)

// answer is what the server writes, as bytes on the wire.
type answer struct {
	whole  []byte
	tokens [][]byte // The first one has the response's head before it.
	// end comes after the tokens, endWithUsage for requests that ask for the
	// usage.
	end, endWithUsage []byte
	models            []byte
	nothing           []byte
}

func newAnswer() *answer {
	a := &answer{
		whole: respond(200, `{"object":"chat.completion",`+identity+`,"choices":[{"index":0,"message":{"role":"assistant","content":`+
			strconv.Quote(text)+`,"refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":`+usage+`}`),
		models:  respond(200, `{"object":"list","data":[{"id":"bench","object":"model","created":1700000000,"owned_by":"bench"}]}`),
		nothing: respond(404, `{"error":{"message":"There is no such route.","type":"invalid_request_error"}}`),
	}
	for _, piece := range pieces() {
		a.tokens = append(a.tokens, event(delta(`{"content":`+strconv.Quote(piece)+`}`, "null")))
	}
	a.tokens[0] = concat([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
		event(delta(`{"role":"assistant","content":""}`, "null")), a.tokens[0])
	finish, last := event(delta("{}", `"stop"`)), concat(event("[DONE]"), []byte("0\r\n\r\n"))
	a.end = concat(finish, last)
	a.endWithUsage = concat(finish, event(chunk("[]", usage)), last)
	return a
}

func respond(status int, body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %d \r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

func delta(delta, finish string) string {
	return chunk(`[{"index":0,"delta":`+delta+`,"logprobs":null,"finish_reason":`+finish+`}]`, "null")
}

func chunk(choices, usage string) string {
	return `{"object":"chat.completion.chunk",` + identity + `,"choices":` + choices + `,"usage":` + usage + `}`
}

// event is an event in a chunk of its own.
func event(data string) []byte {
	data = "data: " + data + "\n\n"
	return fmt.Appendf(nil, "%x\r\n%s\r\n", len(data), data)
}

func concat(parts ...[]byte) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}
