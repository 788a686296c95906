package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/isolation"
	"parley/core/tenant"
)

// lastUse is what changes by being asked: when a token was used last, how many
// questions of the month are used up, what the answers cost, and which first
// steps are done.
var lastUse = regexp.MustCompile(`"last_used_(at|ip|agent)":("[^"]*"|null)|(?s:<div class="meter[^"]*" id="usage-messages.*?</div>)|(?s:<section [^>]*id="checklist".*?</section>)|(?s:<span id="tokens-last-used".*?</span>)|(?s:<section id="spent".*?</section>)`)

// grows has the pages on which what is asked appears, as theirs is when a stranger
// asks the own chatbot.
var grows = map[string]bool{
	"/chatbots/:chatbot/conversations": true, "/chatbots/:chatbot/conversations/export": true, "/chatbots/:chatbot/conversations/:conversation": true,
	"/chatbots/:chatbot": true, "/chatbots/:chatbot/deploy": true,
	"/workspaces/:workspace/audit/export": true, // which the log records
	"/chatbots/:chatbot/improve":          true, "/chatbots/:chatbot/analytics": true,
}

// all is everything that the owner sees, but for the last use of tokens.
func (w *instance) all(e *fullWorkspace) string {
	w.Helper()
	var seen strings.Builder
	for _, r := range rows {
		if r.shows() && !grows[r.route] {
			answer := w.try(r, e.ids, w.session(e.owner))
			w.expect(answer, 200)
			seen.WriteString(lastUse.ReplaceAllString(answer.body, ""))
		}
	}
	conversationID, err := w.server.ConversationID(e.ids["conversation_id"])
	w.must(err)
	messages, _, err := w.server.Chat.Messages(w.Context(), &chatbot.Principal{Chatbot: e.bot}, chat.Ref{ConversationID: conversationID}, chat.Page{})
	w.must(err)
	fmt.Fprintf(&seen, "%v", messages)
	return seen.String()
}

func TestEveryRouteKeepsTenantsApart(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		w.hasNoRates()
		mine, theirs := w.newFullWorkspace("quillon"), w.newFullWorkspace("vexley")
		for _, e := range []*fullWorkspace{mine, theirs} {
			w.employ(e, tenant.RoleOwner) // the first may delete their account
		}
		before := w.all(mine) + w.all(theirs)
		unchanged := func(t *testing.T) {
			now := w.within(t).all(mine) + w.all(theirs)
			if now == before {
				return
			}
			at := 0
			for at < min(len(now), len(before)) && now[at] == before[at] {
				at++
			}
			from := max(0, at-200)
			t.Errorf("something is different now: it was …%q, and is …%q", before[from:min(len(before), at+200)], now[from:min(len(now), at+200)])
		}

		t.Run("every route has a row, and every row a route", func(t *testing.T) { allRoutes(t, w) })
		t.Run("the owner reads what is theirs", func(t *testing.T) {
			if !strings.Contains(before, mine.name) || !strings.Contains(before, mine.ids["token_id"]) {
				t.Error("the pages do not show what the others must not see")
			}
		})
		for _, r := range rows {
			t.Run("outsiders at "+r.name(), func(t *testing.T) { outsiders(w.within(t), r, mine, theirs) })
		}
		t.Run("nothing was changed by outsiders", unchanged)
		for _, r := range rows {
			for _, kind := range r.names() {
				t.Run("a foreign id and an unknown one of a "+kind+" are the same to "+r.name(), func(t *testing.T) {
					foreignIsUnknown(w.within(t), r, kind, mine, theirs)
				})
			}
		}
		t.Run("nothing was changed with foreign ids", unchanged)
		for _, r := range rows {
			t.Run("who may use it at "+r.name(), func(t *testing.T) {
				w := w.within(t)
				w.expect(w.try(r, mine.ids, w.credential(mine, r)), r.gets.own)
			})
		}
		t.Run("the log has no secret", func(t *testing.T) {
			w.within(t).notLogged(mine.token, theirs.token, mine.revoked, mine.password, "When does it open", "a wrong guess", "a-guess", "One more.", "Typed text")
		})
	})
}

// allRoutes compares the table with what is registered.
func allRoutes(t *testing.T, w *instance) {
	known := map[string]bool{}
	for _, r := range rows {
		known[r.name()] = true
	}
	registered := w.routesOf()
	for _, route := range registered {
		if !known[route] {
			t.Errorf("%s has no row: say in routes_test.go who gets what from it", route)
		}
	}
	for name := range known {
		if !slices.Contains(registered, name) {
			t.Errorf("%s has a row, but is not registered", name)
		}
	}
	tried := map[string]bool{}
	for _, call := range isolation.Calls() {
		tried[call.Name()] = true
		if !known[call.Name()] {
			t.Errorf("parley doctor isolation calls %s, which is not registered", call.Name())
		}
	}
	for _, route := range registered {
		if !tried[route] {
			t.Errorf("parley doctor isolation does not try %s: add it to core/isolation/calls_*.go", route)
		}
	}
	declares := map[string]bool{}
	for _, d := range w.server.Routes.All() {
		name := d.Method + " " + d.Path
		declares[name] = true
		for _, r := range rows {
			if r.name() != name {
				continue
			}
			if (d.Scope == "token") != r.takesTokens() {
				t.Errorf("%s declares the scope %s", name, d.Scope)
			}
			for _, role := range byRank {
				may := d.Scope == "member" && role.May(d.Action) == nil
				if r.least != "" && may != r.isFor(role) {
					t.Errorf("%s declares that the role %s may call it: %t", name, role, may)
				}
			}
		}
	}
	for _, name := range registered {
		if !declares[name] {
			t.Errorf("%s declares nothing: register it with route.Add", name)
		}
	}
}

// outsiders calls a row with valid ids of mine as everybody else.
func outsiders(w *instance, r row, mine, theirs *fullWorkspace) {
	type caller struct {
		who    string
		header header
		status int
	}
	callers := []caller{
		{"a stranger", w.session(theirs.owner), r.gets.stranger},
		{"another workspace's token", bearer(theirs.token), r.gets.otherToken},
		{"a sibling's token", bearer(mine.sibling.token), r.gets.otherToken},
		{"a revoked token", bearer(mine.revoked), r.gets.revoked},
		{"nobody", header{"X-Nothing", "1"}, r.gets.nobody},
	}
	if r.takesTokens() {
		callers = append(callers, caller{"the owner without a token", w.session(mine.owner), r.gets.nobody})
	} else {
		callers = append(callers, caller{"the chatbot's token without a session", bearer(mine.token), r.gets.nobody})
	}
	for _, caller := range callers {
		answer := w.try(r, mine.ids, caller.header)
		if answer.StatusCode != caller.status {
			w.Errorf("%s gets %d, want %d: %s", caller.who, answer.StatusCode, caller.status, shortened(answer.body))
		}
		if caller.who == "a sibling's token" && answer.StatusCode == http.StatusOK {
			continue // it may quote its own workspace's documents
		}
		w.reveals(caller.who, answer, mine.private())
	}
}

// reveals fails the test when an answer has a text. Location is left out: it
// repeats what was asked for.
func (w *instance) reveals(who string, answer reply, texts []string) {
	w.Helper()
	answer.Header.Del("Location")
	whole := strings.ToLower(fmt.Sprint(answer.Header) + answer.body)
	for _, text := range texts {
		if strings.Contains(whole, strings.ToLower(text)) {
			w.Errorf("%s reads %q in %s", who, text, shortened(whole))
		}
	}
}

var unknownIDs = ids{
	"workspace": "ws_0123456789abcdefghjkmnpq", "chatbot": "cb_0123456789abcdefghjkmnpq", "id": "cb_0123456789abcdefghjkmnpq",
	"token_id": "tok_0123456789abcdefghjkmnpq", "document": "doc_0123456789abcdefghjkmnpq", "document_id": "doc_0123456789abcdefghjkmnpq",
	"failed": "doc_0123456789abcdefghjkmnpq", "source": "src_0123456789abcdefghjkmnpq", "source_id": "src_0123456789abcdefghjkmnpq",
	"invitation": "inv_0123456789abcdefghjkmnpq", "user": "usr_0123456789abcdefghjkmnpq", "provider": "mp_0123456789abcdefghjkmnpq", "conversation_id": "9007199254740990", "deleted": "9007199254740990", "tried": "9007199254740990",
	"given": "doc_0123456789abcdefghjkmnpq", "removal_id": "rm_0123456789abcdefghjkmnpq", "external_id": "nothing-has-this-name",
	"webhook": "we_0123456789abcdefghjkmnpq", "delivery": "9007199254740990", "entry": "9007199254740990",
	"message": "9007199254740990", "conversation": "9007199254740990", "question": "tq_0123456789abcdefghjkmnpq", "other_question": "tq_0123456789abcdefghjkmnpq", "run": "tr_0123456789abcdefghjkmnpq", "message_id": "9007199254740990", "response_id": "resp_9007199254740990_9007199254740990",
}

// foreignIsUnknown calls a row as somebody who may, with one id that is not theirs.
func foreignIsUnknown(w *instance, r row, kind string, mine, theirs *fullWorkspace) {
	credential := w.credential(mine, r)
	answer := func(id string) string {
		got := w.try(r, mine.ids.with(kind, id), credential)
		w.expect(got, http.StatusNotFound)
		got.Header.Del("Date")
		got.Header.Del("RateLimit") // which counts
		return fmt.Sprint(got.StatusCode, got.Header, got.body)
	}
	unknown := answer(unknownIDs[kind])
	others := map[string]string{
		"another workspace's": theirs.ids[kind], "a malformed": "no-such.thing", "a hostile": "%ff%00'--", "a longer": mine.ids[kind] + "0",
	}
	if sibling, has := mine.sibling.ids[kind]; has && kind != "chatbot" && kind != "id" {
		others["a sibling's"] = sibling
	}
	for which, id := range others {
		if got := answer(id); got != unknown {
			w.Errorf("%s %s is answered with\n%s\nand an unknown one with\n%s", which, kind, got, unknown)
		}
	}
}

// notLogged fails the test when the log has a text.
func (w *instance) notLogged(secrets ...string) {
	w.Helper()
	log := w.log.String()
	if !strings.Contains(log, "msg=request") {
		w.Fatal("the log has no requests")
	}
	for _, secret := range secrets {
		if secret == "" || strings.Contains(log, secret) {
			w.Errorf("the log has %q", secret)
		}
	}
}
