package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/insight/stats"
	"parley/core/knowledge"
	"parley/core/privacy"
	"parley/core/tenant"
	"parley/internal/contract"
	"parley/internal/publicid"
)

var (
	ids = func() Identifiers {
		codec, err := publicid.New(bytes.Repeat([]byte{7}, publicid.KeySize))
		if err != nil {
			panic(err)
		}
		return Identifiers{codec}
	}()
	// at is a moment of another zone, between two milliseconds.
	at     = time.Date(2026, 11, 21, 2, 20, 21, 373_456_789, time.FixedZone("", 3600))
	moment = "2026-11-21T01:20:21.373Z"
)

// described returns the API's description.
func described(t *testing.T) *contract.Document {
	t.Helper()
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document, err := contract.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func written(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fullToken is a token that has everything.
func fullToken() chatbot.Token {
	used := at
	t := chatbot.Token{
		ID: "tok_1", WorkspaceID: "ws_1", ChatbotID: "cb_1", Kind: chatbot.PublishableToken, Name: "Shop", Note: "For the shop", Hint: "parley_7EEz…7hsR",
		Scopes: []chatbot.Scope{chatbot.ScopeChat}, CreatedAt: at, CreatedBy: "you@example.com",
		LastUse: chatbot.LastUse{LastUsedAt: &used, LastUsedIP: "192.0.2.1", LastUsedAgent: "curl"}, ExpiresAt: &used, RevokedAt: &used, Replaces: "tok_0", OverLimit: true,
	}
	t.IPRanges, t.Origins = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, []string{"https://shop.example"}
	t.RequestsPerMinute, t.MessagesPerMonth, t.VisitorRequestsPerMinute = 60, 1000, 20
	return t
}

// fullAnswer is an answer that was cut, with a citation that has everything.
func fullAnswer() turn.Answer {
	a := turn.Answer{MessageID: 9, Status: chat.Complete, Outcome: chat.Answered}
	a.Text, a.Finish = "We open at **seven** [1].", answer.FinishLength
	a.Citations = []answer.Citation{
		{Number: 1, Cited: true, DocumentID: "doc_1", Title: "Hours", HeadingPath: []string{"Hours"}, URL: "https://example.com", Place: "Page 3", Start: 0, End: 4, ContentHash: strings.Repeat("a", 64), Version: 2},
		{Number: 2, DocumentID: "doc_2", Title: "Old"},
	}
	a.Record = answer.UsageRecord{At: at, Model: "model", Passages: 2, FirstToken: time.Second, Total: 2 * time.Second}
	a.Record.Usage = answer.Usage{PromptTokens: 30, CompletionTokens: 4}
	return a
}

func TestShapesAreAsDescribed(t *testing.T) {
	document := described(t)
	asked := &turn.Turn{}
	asked.Conversation.ID = 4
	message := ids.MessageToWire(chat.Message{ID: 9, Role: chat.Assistant, Status: chat.Complete, Content: "Hi", CreatedAt: at})
	usage := UsageRecordToWire(fullAnswer())
	message.Sources, message.Usage = MapSlice(fullAnswer().Citations, CitationToWire), &usage
	hold := at
	for sentence, c := range map[string]struct {
		schema string
		value  any
	}{
		"a token with everything":         {"Token", TokenToWire(fullToken(), chatbot.TokenRevoked)},
		"a token with nothing":            {"Token", TokenToWire(chatbot.Token{Kind: chatbot.SecretToken}, chatbot.TokenActive)},
		"an answer":                       {"Answer", ids.AnswerToWire(asked, fullAnswer(), "plain_text", nil)},
		"an answer's usage":               {"Usage", UsageToWire(answer.Usage{PromptTokens: 1})},
		"an answer's usage record":        {"UsageRecord", usage},
		"a citation":                      {"Source", CitationToWire(fullAnswer().Citations[0])},
		"a citation of little":            {"Source", CitationToWire(fullAnswer().Citations[1])},
		"an answer read back":             {"Message", message},
		"a question read back":            {"Message", ids.MessageToWire(chat.Message{ID: 8, Role: chat.User, CreatedAt: at})},
		"a conversation with an end user": {"ListedConversation", ids.ConversationToWire(chat.Conversation{ID: 4, Status: "active", ExternalUserID: "alice", CreatedAt: at})},
		"a conversation with metadata":    {"ListedConversation", ids.ConversationToWire(chat.Conversation{ID: 4, Status: "active", Metadata: map[string]string{"a": "b"}})},
		"a document with everything": {"Document", DocumentToWire(knowledge.Document{
			ID: "doc_1", ExternalID: "page-42", SourceID: "src_1", URL: "https://example.com", Title: "Hours", Kind: knowledge.Markdown, State: knowledge.Failed, Reason: "no text",
			Chars: 7, Passages: 2, Indexed: 1, Attempts: 3, DueAt: &hold, Live: 1, CreatedAt: at, UpdatedAt: at,
		})},
		"a document with nothing": {"Document", DocumentToWire(knowledge.Document{State: knowledge.Pending})},
		"a removal that waits":    {"Removal", ids.RemovalToWire(knowledge.Removal{ID: "rm_1"})},
		"a confirmed removal":     {"Removal", ids.RemovalToWire(knowledge.Removal{ID: "rm_1", URL: "https://example.com", ConfirmedAt: &hold, Answers: 1, MessageIDs: []int64{9}})},
		"a web address":           {"WebAddress", SourceToWire(knowledge.Source{Kind: knowledge.Page, Schedule: knowledge.Never, State: "ready"})},
		"a receipt of a workspace": {"Erasure", ErasureToWire(privacy.Erasure{
			ID: "er_1", WorkspaceID: "ws_1", Kind: privacy.EndUser, Erased: privacy.Counts{"messages": 2}, Remaining: privacy.Counts{}, CreatedAt: at, DoneAt: &hold,
		})},
		"a receipt of an account": {"Erasure", ErasureToWire(privacy.Erasure{ID: "er_1", Kind: privacy.Account, Erased: privacy.Counts{}, Remaining: privacy.Counts{}})},
	} {
		t.Run(sentence, func(t *testing.T) {
			text := written(t, c.value)
			if err := document.CheckShape(c.schema, text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		})
	}
}

func TestEventsAreAsDescribed(t *testing.T) {
	document, end := described(t), at
	record := &stats.Record{ChatbotID: "cb_1", ConversationID: 4, MessageID: 9, Attempt: 1, Outcome: chat.NoAnswer, PromptTokens: 30, CompletionTokens: 4}
	token := fullToken()
	token.ExpiresAt = &end
	for sentence, c := range map[string]struct {
		schema, kind string
		data         any
	}{
		"an answer":         {"WebhookMessageEvent", "message.completed", ids.MessageEventToWire(record)},
		"a conversation":    {"WebhookConversationEvent", "conversation.created", ids.ConversationEventToWire(record)},
		"a ready document":  {"WebhookDocumentEvent", "document.ready", DocumentEventToWire(knowledge.Document{State: knowledge.Ready, ExternalID: "page-42"})},
		"a failed document": {"WebhookDocumentEvent", "document.failed", DocumentEventToWire(knowledge.Document{State: knowledge.Failed, Reason: "no text"})},
		"a month":           {"WebhookQuotaEvent", "quota.near", QuotaEventToWire(tenant.QuotaUse{Used: 8, Included: 10}, 80, at)},
		"a token":           {"WebhookTokenEvent", "token.expiring", TokenEventToWire(token, 14)},
	} {
		t.Run(sentence, func(t *testing.T) {
			text := written(t, map[string]any{"type": c.kind, "timestamp": moment, "data": c.data})
			if err := document.CheckShape(c.schema, text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		})
	}
}

func TestATokensSecretIsInTheAnswerThatMakesIt(t *testing.T) {
	if made := NewTokenToWire(fullToken(), "parley_secret"); made.Token != "parley_secret" || made.Status != "active" {
		t.Errorf("it is made as %+v", made)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(written(t, TokenToWire(fullToken(), chatbot.TokenActive)), &fields); err != nil {
		t.Fatal(err)
	}
	if _, shown := fields["token"]; shown {
		t.Errorf("its record has %v", slices.Sorted(maps.Keys(fields)))
	}
}

func TestTimesAreMillisecondsInUTC(t *testing.T) {
	for name, got := range map[string]string{
		"a token": TokenToWire(fullToken(), chatbot.TokenActive).CreatedAt, "its expiry": *TokenEventToWire(fullToken(), 3).ExpiresAt,
		"a chatbot": ChatbotToWire(chatbot.Chatbot{CreatedAt: at}).CreatedAt, "a receipt": ErasureToWire(privacy.Erasure{CreatedAt: at}).CreatedAt,
		"an exported message": ids.ExportedMessageToWire(&history.Summary{ID: 4}, &history.Message{Message: chat.Message{ID: 9, CreatedAt: at}}).CreatedAt,
	} {
		if got != moment {
			t.Errorf("the time of %s is %s", name, got)
		}
	}
}

func TestExportedMessages(t *testing.T) {
	summary := &history.Summary{ID: 4, Title: "Hours", Origin: chat.API, ExternalUserID: "alice"}
	t.Run("an answer has its sources as the API tells them, its usage and what was thought of it", func(t *testing.T) {
		a := fullAnswer()
		got := ids.ExportedMessageToWire(summary, &history.Message{
			Message: chat.Message{ID: 9, Role: chat.Assistant, Status: chat.Complete, FinishReason: "length"}, Outcome: chat.Answered, Citations: a.Citations, Record: &a.Record,
			Feedback: &insight.Feedback{Rating: insight.ThumbDown, Comment: "Not on Sundays."},
		})
		if got.ConversationID != ids.Conversation(4) || got.MessageID != ids.Message(9) || got.Status != "incomplete" || got.Rating != "down" ||
			got.PromptTokens != 30 || got.TotalMS != 2000 || len(got.Sources) != 2 || got.Sources[0].ContentHash == "" {
			t.Errorf("it is %+v", got)
		}
	})
	t.Run("a question says nothing of sources, usage and feedback", func(t *testing.T) {
		text := string(written(t, ids.ExportedMessageToWire(summary, &history.Message{Message: chat.Message{ID: 8, Role: chat.User}})))
		for _, field := range []string{"sources", "rating", "prompt_tokens", "outcome"} {
			if strings.Contains(text, `"`+field+`"`) {
				t.Errorf("it has %s: %s", field, text)
			}
		}
	})
}
