package harness

import (
	"strings"

	"parley/core/tenant"
)

// gets are the statuses that a route answers to each kind of caller.
type gets struct {
	// Own is who the route is for: the workspace's owner, or its chatbot's
	// token. The ids of the call are the workspace's own.
	Own int
	// Stranger is the owner of another workspace, by session.
	Stranger int
	// OtherToken is the token of another chatbot, of this workspace or not.
	OtherToken int
	// Revoked is a token of the chatbot that has been revoked.
	Revoked int
	// Nobody has no credential.
	Nobody int
	// Colleague is another member of the workspace whose role may call the route:
	// what own is, where it is zero.
	Colleague int
}

// What most routes answer.
var (
	byToken       = gets{Own: 200, Stranger: 401, OtherToken: 200, Revoked: 401, Nobody: 401}
	byTokenWithID = gets{Own: 200, Stranger: 401, OtherToken: 404, Revoked: 401, Nobody: 401}
	noText        = gets{Own: 400, Stranger: 401, OtherToken: 400, Revoked: 401, Nobody: 401}
	bySession     = gets{Own: 200, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}
	APage         = gets{Own: 200, Stranger: 404, OtherToken: 303, Revoked: 303, Nobody: 303}
	noFile        = gets{Own: 404, Stranger: 404, OtherToken: 303, Revoked: 303, Nobody: 303}
	aMove         = gets{Own: 301, Stranger: 404, OtherToken: 303, Revoked: 303, Nobody: 303}
	aMovedForm    = gets{Own: 308, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}
	aForm         = gets{Own: 303, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}
	aResult       = gets{Own: 200, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}
	notNow        = gets{Own: 409, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}
	noSale        = gets{Own: 403, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}
	aChoice       = gets{Own: 422, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}
	ownAccount    = gets{Own: 422, Stranger: 422, OtherToken: 401, Revoked: 401, Nobody: 401}
	ownSetting    = gets{Own: 303, Stranger: 303, OtherToken: 401, Revoked: 401, Nobody: 401}
	noPasskeys    = gets{Own: 409, Stranger: 409, OtherToken: 401, Revoked: 401, Nobody: 401}
	notOwn        = gets{Own: 404, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}
	ownTrial      = gets{Own: 200, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401, Colleague: 404}
	entrance      = gets{Own: 303, Stranger: 303, OtherToken: 200, Revoked: 200, Nobody: 200}
)

func everyone(status int) gets { return gets{status, status, status, status, status, status} }

// Routes are all routes, in an order in which the owner can call one after the
// other: what takes something away comes last.
var Routes = []Route{
	{Method: "GET", Pattern: "/healthz", Gets: everyone(200)},
	{Method: "GET", Pattern: "/readyz", Gets: everyone(200)},
	{Method: "GET", Pattern: descriptionPath, Gets: everyone(200)},
	{Method: "GET", Pattern: "/.well-known/oauth-protected-resource", Gets: everyone(200)},
	{Method: "GET", Pattern: "/.well-known/oauth-protected-resource/api/v1/mcp", Gets: everyone(200)},
	{Method: "GET", Pattern: "/static/*", path: "/static/0/parley.css", Gets: everyone(200)},
	{Method: "GET", Pattern: "/", Gets: everyone(303)},
	{Method: "GET", Pattern: "/.well-known/security.txt", Gets: everyone(404)}, // there is no contact
	{Method: "GET", Pattern: "/security-policy", Gets: everyone(404)},
	{Method: "GET", Pattern: "/docs/api", Gets: everyone(200)},
	{Method: "GET", Pattern: "/docs/api/:group", path: "/docs/api/chat", Gets: everyone(200)},
	{Method: "GET", Pattern: "/sign-up", Gets: entrance},
	{Method: "POST", Pattern: "/sign-up", Body: "email=new%40example.com&password=short&workspace=New", Gets: everyone(422)},
	{Method: "GET", Pattern: "/sign-up/finish", Gets: everyone(200)},
	{Method: "POST", Pattern: "/sign-up/finish", Body: "code=a-link&password=a+wrong+guess&workspace=New", Gets: everyone(422)},
	{Method: "GET", Pattern: "/account/email", Gets: everyone(200)},
	{Method: "POST", Pattern: "/account/email", Body: "code=another-link", Gets: everyone(422)},
	{Method: "GET", Pattern: "/sign-in", Gets: entrance},
	{Method: "POST", Pattern: "/sign-in", Body: "email=nobody%40example.com&password=a+wrong+guess", Gets: everyone(401)},
	{Method: "POST", Pattern: "/sign-in/provider", Gets: everyone(404)}, // there is none
	{Method: "GET", Pattern: "/sign-in/sso", Gets: everyone(200)},
	{Method: "POST", Pattern: "/sign-in/sso", Body: "email=nobody%40nowhere.example", Gets: everyone(422)},
	{Method: "GET", Pattern: "/sign-in/sso/callback", Gets: everyone(422)},
	{Method: "GET", Pattern: "/sign-in/sso/callback/:workspace", path: "/sign-in/sso/callback/ws_unknown", Gets: everyone(422)},
	{Method: "GET", Pattern: "/sign-in/second-factor", Gets: everyone(303)}, // no sign-in waits
	{Method: "POST", Pattern: "/sign-in/second-factor", Body: "code=000000", Gets: everyone(303)},
	{Method: "POST", Pattern: "/sign-in/second-factor/options", Gets: everyone(409)}, // an address has no passkeys
	{Method: "POST", Pattern: "/sign-in/second-factor/passkey", Body: "answer=%7B%7D", Gets: everyone(303)},
	{Method: "POST", Pattern: "/sign-in/passkey/options", Gets: everyone(409)},
	{Method: "POST", Pattern: "/sign-in/passkey", Body: "answer=%7B%7D", Gets: everyone(401)},
	{Method: "POST", Pattern: "/sign-out", Gets: everyone(303)},
	{Method: "GET", Pattern: "/forgot-password", Gets: everyone(200)},
	{Method: "POST", Pattern: "/forgot-password", Body: "email=nobody%40example.com", Gets: everyone(403)}, // there are no mails
	{Method: "GET", Pattern: "/reset-password", Gets: everyone(200)},
	{Method: "POST", Pattern: "/reset-password", Body: "code=a-third-link&password=a+wrong+guess", Gets: everyone(422)},
	{Method: "GET", Pattern: "/join", Gets: everyone(200)},
	{Method: "POST", Pattern: "/join", Body: "code=a-guess&password=a+wrong+guess", Gets: everyone(422)},
	{Method: "POST", Pattern: WebhookPath, Body: `{"type":"invoice.paid"}`, Gets: everyone(404)}, // there is no Stripe
	{Method: "GET", Pattern: "/workspaces/new", Gets: gets{Own: 200, Stranger: 200, OtherToken: 303, Revoked: 303, Nobody: 303}},
	{Method: "POST", Pattern: "/workspaces", Body: "name=", Gets: ownAccount},
	{Method: "GET", Pattern: "/account", Gets: gets{Own: 200, Stranger: 200, OtherToken: 303, Revoked: 303, Nobody: 303}},
	{Method: "POST", Pattern: "/account", Body: "email=nobody&email_password=a+wrong+guess", Gets: ownAccount},
	{Method: "GET", Pattern: "/account/security", Gets: gets{Own: 200, Stranger: 200, OtherToken: 303, Revoked: 303, Nobody: 303}},
	{Method: "GET", Pattern: "/account/security/app", Gets: everyone(303)}, // none waits for its first code
	{Method: "POST", Pattern: "/account/security/app", Gets: ownSetting},
	{Method: "POST", Pattern: "/account/security/app/confirm", Body: "code=000000", Gets: ownAccount},
	{Method: "POST", Pattern: "/account/security/app/remove", Gets: ownSetting},
	{Method: "POST", Pattern: "/account/security/recovery-codes", Gets: ownSetting},
	{Method: "POST", Pattern: "/account/security/passkeys/options", Gets: noPasskeys},
	{Method: "POST", Pattern: "/account/security/passkeys", Body: "name=Phone&answer=%7B%7D", Gets: noPasskeys},
	{Method: "POST", Pattern: "/account/security/passkeys/:passkey/rename", path: "/account/security/passkeys/pk_unknown/rename", Body: "new_name=Phone", Gets: notOwn},
	{Method: "POST", Pattern: "/account/security/passkeys/:passkey/remove", path: "/account/security/passkeys/pk_unknown/remove", Gets: notOwn},
	{Method: "GET", Pattern: "/confirm", Gets: gets{Own: 200, Stranger: 200, OtherToken: 303, Revoked: 303, Nobody: 303}},
	{Method: "POST", Pattern: "/confirm", Body: "confirm_password=a+wrong+guess", Gets: ownAccount},
	{Method: "POST", Pattern: "/confirm/options", Gets: noPasskeys},
	{Method: "POST", Pattern: "/confirm/provider", Body: "workspace=", Gets: notOwn},
	{Method: "GET", Pattern: "/account/sessions", Gets: gets{Own: 200, Stranger: 200, OtherToken: 303, Revoked: 303, Nobody: 303}},
	{Method: "GET", Pattern: "/account/appearance", Gets: gets{Own: 200, Stranger: 200, OtherToken: 303, Revoked: 303, Nobody: 303}},
	{Method: "GET", Pattern: "/account/privacy", Gets: gets{Own: 200, Stranger: 200, OtherToken: 303, Revoked: 303, Nobody: 303}},
	{Method: "POST", Pattern: "/account/privacy/export", Gets: gets{Own: 200, Stranger: 200, OtherToken: 401, Revoked: 401, Nobody: 401}},
	{Method: "POST", Pattern: "/account/privacy/delete", Body: "password=a+wrong+guess", Gets: ownAccount},
	{Method: "POST", Pattern: "/account/email/send", Gets: gets{Own: 303, Stranger: 303, OtherToken: 401, Revoked: 401, Nobody: 401}},
	{Method: "POST", Pattern: "/account/name", Body: "name=" + strings.Repeat("x", 101), Gets: ownAccount},
	{Method: "POST", Pattern: "/account/appearance", Body: "appearance=sepia", Gets: ownAccount},
	{Method: "POST", Pattern: "/account/sessions/end", Body: "session=unknown", Gets: gets{Own: 404, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}},
	{Method: "POST", Pattern: "/account/sessions/end-others", Gets: gets{Own: 303, Stranger: 303, OtherToken: 401, Revoked: 401, Nobody: 401}},
	{Method: "POST", Pattern: "/account/password", Body: "old_password=a+wrong+guess&new_password=short", Gets: ownAccount},

	{Method: "POST", Pattern: "/api/v1/chat", Body: `{"message":"When does it open?"}`, Gets: byToken},
	{Method: "POST", Pattern: "/api/v1/chat", Body: `{"message":"And then?","conversation_id":":conversation_id"}`, Gets: byTokenWithID},
	{Method: "POST", Pattern: "/api/v1/chat/stream", Body: `{"message":"When does it open?"}`, Gets: byToken},
	{Method: "POST", Pattern: "/api/v1/chat/stream", Body: `{"message":"And then?","conversation_id":":conversation_id"}`, Gets: byTokenWithID},
	{Method: "POST", Pattern: "/api/v1/conversations", Body: `{}`, Gets: byToken},
	{Method: "GET", Pattern: "/api/v1/conversations", Gets: byToken},
	{Method: "GET", Pattern: "/api/v1/conversations/:conversation_id", Gets: byTokenWithID},
	{Method: "PATCH", Pattern: "/api/v1/conversations/:conversation_id", Body: `{"title":"Another","metadata":{"order":"4711"}}`, Gets: byTokenWithID},
	{Method: "POST", Pattern: "/api/v1/mcp", Body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"When does it open?"}}}`, Gets: byToken},
	{Method: "GET", Pattern: "/api/v1/conversations/:conversation_id/messages", Gets: byTokenWithID},
	{Method: "GET", Pattern: "/api/v1/conversations/:conversation_id/stream", Gets: byTokenWithID},
	{Method: "POST", Pattern: "/api/v1/conversations/:conversation_id/stop", Gets: byTokenWithID},
	{Method: "POST", Pattern: "/api/v1/messages/:message_id/feedback", Body: `{"rating":"down"}`, Gets: byTokenWithID},
	{Method: "GET", Pattern: "/api/v1/knowledge/documents", Gets: byToken},
	{Method: "POST", Pattern: "/api/v1/knowledge/documents", Body: `{}`, Gets: noText},
	{Method: "GET", Pattern: "/api/v1/knowledge/documents/:document_id", Gets: byTokenWithID},
	{Method: "PUT", Pattern: "/api/v1/knowledge/documents/external/:external_id", path: "/api/v1/knowledge/documents/external/hours", Body: `{}`, Gets: noText},
	{Method: "GET", Pattern: "/api/v1/knowledge/documents/external/:external_id", Gets: byTokenWithID},
	{Method: "GET", Pattern: "/api/v1/knowledge/removals", Gets: byToken},
	{Method: "GET", Pattern: "/api/v1/knowledge/removals/:removal_id", Gets: byTokenWithID},
	{Method: "POST", Pattern: "/api/v1/openai/chat/completions", Body: `{"messages":[{"role":"user","content":"When does it open?"}]}`, Gets: byToken},
	{Method: "POST", Pattern: "/api/v1/openai/chat/completions", Body: `{"messages":[{"role":"user","content":"And then?"}],"metadata":{"conversation_id":":conversation_id"}}`, Gets: byTokenWithID},
	{Method: "POST", Pattern: "/api/v1/openai/responses", Body: `{"input":"When does it open?"}`, Gets: byToken},
	{Method: "POST", Pattern: "/api/v1/openai/responses", Body: `{"input":"And then?","previous_response_id":":response_id"}`, Gets: byTokenWithID},
	{Method: "GET", Pattern: "/api/v1/openai/models", Gets: byToken},
	{Method: "GET", Pattern: "/api/v1/chatbot", Gets: byToken},
	{Method: "GET", Pattern: "/api/v1/openai/models/:model", path: "/api/v1/openai/models/chatbot", Gets: byToken},

	{Method: "GET", Pattern: "/workspaces/:workspace", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/workspaces/:workspace/models", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/workspaces/:workspace/models/:provider", Gets: APage, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/workspaces/:workspace/settings/sso", Gets: APage, Least: tenant.RoleOwner},
	{Method: "GET", Pattern: "/workspaces/:workspace/webhooks", Gets: APage, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/workspaces/:workspace/webhooks/:webhook", Gets: APage, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/workspaces/:workspace/members", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/workspaces/:workspace/billing", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/workspaces/:workspace/billing/change", path: "/workspaces/:workspace/billing/change?plan=basic", Gets: APage, Least: tenant.RoleOwner},
	{Method: "GET", Pattern: "/workspaces/:workspace/billing/invoices", Gets: gets{Own: 403, Stranger: 404, OtherToken: 303, Revoked: 303, Nobody: 303}, Least: tenant.RoleOwner},
	{Method: "GET", Pattern: "/workspaces/:workspace/plan", Gets: aMove, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/workspaces/:workspace/plan/return", Gets: aMove, Least: tenant.RoleOwner},
	{Method: "GET", Pattern: "/workspaces/:workspace/usage", Gets: aMove, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/workspaces/:workspace/billing/return", Gets: gets{Own: 403, Stranger: 404, OtherToken: 303, Revoked: 303, Nobody: 303}, Least: tenant.RoleOwner},
	{Method: "GET", Pattern: "/workspaces/:workspace/limits", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/workspaces/:workspace/privacy", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/workspaces/:workspace/erasures", Gets: bySession, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/workspaces/:workspace/audit", Gets: APage, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/workspaces/:workspace/audit/export", Gets: APage, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/workspaces/:workspace/audit/:entry", Gets: APage, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/workspaces/:workspace/settings", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/welcome", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/settings", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/knowledge", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/knowledge/removed", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/playground", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/deploy", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/knowledge/add", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/knowledge/addresses", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/knowledge/:document", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/knowledge/:document/original", Gets: noFile, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/evaluate", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/conversations", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/conversations/export", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/conversations/:conversation", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/messages/:message", Gets: gets{Own: 303, Stranger: 404, OtherToken: 303, Revoked: 303, Nobody: 303}, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/improve", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/improve/answer", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/improve/check/:document", path: "/chatbots/:chatbot/improve/check/:document?question=Do+you+deliver%3F", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/improve/tests", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/improve/tests/export", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/improve/tests/import", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/improve/tests/compare", path: "/chatbots/:chatbot/improve/tests/compare?after=:run", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/improve/tests/:question", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/analytics", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/chatbots/:chatbot/tokens", Gets: APage, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/api-tokens", Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/retention", Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/models", Gets: bySession, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/api/chatbots/:id/documents", Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/documents/:document_id", Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/removals", Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/playground/conversations/:conversation_id/messages", path: "/api/chatbots/:id/playground/conversations/:tried/messages", Gets: ownTrial, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/playground/conversations/:conversation_id/stream", path: "/api/chatbots/:id/playground/conversations/:tried/stream", Gets: gets{Own: 404, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/workspaces/:workspace/find", path: "/api/workspaces/:workspace/find?q=document", Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/suggestions", Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/sources", Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/messages/:message/feedback", Body: `{"rating":"up"}`, Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/conversations/:conversation/:message/rate", Body: "rating=down", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/:message/dismiss", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/answer", Body: "question=Do+you+deliver%3F&answer=Yes.", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/check/:document", Body: "question=Do+you+deliver%3F", Gets: aResult, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/tests", Body: "question=Do+you+deliver%3F&expects=answer", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/tests/run", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/tests/runs/:run/cancel", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/tests/import", Body: WithFile(Fields("none", ""), "file", "questions.csv", "question\nDo you deliver on Sundays?"), Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/tests/:question", Body: "question=Do+you+deliver+today%3F&expects=answer", Gets: aForm, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/test-questions", Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/test-questions", Body: `{"question":"Do you deliver on Mondays?"}`, Gets: bySession, Least: tenant.RoleMember},
	{Method: "PUT", Pattern: "/api/chatbots/:id/test-questions", Body: `{"questions":[{"question":"Do you deliver on Tuesdays?"}]}`, Gets: bySession, Least: tenant.RoleMember},
	{Method: "PUT", Pattern: "/api/chatbots/:id/test-questions/:question_id", path: "/api/chatbots/:id/test-questions/:question", Body: `{"question":"Do you deliver abroad?"}`, Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/test-runs", Gets: bySession, Least: tenant.RoleMember},
	{Method: "GET", Pattern: "/api/chatbots/:id/test-runs/:run_id", path: "/api/chatbots/:id/test-runs/:run", Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/test-runs/:run_id/cancel", path: "/api/chatbots/:id/test-runs/:run/cancel", Gets: notNow, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/test-runs", Gets: bySession, Least: tenant.RoleMember},
	{Method: "DELETE", Pattern: "/api/chatbots/:id/test-questions/:question_id", path: "/api/chatbots/:id/test-questions/:other_question", Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/tests/:question/remove", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/improve/tests/undo", path: "/chatbots/:chatbot/improve/tests/undo?question=1", Gets: aForm, Least: tenant.RoleMember},

	{Method: "POST", Pattern: "/workspaces/:workspace/chatbots", Body: "name=Another", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/models", Body: "kind=openai&name=Another", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/settings/sso", Body: "issuer=https%3A%2F%2Flogin.example.com&client_id=another&domain=example.com", Gets: aForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/settings/sso/try", Body: "issuer=https%3A%2F%2F127.0.0.1&client_id=a&client_secret=b&domain=example.com", Gets: aChoice, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/settings/sso/domain", Gets: aForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/settings/sso/delete", Gets: aForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/webhooks", Body: "url=https%3A%2F%2F127.0.0.1%2Fin&message.completed=on", Gets: aChoice, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/webhooks/:webhook", Body: "url=https%3A%2F%2F127.0.0.1%2Fin&message.completed=on", Gets: aChoice, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/webhooks/:webhook/test", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/webhooks/:webhook/deliveries/:delivery/send", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/webhooks/:webhook/rotate", Gets: aResult, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/webhooks/:webhook/pause", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/webhooks/:webhook/resume", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/webhooks/:webhook/delete", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/models/try", Body: "kind=openai&base_url=https%3A%2F%2F127.0.0.1%2Fv1", Gets: aChoice, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/models/:provider/try", Body: "base_url=https%3A%2F%2F127.0.0.1%2Fv1", Gets: aChoice, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/models/:provider", Body: "name=Renamed", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/models/:provider/delete", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/billing", Body: "plan=premium", Gets: aForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/billing/checkout", Body: "plan=premium&interval=monthly", Gets: noSale, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/billing/portal", Gets: noSale, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/plan", Body: "plan=premium", Gets: aMovedForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/plan/checkout", Body: "plan=premium&interval=monthly", Gets: aMovedForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/plan/portal", Gets: aMovedForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/limits", Body: "resource=chatbots", Gets: aForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/invitations", Body: "email=guest%40example.com&role=member", Gets: aResult, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/invitations/:invitation/cancel", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/members/:user/role", Body: "role=admin", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/members/:user/remove", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/api/chatbots/:id/api-tokens", Body: `{"name":"Another"}`, Gets: bySession, Least: tenant.RoleAdmin},
	{Method: "PATCH", Pattern: "/api/chatbots/:id/api-tokens/:token_id", Body: `{"name":"Renamed"}`, Gets: bySession, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/api/chatbots/:id/api-tokens/:token_id/roll", Body: `{"overlap_days":7}`, Gets: bySession, Least: tenant.RoleAdmin},
	{Method: "DELETE", Pattern: "/api/chatbots/:id/api-tokens/:token_id", Gets: bySession, Least: tenant.RoleAdmin},
	{Method: "PATCH", Pattern: "/api/chatbots/:id/retention", Body: `{"retention_days":300}`, Gets: bySession, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/api/chatbots/:id/documents", Body: `{"title":"Another","content":"One more."}`, Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/documents/batch", Body: WithFile(Fields("none", ""), "file", "one.txt", "One of several."), Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/playground/stream", Body: `{"message":"When does it open?"}`, Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/playground/conversations/:conversation_id/stop", path: "/api/chatbots/:id/playground/conversations/:tried/stop", Gets: ownTrial, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/evaluate", Body: `{"questions":[{"question":"When does it open?","document_id":":document_id"}]}`, Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/documents/:document_id/retry", path: "/api/chatbots/:id/documents/:failed/retry", Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/documents/:document_id/cancel", Gets: notNow, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/sources", Body: `{"url":"http://127.0.0.1/another"}`, Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/api/chatbots/:id/sources/:source_id/sync", Gets: bySession, Least: tenant.RoleMember},
	{Method: "DELETE", Pattern: "/api/chatbots/:id/sources/:source_id", Gets: bySession, Least: tenant.RoleMember},
	{Method: "DELETE", Pattern: "/api/chatbots/:id/documents/:document_id", Gets: bySession, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/welcome", Body: WithFile(Fields("url", ""), "files", "welcome.md", "# Welcome"), Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge", Body: Upload("Typed", "Typed text."), Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/pairs", Body: Fields("pairs_title", "Asked", "pairs", "When?,At ten."), Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/files", Body: WithFile(Fields("none", ""), "files", "page.html", "<p>A page.</p>"), Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/sources", Body: "url=http%3A%2F%2F127.0.0.1%2Fone-more&reach=page", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/:document/retry", path: "/chatbots/:chatbot/knowledge/:failed/retry", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/remove", Body: "document=:failed", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/sources/:source/sync", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/sources/:source/remove", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/evaluate", Body: "questions=When+does+it+open%3F", Gets: aResult, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/undo", path: "/chatbots/:chatbot/knowledge/undo?until=1", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/:document/cancel", Gets: notNow, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/again", Body: "document=:document", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/knowledge/:document/remove", Gets: aForm, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/chatbots/:chatbot/settings", Body: "name=Renamed", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "DELETE", Pattern: "/api/v1/knowledge/documents/:document_id", path: "/api/v1/knowledge/documents/:given", Gets: byTokenWithID},
	{Method: "DELETE", Pattern: "/api/v1/knowledge/documents/external/:external_id", Gets: byTokenWithID},
	{Method: "DELETE", Pattern: "/api/v1/conversations/:conversation_id", path: "/api/v1/conversations/:deleted", Gets: byTokenWithID},
	{Method: "POST", Pattern: "/chatbots/:chatbot/conversations/:conversation/delete", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/chatbots/:chatbot/playground/publish", Body: "instructions=Overtaken&grounding=open&seen=another", Gets: notNow, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/chatbots/:chatbot/delete", Body: "confirm_name=Renamed", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/settings/second-factor", Body: "required=on", Gets: notNow, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/leave", Gets: aChoice, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/workspaces/:workspace/settings", Body: "name=quillon", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/privacy/export", Gets: aResult, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/privacy/end-user/export", Body: "external_user_id=nobody", Gets: aChoice, Least: tenant.RoleAdmin},
	{Method: "POST", Pattern: "/workspaces/:workspace/privacy/end-user/erase", Body: "erased_user_id=nobody&sure=on", Gets: aForm, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/api/workspaces/:workspace/end-users/:external_user_id", path: "/api/workspaces/:workspace/end-users/nobody", Gets: gets{Own: 404, Stranger: 404, OtherToken: 401, Revoked: 401, Nobody: 401}, Least: tenant.RoleAdmin},
	{Method: "DELETE", Pattern: "/api/workspaces/:workspace/end-users/:external_user_id", path: "/api/workspaces/:workspace/end-users/nobody", Gets: bySession, Least: tenant.RoleAdmin},
	{Method: "GET", Pattern: "/workspaces/:workspace/deletion", Gets: gets{Own: 303, Stranger: 404, OtherToken: 303, Revoked: 303, Nobody: 303}, Least: tenant.RoleMember},
	{Method: "POST", Pattern: "/workspaces/:workspace/delete", Body: "confirm_name=quillon", Gets: aForm, Least: tenant.RoleOwner},
	{Method: "POST", Pattern: "/workspaces/:workspace/restore", Gets: aForm, Least: tenant.RoleOwner},
}
