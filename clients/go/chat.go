package parley

import (
	"context"
	"net/http"
	"strconv"
)

// Ask asks a question and returns the whole answer.
func (c *Client) Ask(ctx context.Context, q Question) (Answer, error) {
	var answer Answer
	err := c.call(ctx, request{method: http.MethodPost, path: "/chat", body: q, key: q.IdempotencyKey}, &answer)
	return answer, err
}

// Stop stops the answer that is being written in a conversation. When it returns, the model is
// canceled and the text so far is stored.
func (c *Client) Stop(ctx context.Context, conversation ID) (StoppedAnswer, error) {
	var stopped StoppedAnswer
	err := c.call(ctx, request{method: http.MethodPost, path: of(conversation) + "/stop"}, &stopped)
	return stopped, err
}

// Chatbot says what a page shows before the first question.
func (c *Client) Chatbot(ctx context.Context) (Chatbot, error) {
	var chatbot Chatbot
	err := c.call(ctx, request{method: http.MethodGet, path: "/chatbot"}, &chatbot)
	return chatbot, err
}

// Rate stores what an end user thinks of an answer. The last rating of an answer stands.
func (c *Client) Rate(ctx context.Context, answer ID, rating Rating, comment string) error {
	body := map[string]any{"rating": nil}
	if rating != NoRating {
		body["rating"] = rating
	}
	if comment != "" {
		body["comment"] = comment
	}
	return c.call(ctx, request{method: http.MethodPost, path: "/messages/" + strconv.FormatInt(int64(answer), 10) + "/feedback", body: body}, nil)
}
