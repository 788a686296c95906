package e2e

import (
	"strings"

	"parley/core/tenant"
)

// gets are the statuses that a route answers to each kind of caller.
type gets struct {
	// own is who the route is for: the workspace's owner, or its chatbot's
	// token. The ids of the call are the workspace's own.
	own int
	// stranger is the owner of another workspace, by session.
	stranger int
	// otherToken is the token of another chatbot, of this workspace or not.
	otherToken int
	// revoked is a token of the chatbot that has been revoked.
	revoked int
	// nobody has no credential.
	nobody int
	// colleague is another member of the workspace whose role may call the route:
	// what own is, where it is zero.
	colleague int
}

// What most routes answer.
var (
	byToken       = gets{own: 200, stranger: 401, otherToken: 200, revoked: 401, nobody: 401}
	byTokenWithID = gets{own: 200, stranger: 401, otherToken: 404, revoked: 401, nobody: 401}
	noText        = gets{own: 400, stranger: 401, otherToken: 400, revoked: 401, nobody: 401}
	bySession     = gets{own: 200, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}
	aPage         = gets{own: 200, stranger: 404, otherToken: 303, revoked: 303, nobody: 303}
	aMove         = gets{own: 301, stranger: 404, otherToken: 303, revoked: 303, nobody: 303}
	aMovedForm    = gets{own: 308, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}
	aForm         = gets{own: 303, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}
	aResult       = gets{own: 200, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}
	notNow        = gets{own: 409, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}
	noSale        = gets{own: 403, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}
	aChoice       = gets{own: 422, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}
	ownAccount    = gets{own: 422, stranger: 422, otherToken: 401, revoked: 401, nobody: 401}
	ownSetting    = gets{own: 303, stranger: 303, otherToken: 401, revoked: 401, nobody: 401}
	noPasskeys    = gets{own: 409, stranger: 409, otherToken: 401, revoked: 401, nobody: 401}
	notOwn        = gets{own: 404, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}
	ownTrial      = gets{own: 200, stranger: 404, otherToken: 401, revoked: 401, nobody: 401, colleague: 404}
	entrance      = gets{own: 303, stranger: 303, otherToken: 200, revoked: 200, nobody: 200}
)

func everyone(status int) gets { return gets{status, status, status, status, status, status} }

// rows are all routes, in an order in which the owner can call one after the
// other: what takes something away comes last.
var rows = []row{
	{method: "GET", route: "/healthz", gets: everyone(200)},
	{method: "GET", route: "/readyz", gets: everyone(200)},
	{method: "GET", route: descriptionPath, gets: everyone(200)},
	{method: "GET", route: "/.well-known/oauth-protected-resource", gets: everyone(200)},
	{method: "GET", route: "/.well-known/oauth-protected-resource/api/v1/mcp", gets: everyone(200)},
	{method: "GET", route: "/static/*", path: "/static/0/parley.css", gets: everyone(200)},
	{method: "GET", route: "/", gets: everyone(303)},
	{method: "GET", route: "/.well-known/security.txt", gets: everyone(404)}, // there is no contact
	{method: "GET", route: "/security-policy", gets: everyone(404)},
	{method: "GET", route: "/docs/api", gets: everyone(200)},
	{method: "GET", route: "/docs/api/:group", path: "/docs/api/chat", gets: everyone(200)},
	{method: "GET", route: "/sign-up", gets: entrance},
	{method: "POST", route: "/sign-up", body: "email=new%40example.com&password=short&workspace=New", gets: everyone(422)},
	{method: "GET", route: "/sign-up/finish", gets: everyone(200)},
	{method: "POST", route: "/sign-up/finish", body: "code=a-link&password=a+wrong+guess&workspace=New", gets: everyone(422)},
	{method: "GET", route: "/account/email", gets: everyone(200)},
	{method: "POST", route: "/account/email", body: "code=another-link", gets: everyone(422)},
	{method: "GET", route: "/sign-in", gets: entrance},
	{method: "POST", route: "/sign-in", body: "email=nobody%40example.com&password=a+wrong+guess", gets: everyone(401)},
	{method: "POST", route: "/sign-in/provider", gets: everyone(404)}, // there is none
	{method: "GET", route: "/sign-in/sso", gets: everyone(200)},
	{method: "POST", route: "/sign-in/sso", body: "email=nobody%40nowhere.example", gets: everyone(422)},
	{method: "GET", route: "/sign-in/sso/callback", gets: everyone(422)},
	{method: "GET", route: "/sign-in/sso/callback/:workspace", path: "/sign-in/sso/callback/ws_unknown", gets: everyone(422)},
	{method: "GET", route: "/sign-in/second-factor", gets: everyone(303)}, // no sign-in waits
	{method: "POST", route: "/sign-in/second-factor", body: "code=000000", gets: everyone(303)},
	{method: "POST", route: "/sign-in/second-factor/options", gets: everyone(409)}, // an address has no passkeys
	{method: "POST", route: "/sign-in/second-factor/passkey", body: "answer=%7B%7D", gets: everyone(303)},
	{method: "POST", route: "/sign-in/passkey/options", gets: everyone(409)},
	{method: "POST", route: "/sign-in/passkey", body: "answer=%7B%7D", gets: everyone(401)},
	{method: "POST", route: "/sign-out", gets: everyone(303)},
	{method: "GET", route: "/forgot-password", gets: everyone(200)},
	{method: "POST", route: "/forgot-password", body: "email=nobody%40example.com", gets: everyone(403)}, // there are no mails
	{method: "GET", route: "/reset-password", gets: everyone(200)},
	{method: "POST", route: "/reset-password", body: "code=a-third-link&password=a+wrong+guess", gets: everyone(422)},
	{method: "GET", route: "/join", gets: everyone(200)},
	{method: "POST", route: "/join", body: "code=a-guess&password=a+wrong+guess", gets: everyone(422)},
	{method: "POST", route: webhookPath, body: `{"type":"invoice.paid"}`, gets: everyone(404)}, // there is no Stripe
	{method: "GET", route: "/workspaces/new", gets: gets{own: 200, stranger: 200, otherToken: 303, revoked: 303, nobody: 303}},
	{method: "POST", route: "/workspaces", body: "name=", gets: ownAccount},
	{method: "GET", route: "/account", gets: gets{own: 200, stranger: 200, otherToken: 303, revoked: 303, nobody: 303}},
	{method: "POST", route: "/account", body: "email=nobody&email_password=a+wrong+guess", gets: ownAccount},
	{method: "GET", route: "/account/security", gets: gets{own: 200, stranger: 200, otherToken: 303, revoked: 303, nobody: 303}},
	{method: "GET", route: "/account/security/app", gets: everyone(303)}, // none waits for its first code
	{method: "POST", route: "/account/security/app", gets: ownSetting},
	{method: "POST", route: "/account/security/app/confirm", body: "code=000000", gets: ownAccount},
	{method: "POST", route: "/account/security/app/remove", gets: ownSetting},
	{method: "POST", route: "/account/security/recovery-codes", gets: ownSetting},
	{method: "POST", route: "/account/security/passkeys/options", gets: noPasskeys},
	{method: "POST", route: "/account/security/passkeys", body: "name=Phone&answer=%7B%7D", gets: noPasskeys},
	{method: "POST", route: "/account/security/passkeys/:passkey/rename", path: "/account/security/passkeys/pk_unknown/rename", body: "new_name=Phone", gets: notOwn},
	{method: "POST", route: "/account/security/passkeys/:passkey/remove", path: "/account/security/passkeys/pk_unknown/remove", gets: notOwn},
	{method: "GET", route: "/confirm", gets: gets{own: 200, stranger: 200, otherToken: 303, revoked: 303, nobody: 303}},
	{method: "POST", route: "/confirm", body: "confirm_password=a+wrong+guess", gets: ownAccount},
	{method: "POST", route: "/confirm/options", gets: noPasskeys},
	{method: "POST", route: "/confirm/provider", body: "workspace=", gets: notOwn},
	{method: "GET", route: "/account/sessions", gets: gets{own: 200, stranger: 200, otherToken: 303, revoked: 303, nobody: 303}},
	{method: "GET", route: "/account/appearance", gets: gets{own: 200, stranger: 200, otherToken: 303, revoked: 303, nobody: 303}},
	{method: "GET", route: "/account/privacy", gets: gets{own: 200, stranger: 200, otherToken: 303, revoked: 303, nobody: 303}},
	{method: "POST", route: "/account/privacy/export", gets: gets{own: 200, stranger: 200, otherToken: 401, revoked: 401, nobody: 401}},
	{method: "POST", route: "/account/privacy/delete", body: "password=a+wrong+guess", gets: ownAccount},
	{method: "POST", route: "/account/email/send", gets: gets{own: 303, stranger: 303, otherToken: 401, revoked: 401, nobody: 401}},
	{method: "POST", route: "/account/name", body: "name=" + strings.Repeat("x", 101), gets: ownAccount},
	{method: "POST", route: "/account/appearance", body: "appearance=sepia", gets: ownAccount},
	{method: "POST", route: "/account/sessions/end", body: "session=unknown", gets: gets{own: 404, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}},
	{method: "POST", route: "/account/sessions/end-others", gets: gets{own: 303, stranger: 303, otherToken: 401, revoked: 401, nobody: 401}},
	{method: "POST", route: "/account/password", body: "old_password=a+wrong+guess&new_password=short", gets: ownAccount},

	{method: "POST", route: "/api/v1/chat", body: `{"message":"When does it open?"}`, gets: byToken},
	{method: "POST", route: "/api/v1/chat", body: `{"message":"And then?","conversation_id":":conversation_id"}`, gets: byTokenWithID},
	{method: "POST", route: "/api/v1/chat/stream", body: `{"message":"When does it open?"}`, gets: byToken},
	{method: "POST", route: "/api/v1/chat/stream", body: `{"message":"And then?","conversation_id":":conversation_id"}`, gets: byTokenWithID},
	{method: "POST", route: "/api/v1/conversations", body: `{}`, gets: byToken},
	{method: "GET", route: "/api/v1/conversations", gets: byToken},
	{method: "GET", route: "/api/v1/conversations/:conversation_id", gets: byTokenWithID},
	{method: "PATCH", route: "/api/v1/conversations/:conversation_id", body: `{"title":"Another","metadata":{"order":"4711"}}`, gets: byTokenWithID},
	{method: "POST", route: "/api/v1/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"When does it open?"}}}`, gets: byToken},
	{method: "GET", route: "/api/v1/conversations/:conversation_id/messages", gets: byTokenWithID},
	{method: "GET", route: "/api/v1/conversations/:conversation_id/stream", gets: byTokenWithID},
	{method: "POST", route: "/api/v1/conversations/:conversation_id/stop", gets: byTokenWithID},
	{method: "POST", route: "/api/v1/messages/:message_id/feedback", body: `{"rating":"down"}`, gets: byTokenWithID},
	{method: "GET", route: "/api/v1/knowledge/documents", gets: byToken},
	{method: "POST", route: "/api/v1/knowledge/documents", body: `{}`, gets: noText},
	{method: "GET", route: "/api/v1/knowledge/documents/:document_id", gets: byTokenWithID},
	{method: "PUT", route: "/api/v1/knowledge/documents/external/:external_id", path: "/api/v1/knowledge/documents/external/hours", body: `{}`, gets: noText},
	{method: "GET", route: "/api/v1/knowledge/documents/external/:external_id", gets: byTokenWithID},
	{method: "GET", route: "/api/v1/knowledge/removals", gets: byToken},
	{method: "GET", route: "/api/v1/knowledge/removals/:removal_id", gets: byTokenWithID},
	{method: "POST", route: "/api/v1/openai/chat/completions", body: `{"messages":[{"role":"user","content":"When does it open?"}]}`, gets: byToken},
	{method: "POST", route: "/api/v1/openai/chat/completions", body: `{"messages":[{"role":"user","content":"And then?"}],"metadata":{"conversation_id":":conversation_id"}}`, gets: byTokenWithID},
	{method: "POST", route: "/api/v1/openai/responses", body: `{"input":"When does it open?"}`, gets: byToken},
	{method: "POST", route: "/api/v1/openai/responses", body: `{"input":"And then?","previous_response_id":":response_id"}`, gets: byTokenWithID},
	{method: "GET", route: "/api/v1/openai/models", gets: byToken},
	{method: "GET", route: "/api/v1/chatbot", gets: byToken},
	{method: "GET", route: "/api/v1/openai/models/:model", path: "/api/v1/openai/models/chatbot", gets: byToken},

	{method: "GET", route: "/workspaces/:workspace", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/workspaces/:workspace/models", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/workspaces/:workspace/models/:provider", gets: aPage, least: tenant.RoleAdmin},
	{method: "GET", route: "/workspaces/:workspace/settings/sso", gets: aPage, least: tenant.RoleOwner},
	{method: "GET", route: "/workspaces/:workspace/webhooks", gets: aPage, least: tenant.RoleAdmin},
	{method: "GET", route: "/workspaces/:workspace/webhooks/:webhook", gets: aPage, least: tenant.RoleAdmin},
	{method: "GET", route: "/workspaces/:workspace/members", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/workspaces/:workspace/billing", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/workspaces/:workspace/billing/change", path: "/workspaces/:workspace/billing/change?plan=basic", gets: aPage, least: tenant.RoleOwner},
	{method: "GET", route: "/workspaces/:workspace/billing/invoices", gets: gets{own: 403, stranger: 404, otherToken: 303, revoked: 303, nobody: 303}, least: tenant.RoleOwner},
	{method: "GET", route: "/workspaces/:workspace/plan", gets: aMove, least: tenant.RoleMember},
	{method: "GET", route: "/workspaces/:workspace/plan/return", gets: aMove, least: tenant.RoleOwner},
	{method: "GET", route: "/workspaces/:workspace/usage", gets: aMove, least: tenant.RoleMember},
	{method: "GET", route: "/workspaces/:workspace/billing/return", gets: gets{own: 403, stranger: 404, otherToken: 303, revoked: 303, nobody: 303}, least: tenant.RoleOwner},
	{method: "GET", route: "/workspaces/:workspace/limits", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/workspaces/:workspace/privacy", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/api/workspaces/:workspace/erasures", gets: bySession, least: tenant.RoleAdmin},
	{method: "GET", route: "/workspaces/:workspace/audit", gets: aPage, least: tenant.RoleAdmin},
	{method: "GET", route: "/workspaces/:workspace/audit/export", gets: aPage, least: tenant.RoleAdmin},
	{method: "GET", route: "/workspaces/:workspace/audit/:entry", gets: aPage, least: tenant.RoleAdmin},
	{method: "GET", route: "/workspaces/:workspace/settings", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/welcome", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/settings", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/knowledge", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/knowledge/removed", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/playground", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/deploy", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/knowledge/add", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/knowledge/addresses", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/knowledge/:document", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/evaluate", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/conversations", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/conversations/export", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/conversations/:conversation", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/messages/:message", gets: gets{own: 303, stranger: 404, otherToken: 303, revoked: 303, nobody: 303}, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/improve", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/improve/answer", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/improve/check/:document", path: "/chatbots/:chatbot/improve/check/:document?question=Do+you+deliver%3F", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/improve/tests", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/improve/tests/export", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/improve/tests/import", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/improve/tests/compare", path: "/chatbots/:chatbot/improve/tests/compare?after=:run", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/improve/tests/:question", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/analytics", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/chatbots/:chatbot/tokens", gets: aPage, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/api-tokens", gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/retention", gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/models", gets: bySession, least: tenant.RoleAdmin},
	{method: "GET", route: "/api/chatbots/:id/documents", gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/documents/:document_id", gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/removals", gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/playground/conversations/:conversation_id/messages", path: "/api/chatbots/:id/playground/conversations/:tried/messages", gets: ownTrial, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/playground/conversations/:conversation_id/stream", path: "/api/chatbots/:id/playground/conversations/:tried/stream", gets: gets{own: 404, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}, least: tenant.RoleMember},
	{method: "GET", route: "/api/workspaces/:workspace/find", path: "/api/workspaces/:workspace/find?q=document", gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/suggestions", gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/sources", gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/messages/:message/feedback", body: `{"rating":"up"}`, gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/conversations/:conversation/:message/rate", body: "rating=down", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/:message/dismiss", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/answer", body: "question=Do+you+deliver%3F&answer=Yes.", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/check/:document", body: "question=Do+you+deliver%3F", gets: aResult, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/tests", body: "question=Do+you+deliver%3F&expects=answer", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/tests/run", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/tests/runs/:run/cancel", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/tests/import", body: withFile(fields("none", ""), "file", "questions.csv", "question\nDo you deliver on Sundays?"), gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/tests/:question", body: "question=Do+you+deliver+today%3F&expects=answer", gets: aForm, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/test-questions", gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/test-questions", body: `{"question":"Do you deliver on Mondays?"}`, gets: bySession, least: tenant.RoleMember},
	{method: "PUT", route: "/api/chatbots/:id/test-questions", body: `{"questions":[{"question":"Do you deliver on Tuesdays?"}]}`, gets: bySession, least: tenant.RoleMember},
	{method: "PUT", route: "/api/chatbots/:id/test-questions/:question_id", path: "/api/chatbots/:id/test-questions/:question", body: `{"question":"Do you deliver abroad?"}`, gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/test-runs", gets: bySession, least: tenant.RoleMember},
	{method: "GET", route: "/api/chatbots/:id/test-runs/:run_id", path: "/api/chatbots/:id/test-runs/:run", gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/test-runs/:run_id/cancel", path: "/api/chatbots/:id/test-runs/:run/cancel", gets: notNow, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/test-runs", gets: bySession, least: tenant.RoleMember},
	{method: "DELETE", route: "/api/chatbots/:id/test-questions/:question_id", path: "/api/chatbots/:id/test-questions/:other_question", gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/tests/:question/remove", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/improve/tests/undo", path: "/chatbots/:chatbot/improve/tests/undo?question=1", gets: aForm, least: tenant.RoleMember},

	{method: "POST", route: "/workspaces/:workspace/chatbots", body: "name=Another", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/models", body: "kind=openai&name=Another", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/settings/sso", body: "issuer=https%3A%2F%2Flogin.example.com&client_id=another&domain=example.com", gets: aForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/settings/sso/try", body: "issuer=https%3A%2F%2F127.0.0.1&client_id=a&client_secret=b&domain=example.com", gets: aChoice, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/settings/sso/domain", gets: aForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/settings/sso/delete", gets: aForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/webhooks", body: "url=https%3A%2F%2F127.0.0.1%2Fin&message.completed=on", gets: aChoice, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/webhooks/:webhook", body: "url=https%3A%2F%2F127.0.0.1%2Fin&message.completed=on", gets: aChoice, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/webhooks/:webhook/test", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/webhooks/:webhook/deliveries/:delivery/send", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/webhooks/:webhook/rotate", gets: aResult, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/webhooks/:webhook/pause", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/webhooks/:webhook/resume", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/webhooks/:webhook/delete", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/models/try", body: "kind=openai&base_url=https%3A%2F%2F127.0.0.1%2Fv1", gets: aChoice, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/models/:provider/try", body: "base_url=https%3A%2F%2F127.0.0.1%2Fv1", gets: aChoice, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/models/:provider", body: "name=Renamed", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/models/:provider/delete", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/billing", body: "plan=premium", gets: aForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/billing/checkout", body: "plan=premium&interval=monthly", gets: noSale, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/billing/portal", gets: noSale, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/plan", body: "plan=premium", gets: aMovedForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/plan/checkout", body: "plan=premium&interval=monthly", gets: aMovedForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/plan/portal", gets: aMovedForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/limits", body: "resource=chatbots", gets: aForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/invitations", body: "email=guest%40example.com&role=member", gets: aResult, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/invitations/:invitation/cancel", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/members/:user/role", body: "role=admin", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/members/:user/remove", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/api/chatbots/:id/api-tokens", body: `{"name":"Another"}`, gets: bySession, least: tenant.RoleAdmin},
	{method: "PATCH", route: "/api/chatbots/:id/api-tokens/:token_id", body: `{"name":"Renamed"}`, gets: bySession, least: tenant.RoleAdmin},
	{method: "POST", route: "/api/chatbots/:id/api-tokens/:token_id/roll", body: `{"overlap_days":7}`, gets: bySession, least: tenant.RoleAdmin},
	{method: "DELETE", route: "/api/chatbots/:id/api-tokens/:token_id", gets: bySession, least: tenant.RoleAdmin},
	{method: "PATCH", route: "/api/chatbots/:id/retention", body: `{"retention_days":300}`, gets: bySession, least: tenant.RoleAdmin},
	{method: "POST", route: "/api/chatbots/:id/documents", body: `{"title":"Another","content":"One more."}`, gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/documents/batch", body: withFile(fields("none", ""), "file", "one.txt", "One of several."), gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/playground/stream", body: `{"message":"When does it open?"}`, gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/playground/conversations/:conversation_id/stop", path: "/api/chatbots/:id/playground/conversations/:tried/stop", gets: ownTrial, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/evaluate", body: `{"questions":[{"question":"When does it open?","document_id":":document_id"}]}`, gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/documents/:document_id/retry", path: "/api/chatbots/:id/documents/:failed/retry", gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/documents/:document_id/cancel", gets: notNow, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/sources", body: `{"url":"http://127.0.0.1/another"}`, gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/api/chatbots/:id/sources/:source_id/sync", gets: bySession, least: tenant.RoleMember},
	{method: "DELETE", route: "/api/chatbots/:id/sources/:source_id", gets: bySession, least: tenant.RoleMember},
	{method: "DELETE", route: "/api/chatbots/:id/documents/:document_id", gets: bySession, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/welcome", body: withFile(fields("url", ""), "files", "welcome.md", "# Welcome"), gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge", body: upload("Typed", "Typed text."), gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/pairs", body: fields("pairs_title", "Asked", "pairs", "When?,At ten."), gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/files", body: withFile(fields("none", ""), "files", "page.html", "<p>A page.</p>"), gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/sources", body: "url=http%3A%2F%2F127.0.0.1%2Fone-more&reach=page", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/:document/retry", path: "/chatbots/:chatbot/knowledge/:failed/retry", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/remove", body: "document=:failed", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/sources/:source/sync", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/sources/:source/remove", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/evaluate", body: "questions=When+does+it+open%3F", gets: aResult, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/undo", path: "/chatbots/:chatbot/knowledge/undo?until=1", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/:document/cancel", gets: notNow, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/again", body: "document=:document", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/knowledge/:document/remove", gets: aForm, least: tenant.RoleMember},
	{method: "POST", route: "/chatbots/:chatbot/settings", body: "name=Renamed", gets: aForm, least: tenant.RoleAdmin},
	{method: "DELETE", route: "/api/v1/knowledge/documents/:document_id", path: "/api/v1/knowledge/documents/:given", gets: byTokenWithID},
	{method: "DELETE", route: "/api/v1/knowledge/documents/external/:external_id", gets: byTokenWithID},
	{method: "DELETE", route: "/api/v1/conversations/:conversation_id", path: "/api/v1/conversations/:deleted", gets: byTokenWithID},
	{method: "POST", route: "/chatbots/:chatbot/conversations/:conversation/delete", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/chatbots/:chatbot/playground/publish", body: "instructions=Overtaken&grounding=open&seen=another", gets: notNow, least: tenant.RoleAdmin},
	{method: "POST", route: "/chatbots/:chatbot/delete", body: "confirm_name=Renamed", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/settings/second-factor", body: "required=on", gets: notNow, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/leave", gets: aChoice, least: tenant.RoleMember},
	{method: "POST", route: "/workspaces/:workspace/settings", body: "name=quillon", gets: aForm, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/privacy/export", gets: aResult, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/privacy/end-user/export", body: "external_user_id=nobody", gets: aChoice, least: tenant.RoleAdmin},
	{method: "POST", route: "/workspaces/:workspace/privacy/end-user/erase", body: "erased_user_id=nobody&sure=on", gets: aForm, least: tenant.RoleAdmin},
	{method: "GET", route: "/api/workspaces/:workspace/end-users/:external_user_id", path: "/api/workspaces/:workspace/end-users/nobody", gets: gets{own: 404, stranger: 404, otherToken: 401, revoked: 401, nobody: 401}, least: tenant.RoleAdmin},
	{method: "DELETE", route: "/api/workspaces/:workspace/end-users/:external_user_id", path: "/api/workspaces/:workspace/end-users/nobody", gets: bySession, least: tenant.RoleAdmin},
	{method: "GET", route: "/workspaces/:workspace/deletion", gets: gets{own: 303, stranger: 404, otherToken: 303, revoked: 303, nobody: 303}, least: tenant.RoleMember},
	{method: "POST", route: "/workspaces/:workspace/delete", body: "confirm_name=quillon", gets: aForm, least: tenant.RoleOwner},
	{method: "POST", route: "/workspaces/:workspace/restore", gets: aForm, least: tenant.RoleOwner},
}
