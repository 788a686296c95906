package parley

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// Ask asks a question and returns the whole answer.
func (c *Client) Ask(ctx context.Context, q Question) (Answer, error) {
	var answer Answer
	q.Include = nil
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

// CreateConversation creates a conversation without a question.
func (c *Client) CreateConversation(ctx context.Context) (Conversation, error) {
	var created Conversation
	err := c.call(ctx, request{method: http.MethodPost, path: "/conversations"}, &created)
	return created, err
}

// messagesPage is how many messages one request reads.
const messagesPage = 100

// Messages reads the messages of a conversation, oldest first, in pages as they are needed. It
// ends at the first error.
func (c *Client) Messages(ctx context.Context, conversation ID) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for after := ID(0); ; {
			var page struct {
				Messages []Message `json:"messages"`
				HasMore  bool      `json:"has_more"`
				Next     ID        `json:"next"`
			}
			query := url.Values{"limit": {strconv.Itoa(messagesPage)}, "after": {strconv.FormatInt(int64(after), 10)}}
			if err := c.call(ctx, request{method: http.MethodGet, path: of(conversation) + "/messages", query: query}, &page); err != nil {
				yield(Message{}, err)
				return
			}
			for _, m := range page.Messages {
				if !yield(m, nil) {
					return
				}
			}
			if !page.HasMore {
				return
			}
			after = page.Next
		}
	}
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

func of(conversation ID) string {
	return "/conversations/" + strconv.FormatInt(int64(conversation), 10)
}
