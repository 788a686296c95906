package api

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/seal"
	"parley/e2e/harness"
)

func TestUserCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		made := term.Record("user", "create", "Owner@Example.com")
		if harness.Field(made, "email") != "owner@example.com" || len(harness.Field(made, "password")) != 20 || !strings.HasPrefix(harness.Field(made, "id"), "usr_") {
			t.Errorf("created %v", made)
		}
		fed := harness.Decoded[map[string]any](term, term.Fed("correct horse battery\n", "user", "create", "second@example.com", "--password-stdin", "--json"))
		if _, shown := fed["password"]; shown {
			t.Errorf("a password that was given is shown: %v", fed)
		}
		if shown := term.OK("user", "create", "third@example.com"); !regexp.MustCompile(`password +\w{20}\n`).MatchString(shown) {
			t.Errorf("created\n%s", shown)
		}
		if got := harness.Values(term.Records("user", "list"), "email"); !slices.Equal(got, []string{"owner@example.com", "second@example.com", "third@example.com"}) {
			t.Errorf("listed %v", got)
		}
		if listed := term.OK("user", "list", "--json"); strings.Contains(listed, "password") {
			t.Errorf("the list says %s", listed)
		}
		reset := term.Record("user", "password", "owner@example.com")
		if password := harness.Field(reset, "password"); len(password) != 20 || password == harness.Field(made, "password") {
			t.Errorf("reset to %v", reset)
		}
		term.Fails("already", "user", "create", "owner@example.com")
		term.Fails("e-mail address", "user", "create", "nobody")
		term.Fails("User not found", "user", "password", "nobody@example.com")
		term.Fails("Standard input has no password", "user", "create", "x@example.com", "--password-stdin")
		if _, complaint, code := term.Execute("short\n", "user", "create", "x@example.com", "--password-stdin"); code != 1 || !strings.Contains(complaint, "at least 10") {
			t.Errorf("a short password ends with %d and says %s", code, complaint)
		}
	})
}

func TestResetSecondFactorCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		workspace, _ := term.NewChatbot("standard")
		term.Fails("has no second factor", "user", "reset-second-factor", "owner@example.com")
		term.Fails("User not found", "user", "reset-second-factor", "nobody@example.com")
		key := "--secret-key=" + seal.ServerKey{1}.Text()
		sealAll(term, workspace, seal.ServerKey{1}.Text()) // with an authenticator app
		if got := term.Record("user", "reset-second-factor", "Owner@Example.com", key); harness.Field(got, "email") != "owner@example.com" {
			t.Errorf("it prints %v", got)
		}
		if got := harness.Values(term.Records("audit", "list"), "action"); !slices.Contains(got, "second_factor.reset") {
			t.Errorf("the audit log has %q", got)
		}
		if got := term.Record("provider", "reseal", key); got["apps"] != 1.0 { // that of somebody else waits for its first code
			t.Errorf("%v apps are left", got["apps"])
		}
		term.Fails("has no second factor", "user", "reset-second-factor", "owner@example.com", key)
	})
}

func TestWorkspaceAndPlanCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		term.OK("user", "create", "owner@example.com")
		made := term.Record("workspace", "create", "Bakery", "--owner=owner@example.com")
		id := harness.Field(made, "id")
		if harness.Field(made, "plan") != "starter" || harness.Field(made, "name") != "Bakery" || !strings.HasPrefix(id, "ws_") {
			t.Errorf("created %v", made)
		}
		if got := harness.Field(term.Record("plan", "set", id, "premium"), "plan"); got != "premium" {
			t.Errorf("the plan is %s", got)
		}
		if said := term.OK("plan", "set", id, "standard"); said != "Bakery is on the standard plan.\n" {
			t.Errorf("it says %q", said)
		}
		if got := term.Records("workspace", "list"); len(got) != 1 || harness.Field(got[0], "plan") != "standard" {
			t.Errorf("listed %v", got)
		}
		term.Fails("User not found", "workspace", "create", "x", "--owner=nobody@example.com")
		term.Fails("Workspace not found", "plan", "set", "ws_nobody", "premium")
		if _, complaint, code := term.Execute("", "plan", "set", id, "gold"); code != 2 || !strings.Contains(complaint, "starter") {
			t.Errorf("an unknown plan ends with %d and says %s", code, complaint)
		}
	})
}

func TestChatbotCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		workspace, bot := term.NewChatbot("standard")
		if got := harness.Values(term.Records("chatbot", "list", workspace), "id"); !slices.Equal(got, []string{bot}) {
			t.Errorf("listed %v", got)
		}
		if listed := term.OK("chatbot", "list", workspace); !strings.HasPrefix(listed, "ID") || !strings.Contains(listed, "Guide") {
			t.Errorf("listed\n%s", listed)
		}
		term.Fails("Workspace not found", "chatbot", "list", "ws_nobody")
		term.Fails("Workspace not found", "chatbot", "create", "ws_nobody", "x")
		for _, args := range [][]string{nil, {"--separate-end-users"}} {
			made := term.Record(append([]string{"chatbot", "create", workspace, "Separated"}, args...)...)
			if made["separate_end_users"] != (args != nil) {
				t.Errorf("created with %v: %v", args, made)
			}
			term.OK("chatbot", "delete", harness.Field(made, "id"), "--yes")
		}
		if _, _, code := term.Execute("", "chatbot", "delete", bot); code != 2 {
			t.Errorf("a deletion that is not confirmed ends with %d", code)
		}
		if got := term.Record("chatbot", "delete", bot, "--yes"); harness.Field(got, "status") != "deleted" {
			t.Errorf("deleted %v", got)
		}
		term.Fails("Chatbot not found", "chatbot", "delete", bot, "--yes")
		if left := strings.TrimSpace(term.OK("chatbot", "list", workspace, "--json")); left != "[]" {
			t.Errorf("left is %s", left)
		}
	})
}

func TestKnowledgeCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("standard")
		markdown := term.File("hours.md", harness.Opening)
		plain := term.File("cakes.txt", "Plum cake is baked on Sundays.\n")
		added := term.Records("knowledge", "add", bot, markdown, plain)
		if got := harness.Values(added, "title"); !slices.Equal(got, []string{"Opening hours", "cakes"}) {
			t.Errorf("the titles are %v", got)
		}
		if got := harness.Values(added, "kind"); !slices.Equal(got, []string{"markdown", "text"}) {
			t.Errorf("the kinds are %v", got)
		}
		fed := harness.Decoded[[]map[string]any](term, term.Fed("Rolls are baked at dawn.", "knowledge", "add", bot, "-", "--title=Rolls", "--json"))
		if harness.Field(fed[0], "title") != "Rolls" || harness.Field(fed[0], "state") != "ready" {
			t.Errorf("from standard input came %v", fed)
		}
		if got := harness.Values(term.Records("knowledge", "list", bot), "state"); !slices.Equal(got, []string{"ready", "ready", "ready"}) {
			t.Errorf("listed %v", got)
		}
		if got := term.Record("knowledge", "reindex", bot); got["documents"] != 3.0 {
			t.Errorf("indexed again: %v", got)
		}
		if got := term.Record("knowledge", "remove", bot, harness.Field(added[1], "id")); harness.Field(got, "status") != "removed" {
			t.Errorf("removed %v", got)
		}
		if got := harness.Values(term.Records("knowledge", "list", bot), "title"); !slices.Equal(got, []string{"Opening hours", "Rolls"}) {
			t.Errorf("left are %v", got)
		}
		term.Fails("Document not found", "knowledge", "remove", bot, "doc_nobody")
		term.Fails("Chatbot not found", "knowledge", "list", "cb_nobody")
		term.Fails("no such file", "knowledge", "add", bot, filepath.Join(term.Folder, "missing.md"))
		term.Fails("no text", "knowledge", "add", bot, term.File("empty.md", " \n"))
		term.Fails("UTF-8", "knowledge", "add", bot, term.File("latin.txt", "caf\xe9"))
		term.Fails("single file", "knowledge", "add", bot, markdown, plain, "--title=Both")
	})
}

func TestTokenCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("standard")
		made := term.Record("token", "create", bot, "--name=Shop", "--scopes=chat", "--expires=720h")
		secret := harness.Field(made, "token")
		if !strings.HasPrefix(secret, "parley_") || harness.Field(made, "status") != "active" || harness.Field(made, "expires_at") == "" {
			t.Errorf("created %v", made)
		}
		if printed := term.OK("token", "create", bot); !regexp.MustCompile(`^parley_\w{49}\n$`).MatchString(printed) {
			t.Errorf("it prints %q", printed)
		}
		for _, listed := range []string{term.OK("token", "list", bot), term.OK("token", "list", bot, "--json")} {
			if strings.Contains(listed, secret) || !strings.Contains(listed, harness.Field(made, "hint")) {
				t.Errorf("listed\n%s", listed)
			}
		}
		for _, record := range term.Records("token", "list", bot) {
			if got := slices.Sorted(maps.Keys(record)); !slices.Equal(got, harness.TokenFields) {
				t.Errorf("a record has %v, and by the API %v", got, harness.TokenFields)
			}
		}
		if got := harness.Field(term.Record("token", "revoke", bot, harness.Field(made, "id")), "status"); got != "revoked" {
			t.Errorf("its status is %s", got)
		}
		statuses := harness.Values(term.Records("token", "list", bot), "status")
		slices.Sort(statuses)
		if !slices.Equal(statuses, []string{"active", "revoked"}) {
			t.Errorf("the statuses are %v", statuses)
		}
		term.Fails("Token not found", "token", "revoke", bot, "tok_nobody")
		term.Fails("no scope", "token", "create", bot, "--scopes=admin")
		term.Fails("in the future", "token", "create", bot, "--expires=-1h")
	})
}

func TestTokenCommandNeedsAPlan(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("basic")
		term.Fails("no API access", "token", "create", bot)
	})
}

func TestAskCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("starter")
		term.OK("knowledge", "add", bot, term.File("hours.md", harness.Opening))
		answer := term.Record("ask", bot, "When does the bakery open?")
		if !strings.Contains(harness.Field(answer, "message"), "seven in the morning") || len(answer["sources"].([]any)) == 0 {
			t.Errorf("answered %v", answer)
		}
		streamed := term.OK("ask", bot, "When does the bakery open?")
		conversation := regexp.MustCompile(`\(conversation (\d+)\)`).FindStringSubmatch(streamed)
		if !strings.Contains(streamed, "seven in the morning") || conversation == nil {
			t.Fatalf("answered\n%s", streamed)
		}
		if html := harness.Field(term.Record("ask", bot, "And on holidays?", "--conversation="+conversation[1], "--format=html"), "message"); !strings.Contains(html, "<p>") {
			t.Errorf("answered %s", html)
		}
		term.Fails("Chatbot not found", "ask", "cb_nobody", "Hello?")
		term.Fails("onversation", "ask", bot, "Hello?", "--conversation=999999")
		term.Fails("message", "ask", bot, "")
	})
}

func TestDemoCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		first := term.Record("demo")
		if len(harness.Field(first, "password")) != 20 || harness.Field(first, "base_url") != "http://127.0.0.1:8080" || harness.Field(first, "dashboard_url") != "http://127.0.0.1:8080/sign-in" {
			t.Errorf("the first time: %v", first)
		}
		second := term.Record("demo")
		if password, named := second["password"]; !named || password != nil {
			t.Errorf("the second time the password is %v", password)
		}
		for _, name := range []string{"email", "workspace_id", "chatbot_id"} {
			if harness.Field(first, name) == "" || harness.Field(first, name) != harness.Field(second, name) {
				t.Errorf("%s is %q, then %q", name, harness.Field(first, name), harness.Field(second, name))
			}
		}
		if harness.Field(first, "token") == harness.Field(second, "token") {
			t.Error("the second token is the first")
		}
		w := harness.Start(t, func(c *app.Config) { c.DataDir, c.DatabaseURL = term.Folder, term.Database })
		for _, facts := range []map[string]any{first, second} {
			if r := w.Call("POST", "/api/v1/chat", `{"message":"What is a workspace?"}`, harness.Bearer(harness.Field(facts, "token"))); r.StatusCode != 200 {
				t.Errorf("the token gets %d %s", r.StatusCode, r.Text)
			}
		}
	})
}

func TestDoctorCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		parts, want := term.Records("doctor"), []string{"storage", "database", "index", "model", "embeddings", "encoding", "provider keys", "proxies", "files", "backups", "server"}
		if strings.HasPrefix(term.Database, "postgres") { // other servers may share it
			want = slices.Insert(want, 4, "indexes", "isolation")
		}
		if got := harness.Values(parts, "part"); !slices.Equal(got, want) {
			t.Errorf("the parts are %v", got)
		}
		for _, part := range parts {
			if part["ok"] != true || harness.Field(part, "detail") == "" {
				t.Errorf("a healthy part is %v", part)
			}
		}
		out, complaint, code := term.Execute("", "doctor", "--json", "--llm-base-url=http://127.0.0.1:1/v1", "--llm-api-key=sk-secret-key")
		if code != 1 || !strings.Contains(complaint, "needs your attention") {
			t.Errorf("with a model that is away it ends with %d and says %s", code, complaint)
		}
		model := harness.Decoded[[]map[string]any](term, out)[3]
		if model["ok"] != false || !strings.Contains(harness.Field(model, "remedy"), "LLM_BASE_URL") || strings.Contains(out+complaint, "sk-secret-key") {
			t.Errorf("the model's part is %v", model)
		}
	})
}

func TestDoctorWithoutADatabase(t *testing.T) {
	term := &harness.Terminal{T: t, Folder: t.TempDir(), Database: "postgres://parley:hunter2secret@127.0.0.1:1/parley"}
	out, complaint, code := term.Execute("", "doctor", "--json")
	part := harness.Decoded[[]map[string]any](term, out)[0]
	if code != 1 || part["ok"] != false || !strings.Contains(harness.Field(part, "remedy"), "DATABASE_URL") {
		t.Errorf("it ends with %d: %v", code, part)
	}
	if strings.Contains(out+complaint, "hunter2secret") {
		t.Errorf("it shows the password: %s%s", out, complaint)
	}
}

func TestMigrateAndVersionCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		for range 2 {
			if got := harness.Field(term.Record("migrate"), "status"); got != "current" {
				t.Errorf("the status is %q", got)
			}
		}
		if got := harness.Field(term.Record("version"), "version"); got != "dev" {
			t.Errorf("the version is %q", got)
		}
		if got := term.OK("version"); got != "dev\n" {
			t.Errorf("the version is %q", got)
		}
	})
}

func TestWrongCommandLines(t *testing.T) {
	term := &harness.Terminal{T: t, Folder: t.TempDir()}
	for _, args := range [][]string{{}, {"fly"}, {"token"}, {"token", "create"}, {"serve", "--fast"}, {"ask", "cb_x", "q", "--format=pdf"}} {
		if _, complaint, code := term.Execute("", args...); code != 2 || !strings.Contains(complaint, "parley:") {
			t.Errorf("parley %v ends with %d and says %s", args, code, complaint)
		}
	}
	if out, _, code := term.Execute("", "--help"); code != 0 || !strings.Contains(out, "serve") {
		t.Errorf("--help ends with %d and says %s", code, out)
	}
}
