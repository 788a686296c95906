package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/app/config"
)

// wrongValues are values that no server starts with, for each setting. Others
// maps a setting to those that its wrong values need beside them.
var (
	wrongValues = map[string][]string{
		"LISTEN_ADDR":                 {"127.0.0.1", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1", "http://127.0.0.1:80", "a b:80"},
		"PORT":                        {"http", "65536", "-1", "0", "8080x", ""},
		"DATA_DIR":                    {"/dev/null/parley", "a\x01b"},
		"BASE_URL":                    {"parley.example.com", "ftp://parley.example.com", "https://parley.example.com/app", "https://me:hunter2@parley.example.com", "https://a b"},
		"DATABASE_URL":                {"foo", "mysql://me:hunter2@db/parley", "postgres://me:hunter2@db:port/parley", "postgres://me:hunter2@[::1", "postgres://me:hunter2@db/parley?sslmode=hunter2", "sqlite:", "sqlite:?_pragma=key(hunter2)", "parley.db"},
		"WEAVIATE_URL":                {"foo", "weaviate:8080", "ftp://weaviate", "http://", "http://me:hunter2@weaviate:8080", "http://127.0.0.1:99999", "http://127.0.0.1/v1", "http://127.0.0.1:1,", "http://127.0.0.1:1,https://127.0.0.1:2"},
		"WEAVIATE_GRPC":               {"foo", "127.0.0.1", "127.0.0.1:", "127.0.0.1:grpc", ":50051", "127.0.0.1:99999", "127.0.0.1:1,127.0.0.1:2"},
		"WEAVIATE_API_KEY":            {"hunter2\nhunter2", "hunter2 hunter2", "hünter2"},
		"WEAVIATE_PREFIX":             {"parley", "A-B", "1A", "A B"},
		"WEAVIATE_REPLICAS":           {"two", "-1", "0", "100", "1.5"},
		"LLM_BASE_URL":                {"foo", "api.openai.com/v1", "ftp://api.openai.com", "https://", "https://me:hunter2@api.openai.com:port/v1", "https://api.openai.com/v1?key=hunter2"},
		"LLM_API_KEY":                 {"hunter2\nhunter2", "hunter2\x1b"},
		"LLM_MODEL":                   {"gpt\n4"},
		"LLM_TIMEOUT":                 {"soon", "-1s", "0", "30", "25h", "1ms"},
		"LLM_FIRST_TOKEN_TIMEOUT":     {"soon", "-1s", "0", "30", "25h"},
		"LLM_PROVIDER":                {"google", "OpenAI", "openai "},
		"LLM_FALLBACK_MODEL":          {"a\tb"},
		"LLM_TOOLS":                   {"yes", "maybe"},
		"LLM_CONTEXT":                 {"many", "-1", "0", "8k"},
		"WEBHOOK_ALLOW":               {"http://hooks", "10.0.0.0/33", "hooks:port", "hooks:0", "hooks:70000", "10.0.0.0/8,hooks:x"},
		"PROVIDER_ALLOW":              {"http://ollama", "10.0.0.0/33", "ollama:port", "ollama:0", "ollama:70000", "10.0.0.0/8,ollama:x"},
		"SECRET_KEY":                  {"hunter2", "aHVudGVyMg==", "hunter2,hunter2", "hunter2\n"},
		"EMBED_BASE_URL":              {"foo", "embed:8080", "https://me:hunter2@embed:port"},
		"EMBED_API_KEY":               {"hunter2\nhunter2"},
		"EMBED_MODEL":                 {"a\nb"},
		"EMBED_DIMENSIONS":            {"many", "-1", "0", "65537"},
		"FETCH_ALLOW":                 {"http://wiki", "10.0.0.0/33", "wiki:port", "wiki:0", "wiki:70000", "wiki internal", "10.0.0.0/8:443:80"},
		"FETCH_PORTS":                 {"http", "80,65536", "0", "-1", "80;443"},
		"FETCH_DELAY":                 {"slowly", "-1s", "0", "2h", "1"},
		"ENCODE_PASSAGES":             {"yes", "maybe"},
		"WORKERS":                     {"many", "-1", "0", "257", "1.5"},
		"DATABASE_OWNER_URL":          {"foo", "mysql://me:hunter2@db/parley", "postgres://me:hunter2@db:port/parley", "sqlite:parley.db", "postgres://me:hunter2@db/parley"}, // beside SQLite even a right one
		"ROW_LEVEL_SECURITY":          {"perhaps", "off", "Required"},
		"DATABASE_TIMEOUT":            {"long", "-1s", "0", "1ms", "6m"},
		"JOB_LEASE":                   {"long", "-1s", "0", "1ms", "25h"},
		"STRIPE_SECRET_KEY":           {"sk_test_hunter2\nhunter2"},
		"STRIPE_WEBHOOK_SECRET":       {"whsec_hunter2\nhunter2"},
		"STRIPE_URL":                  {"stripe.internal", "ftp://stripe.internal", "http://stripe.internal/v1"},
		"STRIPE_TAX":                  {"perhaps", "2"},
		"STRIPE_TAX_BEHAVIOR":         {"included", "Exclusive"},
		"STRIPE_TAX_CODE":             {"txcd_1", "10103001", "txcd_10103001 "},
		"TRIAL_DAYS":                  {"two weeks", "-1", "731"},
		"BILLING_GRACE_DAYS":          {"a month", "-1", "366"},
		"PLAN_CHANGES":                {"everyone", "Owner"},
		"SMTP_URL":                    {"mail.example.com", "http://me:hunter2@mail.example.com", "smtp://me:hunter2@mail.example.com:port", "smtp://"},
		"MAIL_FROM":                   {"parley", "a@b@c", "parley@example.com\nBcc: hunter2@example.com"},
		"OIDC_ISSUER":                 {"login.example.com", "http://login.example.com", "https://", "https://login.example.com?key=hunter2", "https://me:hunter2@login.example.com"},
		"OIDC_CLIENT_ID":              {"a\nb"},
		"OIDC_CLIENT_SECRET":          {"hunter2\nhunter2"},
		"OIDC_NAME":                   {"a\nb"},
		"OIDC_DOMAINS":                {"example", "a b.example", "me@example.com"},
		"SSO_ALLOW":                   {"http://keycloak", "10.0.0.0/33", "keycloak:port", "keycloak:0", "keycloak:70000", "10.0.0.0/8,keycloak:x"},
		"MAX_CONNECTIONS":             {"many", "-1", "0", "9", "1048577"},
		"MAX_CONNECTIONS_PER_CLIENT":  {"many", "-1", "0", "1048577"},
		"BODY_MEMORY":                 {"256MiB", "-1", "0", "127"},
		"MAX_ANSWERS":                 {"many", "-1", "0", "1.5"},
		"METRICS_ADDR":                {"127.0.0.1", "9091", "127.0.0.1:metrics", "127.0.0.1:99999"},
		"SIGN_UP":                     {"perhaps", "2"},
		"AUDIT_STDOUT":                {"perhaps", "2"},
		"REQUIRE_SECOND_FACTOR":       {"perhaps", "2"},
		"TRUSTED_PROXIES":             {"proxy", "10.0.0.0/33", "10.0.0.1:80"},
		"CLIENT_ADDRESS_HEADER":       {"X Forwarded For", "a:b", "a\nb"},
		"SECURITY_CONTACT":            {"security@example.com", "mailto:", "mailto:security", "mailto:a@example.com,b@example.com", "http://example.com/security", "https://", "tel:+1-201-555-0123", "javascript:alert(1)", "mailto:a@example.com\nContact: mailto:hunter2@example.com", "https://me:hunter2@example.com"},
		"EXTRACT_UNCONFINED":          {"perhaps", "2"},
		"AUDIT_DAYS":                  {"a year", "-1", "0", "36501"},
		"DRAIN_TIMEOUT":               {"soon", "-1s", "0", "25h", "1ms"},
		"LOG_FORMAT":                  {"xml", "JSON"},
		"LOG_LEVEL":                   {"loud", "INFO", "warning"},
		"OTEL_EXPORTER_OTLP_ENDPOINT": {"foo", "collector:4318", "ftp://collector", "https://", "https://me:hunter2@collector:port", "http://collector:4318/?key=hunter2"},
		"OTEL_EXPORTER_OTLP_HEADERS":  {"hunter2", "=hunter2", "a b=hunter2", "a=hunter2%0d%0ab:c", "a=hunter2%zz"},
		"OTEL_EXPORTER_OTLP_PROTOCOL": {"grpc", "http/json"},
		"OTEL_SERVICE_NAME":           {"a\nb"},
		"OTEL_RESOURCE_ATTRIBUTES":    {"hunter2", "=hunter2", "a=hunter2%zz"},
		"OTEL_TRACES_EXPORTER":        {"jaeger", "OTLP"},
		"OTEL_TRACES_SAMPLER":         {"sometimes", "jaeger_remote", "parentbased_"},
		"OTEL_TRACES_SAMPLER_ARG":     {"a lot", "-1", "1.1", "NaN", "50%"},
		"OTEL_METRICS_EXPORTER":       {"prometheus", "both"},
		"OTEL_METRIC_EXPORT_INTERVAL": {"soon", "-1", "0", "60s", "999"},
		"OTEL_SDK_DISABLED":           {"perhaps", "2"},
	}
	collecting = map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
	besides    = map[string]map[string]string{
		"WEAVIATE_GRPC":               {"WEAVIATE_URL": "http://127.0.0.1:1"},
		"WEAVIATE_API_KEY":            {"WEAVIATE_URL": "http://127.0.0.1:1"},
		"WEAVIATE_PREFIX":             {"WEAVIATE_URL": "http://127.0.0.1:1"},
		"WEAVIATE_REPLICAS":           {"WEAVIATE_URL": "http://127.0.0.1:1"},
		"EMBED_BASE_URL":              {"EMBED_MODEL": "double"},
		"EMBED_API_KEY":               {"EMBED_MODEL": "double"},
		"LLM_FALLBACK_MODEL":          {"LLM_MODEL": "double"},
		"STRIPE_WEBHOOK_SECRET":       {"STRIPE_SECRET_KEY": "sk_test_hunter2"},
		"OIDC_ISSUER":                 {"OIDC_CLIENT_ID": "parley", "OIDC_CLIENT_SECRET": "hunter2"},
		"OIDC_CLIENT_ID":              {"OIDC_ISSUER": "https://login.example.com", "OIDC_CLIENT_SECRET": "hunter2"},
		"OIDC_CLIENT_SECRET":          {"OIDC_ISSUER": "https://login.example.com", "OIDC_CLIENT_ID": "parley"},
		"OIDC_DOMAINS":                {"OIDC_ISSUER": "https://login.example.com", "OIDC_CLIENT_ID": "parley", "OIDC_CLIENT_SECRET": "hunter2"},
		"SMTP_URL":                    {"MAIL_FROM": "parley@example.com"},
		"MAIL_FROM":                   {"SMTP_URL": "smtp://127.0.0.1:1"},
		"OTEL_EXPORTER_OTLP_HEADERS":  collecting,
		"OTEL_EXPORTER_OTLP_PROTOCOL": collecting,
		"OTEL_RESOURCE_ATTRIBUTES":    collecting,
		"OTEL_TRACES_EXPORTER":        collecting,
		"OTEL_TRACES_SAMPLER":         collecting,
		"OTEL_TRACES_SAMPLER_ARG":     collecting,
		"OTEL_METRICS_EXPORTER":       collecting,
	}
)

// TestWrongSettings starts a server with wrong values of every setting.
func TestWrongSettings(t *testing.T) {
	for _, s := range (&app.Config{}).Settings() {
		t.Run(s.Env, func(t *testing.T) {
			if len(wrongValues[s.Env]) == 0 {
				t.Fatal("it has no invalid values in this table. Refuse some when the program starts, and add them here.")
			}
			for _, value := range wrongValues[s.Env] {
				t.Run("a server does not start, and says why, with "+value, func(t *testing.T) {
					complaint, code := serveWith(t, s.Env, value)
					if code != 1 {
						t.Errorf("it ends with %d", code)
					}
					isOneSentence(t, complaint, s.Env)
				})
			}
		})
	}
	for env := range wrongValues {
		if !slices.ContainsFunc((&app.Config{}).Settings(), func(s config.Setting) bool { return s.Env == env }) {
			t.Errorf("%s is no longer a setting", env)
		}
	}
}

// serveWith starts a server in an environment, as far as it gets.
func serveWith(t *testing.T, env, value string) (complaint string, code int) {
	t.Helper()
	all := map[string]string{}
	for _, s := range (&app.Config{}).Settings() {
		all[s.Env] = ""
	}
	maps.Copy(all, map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data"), "LISTEN_ADDR": "127.0.0.1:0"})
	if env == "PORT" {
		all["LISTEN_ADDR"] = ""
	}
	maps.Copy(all, besides[env])
	for name, text := range all {
		t.Setenv(name, text) // the test restores it
		if text == "" {
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv(env, value)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var printed, complaints bytes.Buffer
	code = run(ctx, []string{"serve"}, streams{in: strings.NewReader(""), out: &printed}, &complaints)
	return complaints.String() + printed.String(), code
}

func isOneSentence(t *testing.T, complaint, env string) {
	t.Helper()
	line, more, _ := strings.Cut(complaint, "\n")
	if more != "" || !strings.HasPrefix(line, "parley: "+env) || len(line) > 300 {
		t.Errorf("it says %q", complaint)
	}
	if !strings.Contains(line, "must be") && !strings.Contains(line, "Give") && !strings.Contains(line, "such as") && !strings.Contains(line, "has characters") {
		t.Errorf("it does not say what a valid value looks like: %q", complaint)
	}
	for _, leak := range []string{"hunter", "hünter", "aHVudGVyMg", "goroutine", "panic", ".go:"} {
		if strings.Contains(complaint, leak) {
			t.Errorf("it shows %q: %s", leak, complaint)
		}
	}
}
