package harness

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"parley/core/chatbot"
)

// Issue issues a token of a tenant's chatbot.
func (w *Instance) Issue(tn Tenant, request chatbot.NewToken) (id, secret string) {
	w.Helper()
	request.Name, request.CreatedBy = "test", tn.Email
	token, secret, err := w.Server.Chatbots.Tokens.Issue(w.Context(), tn.Workspace, tn.Chatbot, request)
	w.Must(err)
	return token.ID, secret
}

// Origins of pages.
const (
	ShopOrigin = "https://shop.example"
	EvilOrigin = "https://evil.example"
)

// AtOrigin is the header of a page's request.
func AtOrigin(origin string) Header { return Header{"Origin", origin} }

// IsRefused fails the test unless an answer is a failure with a code and a sentence.
func (w *Instance) IsRefused(r Reply, status int, code, sentence string) {
	w.Helper()
	if r.StatusCode != status || r.Header.Get("X-Error-Code") != code || !strings.Contains(r.ErrorMessage, sentence) {
		w.Errorf("answered %d %s %s, want %d %s and %q", r.StatusCode, r.Header.Get("X-Error-Code"), r.Text, status, code, sentence)
	}
}

// What records of tokens have.
var (
	TokenFields = []string{
		"chatbot_id", "created_at", "created_by", "expires_at", "hint", "id", "ip_ranges", "kind", "last_used_agent", "last_used_at", "last_used_ip",
		"messages_per_month", "name", "note", "origins", "requests_per_minute", "revoked_at", "scopes", "status", "visitor_requests_per_minute",
	}
	SecretShape = regexp.MustCompile(`^parley_[0-9A-Za-z]{49}$`)
	StampShape  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

// TokensPath is where a chatbot's tokens are managed.
func TokensPath(bot string) string { return "/api/chatbots/" + bot + "/api-tokens" }

// ListedTokens are the records of a chatbot's tokens.
func (v *Visitor) ListedTokens(bot string) []map[string]any {
	v.Helper()
	r := v.Ask("GET", TokensPath(bot), "")
	v.Expect(r, http.StatusOK)
	if len(r.Data) != 1 {
		v.Errorf("data has %v", slices.Sorted(maps.Keys(r.Data)))
	}
	var records []map[string]any
	for _, record := range r.Data["tokens"].([]any) {
		records = append(records, record.(map[string]any))
	}
	return records
}

// CreateToken creates a token and returns its secret, too.
func (v *Visitor) CreateToken(bot, body string) (id, secret string) {
	v.Helper()
	r := v.Ask("POST", TokensPath(bot), body)
	if r.StatusCode != http.StatusOK || r.Error != 0 || r.ErrorMessage != "" {
		v.Fatalf("answered %d %s", r.StatusCode, r.Text)
	}
	return r.Data["id"].(string), r.Data["token"].(string)
}

// RevokeToken revokes a token.
func (v *Visitor) RevokeToken(bot, id string) {
	v.Helper()
	r := v.Ask("DELETE", TokensPath(bot)+"/"+id, "")
	v.Expect(r, http.StatusOK)
	if want := fmt.Sprintf(`{"error":0,"error_message":"","data":{"id":"%s","status":"revoked"}}`, id); r.Text != want {
		v.Errorf("answered %s, want %s", r.Text, want)
	}
}

// Refused fails the test unless an answer is the envelope of a failure.
func (w *Instance) Refused(r Reply, status, code int, message string) {
	w.Helper()
	w.Expect(r, status)
	if r.Error != code || !strings.Contains(r.ErrorMessage, message) || !strings.HasSuffix(r.Text, `"data":null}`) {
		w.Errorf("answered %s, want code %d and %q", r.Text, code, message)
	}
}

// Chats asks a question, which is answered with a status.
func (w *Instance) Chats(secret string, status int) {
	w.Helper()
	w.Expect(w.Call("POST", "/api/v1/chat", `{"message":"Hello"}`, Bearer(secret)), status)
}
