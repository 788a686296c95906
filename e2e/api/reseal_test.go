package api

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pquerna/otp/totp"

	"parley/app"
	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/seal"
	"parley/core/sso"
	"parley/core/webhook"
	"parley/e2e/harness"
)

// sealedColumns are the columns that are sealed with the server's keys, with the calls that
// seal them: a call that is added, or a column, has to be resealed, too.
var sealedColumns = map[string][]string{
	"providers.sealed_key":              {"core/chatbot/provider_key.go"},
	"webhook_endpoints.sealed_secret":   {"core/webhook/endpoints.go"},
	"webhook_endpoints.sealed_previous": {"core/webhook/endpoints.go"},
	"sso_connections.client_secret":     {"core/sso/connections.go"},
	"authenticators.secret":             {"core/account/factor/app.go", "core/account/factor/reseal.go"},
}

// otherBytes are the columns of bytes that are not sealed.
var otherBytes = map[string]string{
	"installation_keys.key":  "the installation's own key, which a backup seals with its passphrase",
	"uploads.body":           "files as they were uploaded",
	"originals.body":         "files as they were uploaded",
	"embeddings.vector":      "vectors of passages",
	"passages.encoding":      "what a sentence encoder made of a passage",
	"daily_stats.users":      "sketches that count users",
	"request_minutes.minute": "how many requests a minute had",
}

func TestResealCommand(t *testing.T) {
	t.Parallel()
	former, current := seal.ServerKey{1}, base64.StdEncoding.EncodeToString([]byte("current key of thirty-two bytes!"))
	harness.OnTerminals(t, func(term *harness.Terminal) {
		workspace, _ := term.NewChatbot("standard")
		sealed := sealAll(term, workspace, former.Text())
		if got, want := columnsWith(term, former), slices.Sorted(maps.Keys(sealedColumns)); !slices.Equal(got, want) {
			term.Errorf("what is sealed stands in %q, want %q", got, want)
		}
		if got, want := columnsOfBytes(term), slices.Sorted(maps.Keys(merged(sealedColumns, otherBytes))); !slices.Equal(got, want) {
			term.Errorf("the columns of bytes are %q, want %q: is a new one sealed?", got, want)
		}

		term.Fails("cannot be read", "provider", "reseal", "--secret-key="+current)
		out, _, _ := term.Execute("", "provider", "reseal", "--json", "--secret-key="+current)
		for _, name := range sealed {
			if !strings.Contains(out, name) {
				term.Errorf("it does not name %s, which cannot be read: %s", name, out)
			}
		}
		for _, keys := range []string{current + "," + former.Text(), current} {
			got := term.Record("provider", "reseal", "--secret-key="+keys)
			for _, count := range []string{"sealed", "webhooks", "sso", "apps"} {
				if got[count] != 1.0 {
					term.Errorf("with %d keys it prints %v of %s", strings.Count(keys, ",")+1, got[count], count)
				}
			}
			if left := columnsWith(term, former); len(left) > 0 {
				term.Errorf("the former key is still needed for %q", left)
			}
		}
		if strings.Contains(term.OK("doctor", "--secret-key="+current), "FAILED") {
			term.Error("the doctor finds something")
		}
		hasNoCanary(term)
	})
}

// Everything that is sealed is sealed by a call that [sealedColumns] knows.
func TestSealingIsListed(t *testing.T) {
	t.Parallel()
	var calls []string
	err := filepath.WalkDir("../../core", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../../core/seal/") {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(".Seal(")) && !bytes.Contains(text, []byte("aead.Seal(")) {
			calls = append(calls, strings.TrimPrefix(path, "../../"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, files := range sealedColumns {
		known = append(known, files...)
	}
	slices.Sort(known)
	if want := slices.Compact(known); !slices.Equal(calls, want) {
		t.Errorf("secrets are sealed in %q, want %q: add the column to sealedColumns, and reseal it", calls, want)
	}
}

func merged[A, B any](a map[string]A, b map[string]B) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

// sealAll makes one of everything that is sealed as a server with a key does, and returns
// what the command calls it. An app that waits for its first code is made beside.
func sealAll(term *harness.Terminal, workspace, secret string) (names []string) {
	term.Helper()
	must := func(err error) {
		term.Helper()
		if err != nil {
			term.Fatal(err)
		}
	}
	config := &app.Config{}
	config.DataDir, config.DatabaseURL, config.LogLevel, config.SecretKey, config.WebhookAllow = term.Folder, term.Database, "error", secret, []string{harness.NobodyListens}
	p, err := app.Open(term.Context(), config, app.NewLog(config))
	must(err)
	defer p.Close()
	ctx := term.Context()
	provider, err := p.Chatbots.Providers.Create(ctx, workspace, chatbot.ProviderSettings{Name: "a", Kind: chatbot.Anthropic, Key: harness.ProviderCanary})
	must(err)
	endpoint, _, err := p.Webhooks.Endpoints.Create(ctx, workspace, webhook.Settings{URL: "http://" + harness.NobodyListens, Kinds: webhook.Kinds()})
	must(err)
	_, _, err = p.Webhooks.Endpoints.Rotate(ctx, workspace, endpoint.ID)
	must(err)
	connection, err := p.SSO.Connections.Save(ctx, workspace, sso.Settings{Issuer: "https://login.example.com", ClientID: "parley", Secret: harness.ProviderCanary, Domain: "example.com"})
	must(err)
	user, err := p.Tenants.Users.ByEmail(ctx, "owner@example.com")
	must(err)
	must(p.Tenants.Passwords.Reset(ctx, user.Email, harness.StaffPassword))
	keys, err := p.Tenants.Sessions.SignIn(ctx, user.Email, harness.StaffPassword, account.Client{})
	must(err)
	user, session, err := p.Tenants.Sessions.SignedIn(ctx, keys.Session)
	must(err)
	must(p.Tenants.Factors.Apps.Begin(ctx, user))
	pending, err := p.Tenants.Factors.Apps.Pending(ctx, user)
	must(err)
	code, err := totp.GenerateCode(pending.Secret, app.Now())
	must(err)
	_, err = p.Tenants.Factors.Apps.Confirm(ctx, user, session, code)
	must(err)
	waits, err := p.Tenants.SignUps.CreateUser(ctx, "waits@example.com", harness.StaffPassword)
	must(err)
	must(p.Tenants.Factors.Apps.Begin(ctx, waits))
	return []string{provider.ID, workspace + "/" + endpoint.ID, workspace + "/" + connection.ID, user.Email}
}

// openDatabase opens the database that the commands use.
func openDatabase(term *harness.Terminal) *sql.DB {
	term.Helper()
	driver, source := "pgx", term.Database
	if source == "" {
		driver, source = "sqlite", "file:"+filepath.Join(term.Folder, "parley.db")+"?mode=ro&_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		term.Fatal(err)
	}
	return db
}

// columnsOfBytes returns the columns of all tables that hold bytes, as table.column.
func columnsOfBytes(term *harness.Terminal) []string {
	term.Helper()
	db := openDatabase(term)
	defer db.Close()
	statement := "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() AND data_type = 'bytea' AND table_name NOT LIKE 'river%'"
	if term.Database == "" {
		statement = "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND lower(c.type) = 'blob' AND m.name NOT LIKE 'river%'"
	}
	rows, err := db.QueryContext(term.Context(), statement)
	if err != nil {
		term.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			term.Fatal(err)
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// columnsWith are those that have something sealed with a key.
func columnsWith(term *harness.Terminal, key seal.ServerKey) (found []string) {
	term.Helper()
	sample, err := seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return []seal.ServerKey{key}, nil }).Seal("", "", "")
	if err != nil {
		term.Fatal(err)
	}
	header := sample[:1+8] // the version, and the id of the key
	db := openDatabase(term)
	defer db.Close()
	for _, name := range columnsOfBytes(term) {
		if anyBegins(term, db, name, header) {
			found = append(found, name)
		}
	}
	return found
}

// anyBegins reports whether a value of a column begins with bytes.
func anyBegins(term *harness.Terminal, db *sql.DB, name string, with []byte) (begins bool) {
	term.Helper()
	table, column, _ := strings.Cut(name, ".")
	rows, err := db.QueryContext(term.Context(), "SELECT "+column+" FROM "+table+" WHERE "+column+" IS NOT NULL")
	if err != nil {
		term.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var value []byte
		if err := rows.Scan(&value); err != nil {
			term.Fatal(err)
		}
		begins = begins || bytes.HasPrefix(value, with)
	}
	return begins
}

// hasNoCanary looks for a secret in every file.
func hasNoCanary(term *harness.Terminal) {
	term.Helper()
	err := filepath.WalkDir(term.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), harness.ProviderCanary) {
			term.Errorf("%s has the key", path)
		}
		return err
	})
	if err != nil {
		term.Error(err)
	}
}
