package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encoder writes the events of one answer, in their order. Each method appends to b.
type Encoder interface {
	// Begin comes first, and once.
	Begin(b []byte) []byte
	// Delta takes the next piece of the answer.
	Delta(b []byte, piece string) []byte
	// End takes the answer that has ended, and Fail the reason why none does. One of them
	// comes last.
	End(b []byte, ended Ended) []byte
	Fail(b []byte, failure Failure) []byte
}

// NewEncoder returns the encoder for a question.
func NewEncoder(q *Question, r Reply) Encoder {
	if q.Form == Responses {
		return &events{question: q, reply: r}
	}
	return &chunks{question: q, reply: r}
}

// Whole is the body that answers a question at once.
func Whole(q *Question, r Reply, e Ended) any {
	if q.Form == Responses {
		return wholeResponse(q, r, e)
	}
	return wholeCompletion(q, r, e)
}

// Waiting is what keeps a silent stream alive: a comment, which no client reads.
const Waiting = ": still working\n\n"

const done = "data: [DONE]\n\n"

// appendNamed appends an event with its name.
func appendNamed(b []byte, name string, value any) []byte {
	b = append(b, "event: "...)
	b = append(b, name...)
	return appendData(append(b, '\n'), value)
}

func appendData(b []byte, value any) []byte {
	text, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // a defect of the types here
	}
	b = append(b, "data: "...)
	b = append(b, text...)
	return append(b, "\n\n"...)
}
