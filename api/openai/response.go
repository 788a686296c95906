package openai

import (
	"parley/core/answer"
	"parley/core/chat"
)

// response answers POST /responses.
type response struct {
	ID                string             `json:"id"`
	Object            string             `json:"object"`
	CreatedAt         int64              `json:"created_at"`
	Status            string             `json:"status"`
	Background        bool               `json:"background"`
	Error             *responseError     `json:"error"`
	IncompleteDetails *incompleteDetails `json:"incomplete_details"`
	Instructions      *string            `json:"instructions"`
	MaxOutputTokens   *int               `json:"max_output_tokens"`
	Metadata          map[string]string  `json:"metadata"`
	Model             string             `json:"model"`
	Output            []outputItem       `json:"output"`
	ParallelToolCalls bool               `json:"parallel_tool_calls"`
	PreviousID        *string            `json:"previous_response_id"`
	Store             bool               `json:"store"`
	Temperature       *float64           `json:"temperature"`
	Text              textFormat         `json:"text"`
	ToolChoice        string             `json:"tool_choice"`
	Tools             []struct{}         `json:"tools"`
	TopP              *float64           `json:"top_p"`
	Truncation        string             `json:"truncation"`
	Usage             *responseUsage     `json:"usage"`
	User              *string            `json:"user"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incompleteDetails struct {
	Reason string `json:"reason"`
}

type textFormat struct {
	Format kind `json:"format"`
}

type outputItem struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Status  string       `json:"status"`
	Role    string       `json:"role"`
	Content []outputText `json:"content"`
}

type outputText struct {
	Type        string               `json:"type"`
	Text        string               `json:"text"`
	Annotations []responseAnnotation `json:"annotations"`
	LogProbs    []struct{}           `json:"logprobs"`
}

type responseUsage struct {
	InputTokens        int           `json:"input_tokens"`
	InputTokensDetails inputDetails  `json:"input_tokens_details"`
	OutputTokens       int           `json:"output_tokens"`
	OutputDetails      outputDetails `json:"output_tokens_details"`
	TotalTokens        int           `json:"total_tokens"`
}

type inputDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

type outputDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// The statuses of a response.
const (
	inProgress = "in_progress"
	completed  = "completed"
	incomplete = "incomplete"
	failed     = "failed"
)

// newResponse is a response that has only begun.
func newResponse(q *Question, r Reply) response {
	begun := response{
		ID: "resp_" + r.ID, Object: "response", CreatedAt: r.Created.Unix(), Status: inProgress, Metadata: r.metadata(q, ""), Model: ModelID,
		Output: []outputItem{}, Store: r.Conversation != "", Text: textFormat{kind{"text"}}, ToolChoice: "none", Tools: []struct{}{}, Truncation: "auto",
		User: q.User,
	}
	if q.Previous != "" {
		begun.PreviousID = &q.Previous
	}
	return begun
}

func wholeResponse(q *Question, r Reply, e Ended) response {
	made := newResponse(q, r)
	made.Status = completed
	switch {
	case e.Status == chat.Stopped:
		made.Status = incomplete
	case e.Finish == answer.FinishLength:
		made.Status, made.IncompleteDetails = incomplete, &incompleteDetails{"max_output_tokens"}
	case e.Finish == answer.FinishContentFilter:
		made.Status, made.IncompleteDetails = incomplete, &incompleteDetails{"content_filter"}
	}
	made.Metadata = r.metadata(q, e.Outcome)
	made.Output = []outputItem{itemOf(r, made.Status, textOf(e.Text, e.responseAnnotations()))}
	made.Usage = &responseUsage{InputTokens: e.Usage.PromptTokens, OutputTokens: e.Usage.CompletionTokens, TotalTokens: e.Usage.TotalTokens()}
	return made
}

func itemID(r Reply) string { return "msg_" + r.ID }

// itemOf is the one message of a response.
func itemOf(r Reply, status string, content ...outputText) outputItem {
	return outputItem{ID: itemID(r), Type: "message", Status: status, Role: "assistant", Content: append([]outputText{}, content...)}
}

func textOf(text string, annotations []responseAnnotation) outputText {
	return outputText{Type: "output_text", Text: text, Annotations: annotations, LogProbs: []struct{}{}}
}
