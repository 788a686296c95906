package e2e

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/seal"
)

func TestUserCommands(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		made := term.record("user", "create", "Owner@Example.com")
		if field(made, "email") != "owner@example.com" || len(field(made, "password")) != 20 || !strings.HasPrefix(field(made, "id"), "usr_") {
			t.Errorf("created %v", made)
		}
		fed := decoded[map[string]any](term, term.fed("correct horse battery\n", "user", "create", "second@example.com", "--password-stdin", "--json"))
		if _, shown := fed["password"]; shown {
			t.Errorf("a password that was given is shown: %v", fed)
		}
		if shown := term.ok("user", "create", "third@example.com"); !regexp.MustCompile(`password +\w{20}\n`).MatchString(shown) {
			t.Errorf("created\n%s", shown)
		}
		if got := values(term.records("user", "list"), "email"); !slices.Equal(got, []string{"owner@example.com", "second@example.com", "third@example.com"}) {
			t.Errorf("listed %v", got)
		}
		if listed := term.ok("user", "list", "--json"); strings.Contains(listed, "password") {
			t.Errorf("the list says %s", listed)
		}
		reset := term.record("user", "password", "owner@example.com")
		if password := field(reset, "password"); len(password) != 20 || password == field(made, "password") {
			t.Errorf("reset to %v", reset)
		}
		term.fails("already", "user", "create", "owner@example.com")
		term.fails("e-mail address", "user", "create", "nobody")
		term.fails("User not found", "user", "password", "nobody@example.com")
		term.fails("Standard input has no password", "user", "create", "x@example.com", "--password-stdin")
		if _, complaint, code := term.run("short\n", "user", "create", "x@example.com", "--password-stdin"); code != 1 || !strings.Contains(complaint, "at least 10") {
			t.Errorf("a short password ends with %d and says %s", code, complaint)
		}
	})
}

func TestResetSecondFactorCommand(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		workspace, _ := term.newChatbot("standard")
		term.fails("has no second factor", "user", "reset-second-factor", "owner@example.com")
		term.fails("User not found", "user", "reset-second-factor", "nobody@example.com")
		key := "--secret-key=" + seal.ServerKey{1}.Text()
		term.sealAll(workspace, seal.ServerKey{1}.Text()) // with an authenticator app
		if got := term.record("user", "reset-second-factor", "Owner@Example.com", key); field(got, "email") != "owner@example.com" {
			t.Errorf("it prints %v", got)
		}
		if got := values(term.records("audit", "list"), "action"); !slices.Contains(got, "second_factor.reset") {
			t.Errorf("the audit log has %q", got)
		}
		if got := term.record("provider", "reseal", key); got["apps"] != 1.0 { // that of somebody else waits for its first code
			t.Errorf("%v apps are left", got["apps"])
		}
		term.fails("has no second factor", "user", "reset-second-factor", "owner@example.com", key)
	})
}

func TestWorkspaceAndPlanCommands(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		term.ok("user", "create", "owner@example.com")
		made := term.record("workspace", "create", "Bakery", "--owner=owner@example.com")
		id := field(made, "id")
		if field(made, "plan") != "starter" || field(made, "name") != "Bakery" || !strings.HasPrefix(id, "ws_") {
			t.Errorf("created %v", made)
		}
		if got := field(term.record("plan", "set", id, "premium"), "plan"); got != "premium" {
			t.Errorf("the plan is %s", got)
		}
		if said := term.ok("plan", "set", id, "standard"); said != "Bakery is on the standard plan.\n" {
			t.Errorf("it says %q", said)
		}
		if got := term.records("workspace", "list"); len(got) != 1 || field(got[0], "plan") != "standard" {
			t.Errorf("listed %v", got)
		}
		term.fails("User not found", "workspace", "create", "x", "--owner=nobody@example.com")
		term.fails("Workspace not found", "plan", "set", "ws_nobody", "premium")
		if _, complaint, code := term.run("", "plan", "set", id, "gold"); code != 2 || !strings.Contains(complaint, "starter") {
			t.Errorf("an unknown plan ends with %d and says %s", code, complaint)
		}
	})
}

func TestChatbotCommands(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		workspace, bot := term.newChatbot("standard")
		if got := values(term.records("chatbot", "list", workspace), "id"); !slices.Equal(got, []string{bot}) {
			t.Errorf("listed %v", got)
		}
		if listed := term.ok("chatbot", "list", workspace); !strings.HasPrefix(listed, "ID") || !strings.Contains(listed, "Guide") {
			t.Errorf("listed\n%s", listed)
		}
		term.fails("Workspace not found", "chatbot", "list", "ws_nobody")
		term.fails("Workspace not found", "chatbot", "create", "ws_nobody", "x")
		for _, args := range [][]string{nil, {"--separate-end-users"}} {
			made := term.record(append([]string{"chatbot", "create", workspace, "Separated"}, args...)...)
			if made["separate_end_users"] != (args != nil) {
				t.Errorf("created with %v: %v", args, made)
			}
			term.ok("chatbot", "delete", field(made, "id"), "--yes")
		}
		if _, _, code := term.run("", "chatbot", "delete", bot); code != 2 {
			t.Errorf("a deletion that is not confirmed ends with %d", code)
		}
		if got := term.record("chatbot", "delete", bot, "--yes"); field(got, "status") != "deleted" {
			t.Errorf("deleted %v", got)
		}
		term.fails("Chatbot not found", "chatbot", "delete", bot, "--yes")
		if left := strings.TrimSpace(term.ok("chatbot", "list", workspace, "--json")); left != "[]" {
			t.Errorf("left is %s", left)
		}
	})
}

func TestKnowledgeCommands(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		_, bot := term.newChatbot("standard")
		markdown := term.file("hours.md", opening)
		plain := term.file("cakes.txt", "Plum cake is baked on Sundays.\n")
		added := term.records("knowledge", "add", bot, markdown, plain)
		if got := values(added, "title"); !slices.Equal(got, []string{"Opening hours", "cakes"}) {
			t.Errorf("the titles are %v", got)
		}
		if got := values(added, "kind"); !slices.Equal(got, []string{"markdown", "text"}) {
			t.Errorf("the kinds are %v", got)
		}
		fed := decoded[[]map[string]any](term, term.fed("Rolls are baked at dawn.", "knowledge", "add", bot, "-", "--title=Rolls", "--json"))
		if field(fed[0], "title") != "Rolls" || field(fed[0], "state") != "ready" {
			t.Errorf("from standard input came %v", fed)
		}
		if got := values(term.records("knowledge", "list", bot), "state"); !slices.Equal(got, []string{"ready", "ready", "ready"}) {
			t.Errorf("listed %v", got)
		}
		if got := term.record("knowledge", "reindex", bot); got["documents"] != 3.0 {
			t.Errorf("indexed again: %v", got)
		}
		if got := term.record("knowledge", "remove", bot, field(added[1], "id")); field(got, "status") != "removed" {
			t.Errorf("removed %v", got)
		}
		if got := values(term.records("knowledge", "list", bot), "title"); !slices.Equal(got, []string{"Opening hours", "Rolls"}) {
			t.Errorf("left are %v", got)
		}
		term.fails("Document not found", "knowledge", "remove", bot, "doc_nobody")
		term.fails("Chatbot not found", "knowledge", "list", "cb_nobody")
		term.fails("no such file", "knowledge", "add", bot, filepath.Join(term.folder, "missing.md"))
		term.fails("no text", "knowledge", "add", bot, term.file("empty.md", " \n"))
		term.fails("UTF-8", "knowledge", "add", bot, term.file("latin.txt", "caf\xe9"))
		term.fails("single file", "knowledge", "add", bot, markdown, plain, "--title=Both")
	})
}

func TestTokenCommands(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		_, bot := term.newChatbot("standard")
		made := term.record("token", "create", bot, "--name=Shop", "--scopes=chat", "--expires=720h")
		secret := field(made, "token")
		if !strings.HasPrefix(secret, "parley_") || field(made, "status") != "active" || field(made, "expires_at") == "" {
			t.Errorf("created %v", made)
		}
		if printed := term.ok("token", "create", bot); !regexp.MustCompile(`^parley_\w{49}\n$`).MatchString(printed) {
			t.Errorf("it prints %q", printed)
		}
		for _, listed := range []string{term.ok("token", "list", bot), term.ok("token", "list", bot, "--json")} {
			if strings.Contains(listed, secret) || !strings.Contains(listed, field(made, "hint")) {
				t.Errorf("listed\n%s", listed)
			}
		}
		if got := field(term.record("token", "revoke", bot, field(made, "id")), "status"); got != "revoked" {
			t.Errorf("its status is %s", got)
		}
		statuses := values(term.records("token", "list", bot), "status")
		slices.Sort(statuses)
		if !slices.Equal(statuses, []string{"active", "revoked"}) {
			t.Errorf("the statuses are %v", statuses)
		}
		term.fails("Token not found", "token", "revoke", bot, "tok_nobody")
		term.fails("no scope", "token", "create", bot, "--scopes=admin")
		term.fails("in the future", "token", "create", bot, "--expires=-1h")
	})
}

func TestTokenCommandNeedsAPlan(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		_, bot := term.newChatbot("basic")
		term.fails("no API access", "token", "create", bot)
	})
}

func TestAskCommand(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		_, bot := term.newChatbot("starter")
		term.ok("knowledge", "add", bot, term.file("hours.md", opening))
		answer := term.record("ask", bot, "When does the bakery open?")
		if !strings.Contains(field(answer, "message"), "seven in the morning") || len(answer["sources"].([]any)) == 0 {
			t.Errorf("answered %v", answer)
		}
		streamed := term.ok("ask", bot, "When does the bakery open?")
		conversation := regexp.MustCompile(`\(conversation (\d+)\)`).FindStringSubmatch(streamed)
		if !strings.Contains(streamed, "seven in the morning") || conversation == nil {
			t.Fatalf("answered\n%s", streamed)
		}
		if html := field(term.record("ask", bot, "And on holidays?", "--conversation="+conversation[1], "--format=html"), "message"); !strings.Contains(html, "<p>") {
			t.Errorf("answered %s", html)
		}
		term.fails("Chatbot not found", "ask", "cb_nobody", "Hello?")
		term.fails("onversation", "ask", bot, "Hello?", "--conversation=999999")
		term.fails("message", "ask", bot, "")
	})
}

func TestDemoCommand(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		first := term.record("demo")
		if len(field(first, "password")) != 20 || field(first, "base_url") != "http://127.0.0.1:8080" || field(first, "dashboard_url") != "http://127.0.0.1:8080/sign-in" {
			t.Errorf("the first time: %v", first)
		}
		second := term.record("demo")
		if password, named := second["password"]; !named || password != nil {
			t.Errorf("the second time the password is %v", password)
		}
		for _, name := range []string{"email", "workspace_id", "chatbot_id"} {
			if field(first, name) == "" || field(first, name) != field(second, name) {
				t.Errorf("%s is %q, then %q", name, field(first, name), field(second, name))
			}
		}
		if field(first, "token") == field(second, "token") {
			t.Error("the second token is the first")
		}
		w := start(t, func(c *app.Config) { c.DataDir, c.DatabaseURL = term.folder, term.database })
		for _, facts := range []map[string]any{first, second} {
			if r := w.call("POST", "/api/v1/chat", `{"message":"What is a workspace?"}`, bearer(field(facts, "token"))); r.StatusCode != 200 {
				t.Errorf("the token gets %d %s", r.StatusCode, r.body)
			}
		}
	})
}

func TestDoctorCommand(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		parts, want := term.records("doctor"), []string{"database", "index", "model", "embeddings", "encoding", "provider keys", "proxies", "files", "backups"}
		if strings.HasPrefix(term.database, "postgres") { // other servers may share it
			want = slices.Insert(want, 3, "indexes", "isolation")
		}
		if got := values(parts, "part"); !slices.Equal(got, want) {
			t.Errorf("the parts are %v", got)
		}
		for _, part := range parts {
			if part["ok"] != true || field(part, "detail") == "" {
				t.Errorf("a healthy part is %v", part)
			}
		}
		out, complaint, code := term.run("", "doctor", "--json", "--llm-base-url=http://127.0.0.1:1/v1", "--llm-api-key=sk-secret-key")
		if code != 1 || !strings.Contains(complaint, "needs your attention") {
			t.Errorf("with a model that is away it ends with %d and says %s", code, complaint)
		}
		model := decoded[[]map[string]any](term, out)[2]
		if model["ok"] != false || !strings.Contains(field(model, "remedy"), "LLM_BASE_URL") || strings.Contains(out+complaint, "sk-secret-key") {
			t.Errorf("the model's part is %v", model)
		}
	})
}

func TestDoctorWithoutADatabase(t *testing.T) {
	term := &terminal{T: t, folder: t.TempDir(), database: "postgres://parley:hunter2secret@127.0.0.1:1/parley"}
	out, complaint, code := term.run("", "doctor", "--json")
	part := decoded[[]map[string]any](term, out)[0]
	if code != 1 || part["ok"] != false || !strings.Contains(field(part, "remedy"), "DATABASE_URL") {
		t.Errorf("it ends with %d: %v", code, part)
	}
	if strings.Contains(out+complaint, "hunter2secret") {
		t.Errorf("it shows the password: %s%s", out, complaint)
	}
}

func TestMigrateAndVersionCommands(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		for range 2 {
			if got := field(term.record("migrate"), "status"); got != "current" {
				t.Errorf("the status is %q", got)
			}
		}
		if got := field(term.record("version"), "version"); got != "dev" {
			t.Errorf("the version is %q", got)
		}
		if got := term.ok("version"); got != "dev\n" {
			t.Errorf("the version is %q", got)
		}
	})
}

func TestWrongCommandLines(t *testing.T) {
	term := &terminal{T: t, folder: t.TempDir()}
	for _, args := range [][]string{{}, {"fly"}, {"token"}, {"token", "create"}, {"serve", "--fast"}, {"ask", "cb_x", "q", "--format=pdf"}} {
		if _, complaint, code := term.run("", args...); code != 2 || !strings.Contains(complaint, "parley:") {
			t.Errorf("parley %v ends with %d and says %s", args, code, complaint)
		}
	}
	if out, _, code := term.run("", "--help"); code != 0 || !strings.Contains(out, "serve") {
		t.Errorf("--help ends with %d and says %s", code, out)
	}
}
