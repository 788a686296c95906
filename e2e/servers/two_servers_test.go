package servers

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/audit"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/internal/pgtest"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

func TestTurnsOneAfterTheOther(t *testing.T) {
	check := func(t *testing.T, here, there *harness.Instance, upstream *llmtest.Server) {
		tn := here.NewTenant("baker", plan.Standard, harness.Opening)
		conversation := here.NewConversation(tn.Token, "")
		body := func(message string) string {
			return fmt.Sprintf(`{"message":%q,"conversation_id":%q}`, message, harness.Written(conversation))
		}
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		first := here.Stream(body("First?"), harness.Bearer(tn.Token))
		first.Until("delta")

		const later = 3
		answers := make(chan harness.Reply, later)
		for n := range later {
			client := there.Dial()
			client.Send(harness.Request("POST", harness.ChatPath, tn.Token, body(fmt.Sprintf("Later %d?", n))))
			go func() { answers <- there.Read(client.Answer()) }()
		}
		other := there.NewConversation(tn.Token, "")
		r := there.Call("POST", harness.ChatPath, fmt.Sprintf(`{"message":"Other?","conversation_id":%q}`, harness.Written(other)), harness.Bearer(tn.Token))
		there.CheckAnswer(r, 200, 0)
		if upstream.Arrived() != 2 {
			t.Errorf("%d questions have reached the model", upstream.Arrived())
		}
		gate.Release()
		if rest := first.Rest(); len(rest) != 2 || !rest[1].Done {
			t.Fatalf("the stream went on with %+v", rest)
		}
		for range later {
			there.CheckAnswer(<-answers, 200, 0)
		}
		if prompt := string(upstream.Request(2).Body()); !strings.Contains(prompt, "First?") || !strings.Contains(prompt, "At seven.") {
			t.Errorf("the second turn did not see the first: %s", prompt)
		}
		all := there.Messages(tn.Token, harness.Written(conversation), "")
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
		harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
			upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
			w := start(harness.WithModel(upstream))
			check(t, w, w, upstream)
		})
	})
	t.Run("so do turns on two servers of one database", func(t *testing.T) {
		url := storetest.Postgres(t)
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		on := func(c *app.Config) { c.DatabaseURL = url }
		here, there := harness.Start(t, harness.WithModel(upstream), on), harness.Start(t, harness.WithModel(upstream), on)
		check(t, here, there, upstream)
	})
}

func TestFirstAccountOnTwoServers(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	on := func(c *app.Config) { c.DatabaseURL = url }
	servers := []*harness.Instance{harness.Start(t, harness.SignUpOff, on), harness.Start(t, harness.SignUpOff, on)}
	answers := make(chan harness.Reply, 2*len(servers))
	for n := range cap(answers) {
		go func() {
			answers <- servers[n%len(servers)].NewVisitor().Post("/sign-up", harness.Pairs{
				"email", fmt.Sprintf("racer%d@example.com", n), "password", "a long enough password", "workspace", "Race",
			})
		}()
	}
	admitted := 0
	for range cap(answers) {
		if r := <-answers; r.StatusCode == http.StatusSeeOther {
			admitted++
		} else {
			servers[0].Expect(r, http.StatusForbidden)
		}
	}
	if users := servers[0].Users(); len(users) != 1 || admitted != 1 {
		t.Errorf("%d got in, and there are %d users", admitted, len(users))
	}
}

func TestRevokedOnAnotherServer(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	on := func(c *app.Config) { c.DatabaseURL = url }
	here, there := harness.Start(t, on), harness.Start(t, on)
	ask := func(tn harness.Tenant) int {
		return there.Call("GET", "/api/v1/chatbot", "", harness.Bearer(tn.Token)).StatusCode
	}
	revoke := func(tn harness.Tenant) {
		here.Must(here.Server.Chatbots.Tokens.Revoke(here.Context(), tn.Workspace, tn.Chatbot, tn.TokenID))
		there.Eventually("the other server refuses it", func() bool { return ask(tn) == http.StatusUnauthorized })
	}

	t.Run("a token that one server revokes is refused by another that knew it", func(t *testing.T) {
		tn := here.NewTenant("baker", plan.Standard)
		if status := ask(tn); status != http.StatusOK {
			t.Fatalf("before it was revoked, the status is %d", status)
		}
		revoke(tn)
	})
	t.Run("also after the connection by which it hears of changes was lost", func(t *testing.T) {
		tn := here.NewTenant("butcher", plan.Standard)
		ask(tn)
		pgtest.Disconnect(t, url, "LISTEN parley_access")
		revoke(tn)
	})
	t.Run("a plan without API access ends it there, too", func(t *testing.T) {
		tn := here.NewTenant("grocer", plan.Standard)
		ask(tn)
		here.Must(here.Server.Tenants.Grants.SetPlan(audit.As(here.Context(), audit.Operator), tn.Workspace, plan.Starter))
		there.Eventually("the other server refuses it", func() bool { return ask(tn) == http.StatusForbidden })
	})
}
