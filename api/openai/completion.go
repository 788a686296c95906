package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/core/answer"
)

// completion answers POST /chat/completions.
type completion struct {
	ID       string            `json:"id"`
	Object   string            `json:"object"`
	Created  int64             `json:"created"`
	Model    string            `json:"model"`
	Choices  []choice          `json:"choices"`
	Usage    completionUsage   `json:"usage"`
	Metadata map[string]string `json:"metadata"`
}

type choice struct {
	Index        int               `json:"index"`
	Message      completionMessage `json:"message"`
	LogProbs     *struct{}         `json:"logprobs"`
	FinishReason string            `json:"finish_reason"`
}

type completionMessage struct {
	Role        string                 `json:"role"`
	Content     string                 `json:"content"`
	Refusal     *string                `json:"refusal"`
	Annotations []completionAnnotation `json:"annotations"`
}

type completionUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// chunk is an event of a streamed completion.
type chunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chunkChoice `json:"choices"`
	// Usage is null but in the last chunk, and left out unless it was asked for.
	Usage    jsontext.Value    `json:"usage,omitzero"`
	Metadata map[string]string `json:"metadata,omitzero"`
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        delta     `json:"delta"`
	LogProbs     *struct{} `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

type delta struct {
	Role        string                 `json:"role,omitzero"`
	Content     *string                `json:"content,omitzero"`
	Annotations []completionAnnotation `json:"annotations,omitempty"`
}

func completionUsageOf(u answer.Usage) completionUsage {
	return completionUsage{u.PromptTokens, u.CompletionTokens, u.TotalTokens()}
}

func completionID(r Reply) string { return "chatcmpl-" + r.ID }

// finishOf is why an answer ended. OpenAI has no word for one that was stopped.
func finishOf(e Ended) string {
	if e.Finish.Cut() {
		return string(e.Finish)
	}
	return string(answer.FinishStop)
}

func wholeCompletion(q *Question, r Reply, e Ended) completion {
	return completion{
		ID: completionID(r), Object: "chat.completion", Created: r.Created.Unix(), Model: ModelID,
		Choices: []choice{{
			Message:      completionMessage{Role: "assistant", Content: e.Text, Annotations: e.completionAnnotations()},
			FinishReason: finishOf(e),
		}},
		Usage: completionUsageOf(e.Usage), Metadata: r.metadata(q, e.Outcome),
	}
}

// chunks writes a streamed completion.
type chunks struct {
	question *Question
	reply    Reply
}

// Begin says who speaks, and in which conversation.
func (s *chunks) Begin(b []byte) []byte {
	empty := ""
	c := s.chunk(delta{Role: "assistant", Content: &empty}, nil)
	c.Metadata = s.reply.metadata(s.question, "")
	return appendData(b, c)
}

// Delta is the next piece of the answer.
func (s *chunks) Delta(b []byte, piece string) []byte {
	return appendData(b, s.chunk(delta{Content: &piece}, nil))
}

// End says what the answer cites, why it ended, and what it cost.
func (s *chunks) End(b []byte, e Ended) []byte {
	if annotations := e.completionAnnotations(); len(annotations) > 0 {
		b = appendData(b, s.chunk(delta{Annotations: annotations}, nil))
	}
	finish := finishOf(e)
	last := s.chunk(delta{}, &finish)
	last.Metadata = s.reply.metadata(s.question, e.Outcome)
	b = appendData(b, last)
	if s.question.UsageInStream {
		c := s.chunk(delta{}, nil)
		c.Choices = []chunkChoice{}
		c.Usage, _ = json.Marshal(completionUsageOf(e.Usage)) // numbers only
		b = appendData(b, c)
	}
	return append(b, done...)
}

// Fail says why the answer does not go on.
func (s *chunks) Fail(b []byte, f Failure) []byte {
	return append(appendData(b, f), done...)
}

func (s *chunks) chunk(d delta, finish *string) chunk {
	c := chunk{
		ID: completionID(s.reply), Object: "chat.completion.chunk", Created: s.reply.Created.Unix(), Model: ModelID,
		Choices: []chunkChoice{{Delta: d, FinishReason: finish}},
	}
	if s.question.UsageInStream {
		c.Usage = jsontext.Value("null")
	}
	return c
}
