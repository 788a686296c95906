package api

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/audit"
	"parley/core/tenant"
	"parley/e2e/harness"
)

// The reasons for which a route or command leaves no entry in the audit log.
const (
	talks       = "what is asked and answered is kept as messages and usage records, not in the audit log"
	works       = "the index is made again of what is stored, and no workspace changes"
	idle        = "the document is not being worked on here; else it is recorded as document.canceled: see TestKnowledgeIsRecorded in core/knowledge"
	thinks      = "what is thought of an answer is kept with it, and changes nothing about the chatbot"
	overtaken   = "the settings have changed since they were seen, and nothing is saved; else it is recorded as chatbot.changed: see TestPlaygroundPage"
	undoes      = "nothing was removed that could be brought back; what is brought back is recorded as document.restored"
	measures    = "it asks questions and keeps nothing"
	looks       = "it is how a person sees the dashboard, and changes nothing for anybody else"
	others      = "no such browser is signed in here; one that is ended is recorded as sessions.ended: see TestAccountPages"
	noStep      = "no sign-in waits for a second factor here; see TestSecondFactorOnTwoServers and TestPasskeys, whose sign-ins are recorded"
	noFactor    = "nobody has a second factor here, and a first code is wrong; see package factor, whose tests find the entries"
	asks        = "it asks a provider what it has, and keeps nothing"
	leads       = "it leads on to the route that records"
	tries       = "what was sent is listed among the webhook's deliveries, and nothing else changes"
	sells       = "nothing changes before Stripe says so, which is recorded as subscription.changed"
	reads       = "it reads only"
	runs        = "it runs the server, whose acts are recorded one by one"
	byLink      = "there is no mail with a link here; who follows one is recorded as account.created, email.changed, email.confirmed or password.changed: see TestSignUpByMail and TestConfirmEmail"
	departs     = "it leads to an identity provider; what comes back is recorded: see TestSingleSignOn"
	noRecord    = "the DNS has no record here; one that is found is recorded as sso.domain_confirmed"
	fromWebhook = "an event that changes a subscription is recorded as subscription.changed: see TestStripe"
)

// routeRecords says of each route that may change something what its row in
// rows leaves in the audit log: an action, or a reason for none.
var routeRecords = map[string]struct {
	action audit.Action
	reason string
}{
	"POST /sign-up":              {action: audit.AccountCreated},
	"POST /sign-up/finish":       {reason: byLink},
	"POST /account/email":        {reason: byLink},
	"POST /sign-in":              {action: audit.SignedIn},
	"POST /sign-in/sso":          {reason: departs},
	"POST /sign-in/provider":     {reason: departs},
	"POST /sign-out":             {action: audit.SignedOut},
	"POST /join":                 {action: audit.MemberJoined},
	"POST /account":              {reason: byLink},
	"POST /account/email/send":   {reason: byLink},
	"POST /forgot-password":      {reason: byLink},
	"POST /reset-password":       {reason: byLink},
	"POST /account/name":         {reason: looks},
	"POST /account/appearance":   {reason: looks},
	"POST /account/sessions/end": {reason: others},

	"POST /sign-in/second-factor":                        {reason: noStep},
	"POST /sign-in/second-factor/options":                {reason: noStep},
	"POST /sign-in/second-factor/passkey":                {reason: noStep},
	"POST /sign-in/passkey/options":                      {reason: noStep},
	"POST /sign-in/passkey":                              {reason: noStep},
	"POST /account/security/app":                         {reason: noFactor},
	"POST /account/security/app/confirm":                 {reason: noFactor},
	"POST /account/security/app/remove":                  {reason: noFactor},
	"POST /account/security/recovery-codes":              {reason: noFactor},
	"POST /account/security/passkeys/options":            {reason: noFactor},
	"POST /account/security/passkeys":                    {reason: noFactor},
	"POST /account/security/passkeys/:passkey/rename":    {reason: noFactor},
	"POST /account/security/passkeys/:passkey/remove":    {reason: noFactor},
	"POST /confirm":                                      {action: audit.SignInConfirmed},
	"POST /confirm/options":                              {reason: noFactor},
	"POST /confirm/provider":                             {reason: "there is no provider here; a proof is recorded as sign_in.confirmed: see TestSingleSignOn"},
	"POST /workspaces/:workspace/settings/second-factor": {reason: noFactor},

	"POST /account/sessions/end-others": {action: audit.SessionsEnded},
	"POST /account/password":            {action: audit.PasswordChanged},
	"POST " + harness.WebhookPath:       {reason: fromWebhook},
	"POST /api/v1/chat":                 {reason: talks},
	"POST /api/v1/chat/stream":          {reason: talks},

	"POST /api/v1/conversations":                       {reason: talks},
	"POST /api/v1/mcp":                                 {reason: talks},
	"POST /api/v1/conversations/:conversation_id/stop": {reason: talks},
	"PATCH /api/v1/conversations/:conversation_id":     {action: audit.ConversationChanged},
	"DELETE /api/v1/conversations/:conversation_id":    {action: audit.ConversationDeleted},

	"POST /api/v1/knowledge/documents":                         {action: audit.DocumentAdded},
	"PUT /api/v1/knowledge/documents/external/:external_id":    {action: audit.DocumentAdded},
	"DELETE /api/v1/knowledge/documents/:document_id":          {action: audit.DocumentRemoved},
	"DELETE /api/v1/knowledge/documents/external/:external_id": {action: audit.DocumentRemoved},

	"POST /api/v1/openai/chat/completions":              {reason: talks},
	"POST /api/v1/openai/responses":                     {reason: talks},
	"POST /api/v1/messages/:message_id/feedback":        {reason: talks},
	"POST /api/chatbots/:id/messages/:message/feedback": {reason: thinks},

	"POST /workspaces":                                                        {action: audit.WorkspaceCreated},
	"POST /workspaces/:workspace/settings":                                    {action: audit.WorkspaceRenamed},
	"POST /workspaces/:workspace/chatbots":                                    {action: audit.ChatbotCreated},
	"POST /workspaces/:workspace/models":                                      {action: audit.ProviderCreated},
	"POST /workspaces/:workspace/models/try":                                  {reason: asks},
	"POST /workspaces/:workspace/models/:provider/try":                        {reason: asks},
	"POST /workspaces/:workspace/models/:provider":                            {action: audit.ProviderChanged},
	"POST /workspaces/:workspace/models/:provider/delete":                     {action: audit.ProviderDeleted},
	"POST /workspaces/:workspace/settings/sso":                                {action: audit.SSOChanged},
	"POST /workspaces/:workspace/settings/sso/try":                            {reason: asks},
	"POST /workspaces/:workspace/settings/sso/domain":                         {reason: noRecord},
	"POST /workspaces/:workspace/settings/sso/delete":                         {action: audit.SSODeleted},
	"POST /workspaces/:workspace/webhooks":                                    {action: audit.WebhookCreated},
	"POST /workspaces/:workspace/webhooks/:webhook":                           {action: audit.WebhookChanged},
	"POST /workspaces/:workspace/webhooks/:webhook/test":                      {reason: tries},
	"POST /workspaces/:workspace/webhooks/:webhook/rotate":                    {action: audit.WebhookRotated},
	"POST /workspaces/:workspace/webhooks/:webhook/pause":                     {action: audit.WebhookPaused},
	"POST /workspaces/:workspace/webhooks/:webhook/resume":                    {action: audit.WebhookResumed},
	"POST /workspaces/:workspace/webhooks/:webhook/delete":                    {action: audit.WebhookDeleted},
	"POST /workspaces/:workspace/webhooks/:webhook/deliveries/:delivery/send": {action: audit.WebhookSentAgain},
	"POST /workspaces/:workspace/billing":                                     {action: audit.PlanChanged},
	"POST /workspaces/:workspace/billing/checkout":                            {reason: sells},
	"POST /workspaces/:workspace/billing/portal":                              {reason: sells},
	"POST /workspaces/:workspace/plan":                                        {reason: leads},
	"POST /workspaces/:workspace/plan/checkout":                               {reason: leads},
	"POST /workspaces/:workspace/plan/portal":                                 {reason: leads},
	"POST /workspaces/:workspace/limits":                                      {action: audit.LimitsChosen},
	"POST /workspaces/:workspace/invitations":                                 {action: audit.InvitationCreated},
	"POST /workspaces/:workspace/invitations/:invitation/cancel":              {action: audit.InvitationCanceled},
	"POST /workspaces/:workspace/members/:user/role":                          {action: audit.RoleChanged},
	"POST /workspaces/:workspace/members/:user/remove":                        {action: audit.MemberRemoved},
	"POST /workspaces/:workspace/leave":                                       {action: audit.MemberLeft},
	"POST /workspaces/:workspace/delete":                                      {action: audit.WorkspaceDeletionRequested},
	"POST /workspaces/:workspace/privacy/export":                              {action: audit.DataExported},
	"POST /workspaces/:workspace/privacy/end-user/export":                     {reason: "there is no such end user here; see TestPrivacyOfAnEndUser"},
	"POST /workspaces/:workspace/privacy/end-user/erase":                      {action: audit.EndUserErased},
	"DELETE /api/workspaces/:workspace/end-users/:external_user_id":           {action: audit.EndUserErased},
	"POST /account/privacy/export":                                            {action: audit.DataExported},
	"POST /account/privacy/delete":                                            {reason: "the account is still needed here; see TestDeleteAccount"},
	"POST /workspaces/:workspace/restore":                                     {action: audit.WorkspaceRestored},

	"POST /api/chatbots/:id/api-tokens":                                     {action: audit.TokenCreated},
	"PATCH /api/chatbots/:id/api-tokens/:token_id":                          {action: audit.TokenRenamed},
	"POST /api/chatbots/:id/api-tokens/:token_id/roll":                      {action: audit.TokenRolled},
	"DELETE /api/chatbots/:id/api-tokens/:token_id":                         {action: audit.TokenRevoked},
	"PATCH /api/chatbots/:id/retention":                                     {action: audit.ChatbotChanged},
	"POST /api/chatbots/:id/documents":                                      {action: audit.DocumentAdded},
	"POST /api/chatbots/:id/documents/batch":                                {action: audit.DocumentAdded},
	"POST /api/chatbots/:id/playground/stream":                              {reason: talks},
	"POST /api/chatbots/:id/playground/conversations/:conversation_id/stop": {reason: talks},
	"POST /api/chatbots/:id/evaluate":                                       {reason: measures},
	"POST /api/chatbots/:id/documents/:document_id/retry":                   {action: audit.DocumentReadAgain},
	"POST /api/chatbots/:id/documents/:document_id/cancel":                  {reason: idle},
	"POST /api/chatbots/:id/sources":                                        {action: audit.SourceAdded},
	"POST /api/chatbots/:id/sources/:source_id/sync":                        {action: audit.SourceSynced},
	"DELETE /api/chatbots/:id/sources/:source_id":                           {action: audit.SourceRemoved},
	"DELETE /api/chatbots/:id/documents/:document_id":                       {action: audit.DocumentRemoved},
	"POST /chatbots/:chatbot/welcome":                                       {action: audit.DocumentAdded},
	"POST /chatbots/:chatbot/knowledge":                                     {action: audit.DocumentAdded},
	"POST /chatbots/:chatbot/knowledge/pairs":                               {action: audit.DocumentAdded},
	"POST /chatbots/:chatbot/knowledge/files":                               {action: audit.DocumentAdded},
	"POST /chatbots/:chatbot/knowledge/sources":                             {action: audit.SourceAdded},
	"POST /chatbots/:chatbot/knowledge/again":                               {action: audit.DocumentReadAgain},
	"POST /chatbots/:chatbot/knowledge/undo":                                {reason: undoes},
	"POST /chatbots/:chatbot/knowledge/remove":                              {action: audit.DocumentRemoved},
	"POST /chatbots/:chatbot/knowledge/:document/retry":                     {action: audit.DocumentReadAgain},
	"POST /chatbots/:chatbot/knowledge/:document/cancel":                    {reason: idle},
	"POST /chatbots/:chatbot/knowledge/sources/:source/sync":                {action: audit.SourceSynced},
	"POST /chatbots/:chatbot/knowledge/sources/:source/remove":              {action: audit.SourceRemoved},
	"POST /chatbots/:chatbot/knowledge/:document/remove":                    {action: audit.DocumentRemoved},
	"POST /chatbots/:chatbot/conversations/:conversation/:message/rate":     {reason: thinks},
	"POST /chatbots/:chatbot/conversations/:conversation/delete":            {action: audit.ConversationDeleted},
	"POST /chatbots/:chatbot/improve/:message/dismiss":                      {reason: thinks},
	"POST /chatbots/:chatbot/improve/answer":                                {action: audit.DocumentAdded},
	"POST /chatbots/:chatbot/improve/check/:document":                       {reason: measures},
	"POST /chatbots/:chatbot/improve/tests":                                 {reason: measures},
	"POST /chatbots/:chatbot/improve/tests/run":                             {reason: measures},
	"POST /chatbots/:chatbot/improve/tests/import":                          {reason: measures},
	"POST /chatbots/:chatbot/improve/tests/runs/:run/cancel":                {reason: measures},
	"POST /chatbots/:chatbot/improve/tests/:question":                       {reason: measures},
	"POST /api/chatbots/:id/test-questions":                                 {reason: measures},
	"PUT /api/chatbots/:id/test-questions":                                  {reason: measures},
	"PUT /api/chatbots/:id/test-questions/:question_id":                     {reason: measures},
	"DELETE /api/chatbots/:id/test-questions/:question_id":                  {reason: measures},
	"POST /api/chatbots/:id/test-runs":                                      {reason: measures},
	"POST /api/chatbots/:id/test-runs/:run_id/cancel":                       {reason: measures},
	"POST /chatbots/:chatbot/improve/tests/:question/remove":                {reason: measures},
	"POST /chatbots/:chatbot/improve/tests/undo":                            {reason: measures},
	"POST /chatbots/:chatbot/playground/publish":                            {reason: overtaken},
	"POST /chatbots/:chatbot/evaluate":                                      {reason: measures},
	"POST /chatbots/:chatbot/settings":                                      {action: audit.ChatbotChanged},
	"POST /chatbots/:chatbot/delete":                                        {action: audit.ChatbotDeleted},
}

func TestEveryRouteLeavesARecord(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		mine := w.NewFullWorkspace("quillon")
		guest, err := w.Server.Tenants.Invitations.Invite(t.Context(), mine.Workspace, mine.Owner, "guest@quillon.example", tenant.RoleMember)
		w.Must(err)
		leaver := w.Employ(mine, tenant.RoleAdmin)
		const leaving = "POST /workspaces/:workspace/leave"
		// What the rows call with wrong values, so that nothing happens.
		bodies := map[string]string{
			"POST /sign-up":                    url.Values{"email": {"new@example.com"}, "password": {"a long enough password"}, "workspace": {"New"}}.Encode(),
			"POST /confirm":                    url.Values{"confirm_password": {mine.Password}}.Encode(),
			"POST /sign-in":                    url.Values{"email": {mine.Email}, "password": {mine.Password}}.Encode(),
			"POST /join":                       url.Values{"code": {guest}, "password": {"a long enough password"}}.Encode(),
			"POST /account":                    url.Values{"email": {"moved@example.com"}, "email_password": {mine.Password}}.Encode(),
			"POST /api/v1/knowledge/documents": `{"title":"Hours","content":"It opens at ten."}`,
			"PUT /api/v1/knowledge/documents/external/:external_id": `{"title":"Fees","content":"It costs ten euros."}`,
			leaving:                                "leave=yes",
			"POST /workspaces/:workspace/webhooks": url.Values{"url": {"http://" + harness.NobodyListens}, "quota.near": {"on"}}.Encode(),
			"POST /workspaces/:workspace/webhooks/:webhook": url.Values{"url": {"http://" + harness.NobodyListens}, "quota.near": {"on"}}.Encode(),
			"POST /workspaces":                     url.Values{"name": {"Another"}}.Encode(),
			"POST /workspaces/:workspace/settings": "name=Renamed",
			"POST /workspaces/:workspace/delete":   "confirm_name=Renamed",
			"POST /account/password":               url.Values{"old_password": {mine.Password}, "new_password": {"another long password"}}.Encode(),
		}
		for _, r := range harness.Routes {
			if !r.IsUnsafe() {
				continue
			}
			t.Run(r.Name(), func(t *testing.T) {
				w := w.Within(t)
				want, listed := routeRecords[r.Name()]
				if !listed {
					t.Fatal("it is not in routeRecords: say what it leaves in the audit log, or why nothing")
				}
				if body, given := bodies[r.Name()]; given {
					r.Body = body
				}
				credential := credential(w, mine, r)
				if r.Name() == leaving { // which the last owner cannot
					credential = w.Session(leaver)
				}
				before := w.Entries()
				answer := w.Try(r, mine.IDs, credential)
				entries := w.Entries()
				added := entries[:len(entries)-len(before)]
				if want.reason != "" {
					if len(added) != 0 {
						t.Errorf("it leaves %+v, though %s", added, want.reason)
					}
					return
				}
				i := slices.IndexFunc(added, func(e audit.Entry) bool { return e.Action == want.action })
				if i < 0 {
					t.Fatalf("%d: no %s among %+v", answer.StatusCode, want.action, added)
				}
				entry := added[i]
				known := entry.Actor.UserID != "" || r.TakesTokens() && strings.HasPrefix(entry.Actor.Name, "API token "+mine.Name+"'s program (parley_")
				if !known || entry.Origin.Address != "127.0.0.1" || entry.Origin.RequestID != "the-same" || entry.Object.ID == "" {
					t.Errorf("it does not say who, what and from where: %+v", entry)
				}
			})
		}
		t.Run("a deleted workspace's entries are there, and none has a secret", func(t *testing.T) {
			w := w.Within(t)
			kept := 0
			for _, entry := range w.Entries() {
				if entry.WorkspaceID == mine.Workspace {
					kept++
				}
				text := entry.Detail + entry.Object.Name + entry.Actor.Name
				for _, change := range entry.Changes {
					text += change.Old + change.New
				}
				for _, secret := range []string{mine.Token, mine.Password, guest, "a long enough password", "another long password"} {
					if strings.Contains(text, secret) {
						t.Errorf("%+v has a secret", entry)
					}
				}
			}
			if kept < 20 {
				t.Errorf("%d entries are left", kept)
			}
		})
	})
}
