package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"parley/app"
	"parley/core/audit"
	"parley/core/plan"
	"parley/internal/pgtest"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

func TestTurnsOneAfterTheOther(t *testing.T) {
	check := func(t *testing.T, here, there *instance, upstream *llmtest.Server) {
		tn := here.newTenant("baker", plan.Standard, opening)
		conversation := here.newConversation(tn.token, "")
		body := func(message string) string {
			return fmt.Sprintf(`{"message":%q,"conversation_id":%q}`, message, written(conversation))
		}
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		first := here.stream(body("First?"), bearer(tn.token))
		first.until("delta")

		const later = 3
		answers := make(chan reply, later)
		for n := range later {
			client := there.dial()
			client.write(request("POST", chatPath, tn.token, body(fmt.Sprintf("Later %d?", n))))
			go func() { answers <- there.read(client.answer()) }()
		}
		other := there.newConversation(tn.token, "")
		r := there.call("POST", chatPath, fmt.Sprintf(`{"message":"Other?","conversation_id":%q}`, written(other)), bearer(tn.token))
		there.checkAnswer(r, 200, 0)
		if upstream.Arrived() != 2 {
			t.Errorf("%d questions have reached the model", upstream.Arrived())
		}
		gate.Release()
		if rest := first.rest(); len(rest) != 2 || !rest[1].done {
			t.Fatalf("the stream went on with %+v", rest)
		}
		for range later {
			there.checkAnswer(<-answers, 200, 0)
		}
		if prompt := string(upstream.Request(2).Body()); !contains(prompt, "First?") || !contains(prompt, "At seven.") {
			t.Errorf("the second turn did not see the first: %s", prompt)
		}
		all := there.messages(tn.token, written(conversation), "")
		if len(all) != 2*(1+later) {
			t.Fatalf("%d messages are stored", len(all))
		}
		for i, m := range all {
			if want := []string{"user", "assistant"}[i%2]; m["role"] != want {
				t.Errorf("message %d is of the %v", i, m["role"])
			}
		}
	}

	t.Run("turns of one conversation on one server wait for one another, and see what was said", func(t *testing.T) {
		onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
			upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
			w := start(withModel(upstream))
			check(t, w, w, upstream)
		})
	})
	t.Run("so do turns on two servers of one database", func(t *testing.T) {
		url := storetest.Postgres(t)
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		on := func(c *app.Config) { c.DatabaseURL = url }
		here, there := start(t, withModel(upstream), on), start(t, withModel(upstream), on)
		check(t, here, there, upstream)
	})
}

func TestFirstAccountOnTwoServers(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	on := func(c *app.Config) { c.DatabaseURL = url }
	servers := []*instance{start(t, signUpOff, on), start(t, signUpOff, on)}
	answers := make(chan reply, 2*len(servers))
	for n := range cap(answers) {
		go func() {
			answers <- servers[n%len(servers)].visitor().post("/sign-up", pairs{
				"email", fmt.Sprintf("racer%d@example.com", n), "password", "a long enough password", "workspace", "Race",
			})
		}()
	}
	admitted := 0
	for range cap(answers) {
		if r := <-answers; r.StatusCode == http.StatusSeeOther {
			admitted++
		} else {
			servers[0].expect(r, http.StatusForbidden)
		}
	}
	if users := servers[0].users(); len(users) != 1 || admitted != 1 {
		t.Errorf("%d got in, and there are %d users", admitted, len(users))
	}
}

func TestRevokedOnAnotherServer(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	on := func(c *app.Config) { c.DatabaseURL = url }
	here, there := start(t, on), start(t, on)
	ask := func(tn tenantOf) int { return there.call("GET", "/api/v1/chatbot", "", bearer(tn.token)).StatusCode }
	revoke := func(tn tenantOf) {
		here.must(here.server.Chatbots.Tokens.Revoke(here.Context(), tn.workspace, tn.chatbot, tn.tokenID))
		there.eventually("the other server refuses it", func() bool { return ask(tn) == http.StatusUnauthorized })
	}

	t.Run("a token that one server revokes is refused by another that knew it", func(t *testing.T) {
		tn := here.newTenant("baker", plan.Standard)
		if status := ask(tn); status != http.StatusOK {
			t.Fatalf("before it was revoked, the status is %d", status)
		}
		revoke(tn)
	})
	t.Run("also after the connection by which it hears of changes was lost", func(t *testing.T) {
		tn := here.newTenant("butcher", plan.Standard)
		ask(tn)
		pgtest.Disconnect(t, url, "LISTEN parley_access")
		revoke(tn)
	})
	t.Run("a plan without API access ends it there, too", func(t *testing.T) {
		tn := here.newTenant("grocer", plan.Standard)
		ask(tn)
		here.must(here.server.Tenants.Grants.SetPlan(audit.As(here.Context(), audit.Operator), tn.workspace, plan.Starter))
		there.eventually("the other server refuses it", func() bool { return ask(tn) == http.StatusForbidden })
	})
}
