// Package config is the configuration of the program: its settings, by flags
// and environment variables, what is refused of them, and what they mean to the
// parts of the program.
package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"parley/internal/clientaddr"
)

// Config is the whole configuration, by flags and environment. The reference
// in docs/config.md is generated from it.
type Config struct {
	Listen       string        `name:"listen" env:"LISTEN_ADDR" placeholder:"ADDRESS" help:"Address to listen on. Default: 127.0.0.1:8080, or all interfaces on PORT when only that is set."`
	Port         int           `name:"port" env:"PORT" range:"1-65535" help:"Port to listen on, on all interfaces, when no address is given."`
	DataDir      string        `name:"data-dir" env:"DATA_DIR" default:"./data" help:"Folder of the embedded database and index."`
	BaseURL      string        `name:"base-url" env:"BASE_URL" placeholder:"URL" help:"Address under which people reach the server, such as https://parley.example.com. Default: http:// and the address listened on. With https, cookies are sent over TLS only."`
	DatabaseURL  string        `name:"database-url" env:"DATABASE_URL" placeholder:"URL" secret:"url" help:"PostgreSQL database, as postgres://user:password@host:5432/name. Default: SQLite in the data folder."`
	WeaviateURL  string        `name:"weaviate-url" env:"WEAVIATE_URL" placeholder:"URL" help:"Weaviate that holds the retrieval index, such as http://127.0.0.1:8081. Unset means the embedded index."`
	WeaviateGRPC string        `name:"weaviate-grpc" env:"WEAVIATE_GRPC" placeholder:"ADDRESS" help:"Host and port of Weaviate's gRPC interface. Default: port 50051 of the host of WEAVIATE_URL."`
	WeaviateKey  string        `name:"weaviate-api-key" env:"WEAVIATE_API_KEY" placeholder:"KEY" secret:"text" help:"Weaviate's API key. Needed unless Weaviate is on this machine."`
	WeaviateName string        `name:"weaviate-prefix" env:"WEAVIATE_PREFIX" placeholder:"NAME" help:"Beginning of the names of collections, for several installations on one Weaviate: letters and digits, a capital first."`
	WeaviateCopy int           `name:"weaviate-replicas" env:"WEAVIATE_REPLICAS" range:"1-99" placeholder:"N" help:"Number of nodes that hold each passage. Takes effect with parley reindex. Default: 1."`
	LLMBaseURL   string        `name:"llm-base-url" env:"LLM_BASE_URL" placeholder:"URL" secret:"url" help:"OpenAI-compatible server, such as https://api.openai.com/v1. Default: OpenAI's when a key or model is set; without any of the three, answers are extracted from the passages without a model."`
	LLMAPIKey    string        `name:"llm-api-key" env:"LLM_API_KEY" placeholder:"KEY" secret:"text" help:"Key for the model's server."`
	LLMModel     string        `name:"llm-model" env:"LLM_MODEL" placeholder:"NAME" help:"Name of the model. Default: gpt-4o-mini when a server or key is set."`
	LLMTimeout   time.Duration `name:"llm-timeout" env:"LLM_TIMEOUT" range:"1s-24h" default:"2m" help:"Longest time for a whole answer of the model."`
	LLMFirst     time.Duration `name:"llm-first-token-timeout" env:"LLM_FIRST_TOKEN_TIMEOUT" range:"1s-24h" default:"30s" help:"Longest time until the model's first token."`
	ModelConfig
	EmbedBaseURL    string        `name:"embed-base-url" env:"EMBED_BASE_URL" placeholder:"URL" secret:"url" help:"OpenAI-compatible server whose /embeddings makes vectors of passages and questions. Default: OpenAI's when EMBED_MODEL is set; without EMBED_MODEL, retrieval needs no server."`
	EmbedAPIKey     string        `name:"embed-api-key" env:"EMBED_API_KEY" placeholder:"KEY" secret:"text" help:"Key for the embedding server."`
	EmbedModel      string        `name:"embed-model" env:"EMBED_MODEL" placeholder:"NAME" help:"Name of the embedding model. The index is rebuilt when it changes."`
	EmbedSize       int           `name:"embed-dimensions" env:"EMBED_DIMENSIONS" range:"1-65536" placeholder:"N" help:"Dimension that the embedding server is asked for. Default: the model's own."`
	FetchAllow      []string      `name:"fetch-allow" env:"FETCH_ALLOW" placeholder:"TARGET" help:"Private hosts and networks that pages may be read from, each with a port, such as wiki.internal:8080, 10.0.0.0/8:443 or [fd00::/8]:443, separated by commas. Without a port, 80 and 443 are open; the port * opens all. Default: none."`
	FetchPorts      []int         `name:"fetch-ports" env:"FETCH_PORTS" range:"1-65535" placeholder:"PORT" help:"Ports of public sites that pages may be read from. Default: 80 and 443."`
	FetchDelay      time.Duration `name:"fetch-delay" env:"FETCH_DELAY" range:"1ms-1h" default:"1s" help:"Pause between two requests to one host."`
	Unconfined      bool          `name:"extract-unconfined" env:"EXTRACT_UNCONFINED" help:"Whether files are read on a system that cannot confine their readers, which is every one but Linux. Without it PDF, Office, EPUB and HTML files and web pages are refused there. On Linux readers are always confined."`
	Workers         int           `name:"workers" env:"WORKERS" range:"1-256" placeholder:"N" help:"Number of workspaces for which this process fetches pages at once, and as many for which it fills the index. Files are read by workers of their own, at most two for each processor. Default: 16."`
	JobLease        time.Duration `name:"job-lease" env:"JOB_LEASE" range:"1s-24h" default:"5m" help:"How long a server that has died may hold a workspace's documents before another takes them over. On SQLite the next start does so at once."`
	StripeKey       string        `name:"stripe-secret-key" env:"STRIPE_SECRET_KEY" placeholder:"KEY" secret:"text" help:"Stripe's secret key (sk_) or a restricted one (rk_) with the rights that docs/billing.md lists. With it owners buy plans; the operator can still grant one with parley plan set."`
	StripeSecret    string        `name:"stripe-webhook-secret" env:"STRIPE_WEBHOOK_SECRET" placeholder:"SECRET" secret:"text" help:"Signing secret of Stripe's webhook endpoint, which is /api/webhooks/stripe. A server with STRIPE_SECRET_KEY needs it."`
	StripeURL       string        `name:"stripe-url" env:"STRIPE_URL" placeholder:"URL" help:"Address of another Stripe, for tests."`
	StripeTax       bool          `name:"stripe-tax" env:"STRIPE_TAX" help:"Whether Stripe Tax reckons the taxes at checkout. It has to be set up at Stripe before."`
	TaxBehavior     string        `name:"stripe-tax-behavior" env:"STRIPE_TAX_BEHAVIOR" placeholder:"HOW" default:"exclusive" help:"Whether taxes come on top of the plans' prices (exclusive) or are a part of them (inclusive). After a change run parley billing sync."`
	TaxCode         string        `name:"stripe-tax-code" env:"STRIPE_TAX_CODE" placeholder:"CODE" help:"Stripe's code for what is sold, such as txcd_10103001 for software that businesses use. Unset means the default of the account at Stripe."`
	TrialDays       int           `name:"trial-days" env:"TRIAL_DAYS" range:"0-730" placeholder:"N" default:"14" help:"Days of a person's and workspace's first subscription that cost nothing. 0 means no trial."`
	GraceDays       int           `name:"billing-grace-days" env:"BILLING_GRACE_DAYS" range:"0-365" placeholder:"N" default:"21" help:"Days for which a plan stays in force after a payment failed."`
	PlanChanges     string        `name:"plan-changes" env:"PLAN_CHANGES" placeholder:"WHO" help:"Who changes plans by hand while there is no Stripe: owner, on the plan page, or operator, with parley plan set. Default: operator, and owner with parley serve --demo."`
	SMTPURL         string        `name:"smtp-url" env:"SMTP_URL" placeholder:"URL" secret:"url" help:"Server that takes mails: smtp://user:password@mail.example.com:587, which is encrypted by STARTTLS, or smtps:// on port 465. Unset means that no mails are sent, and that addresses are not checked. Mails have links: set BASE_URL, too."`
	MailFrom        string        `name:"mail-from" env:"MAIL_FROM" placeholder:"ADDRESS" help:"Sender of mails, such as parley@example.com, with or without a name. Needed with SMTP_URL."`
	MetricsAddr     string        `name:"metrics-addr" env:"METRICS_ADDR" placeholder:"ADDRESS" help:"Address on which /metrics is served to Prometheus, such as 127.0.0.1:9091. Unset means that it is not. Keep it from the public."`
	SecurityContact string        `name:"security-contact" env:"SECURITY_CONTACT" placeholder:"URI" help:"Where people report a vulnerability of this installation, such as mailto:security@example.com or https://example.com/security. With it /.well-known/security.txt is served, and with a BASE_URL of https that names the policy, too."`
	AuditDays       int           `name:"audit-days" env:"AUDIT_DAYS" placeholder:"N" default:"400" help:"Days for which entries of the audit log are kept, those of deleted workspaces, too: from 1 to 3660."`
	SignUp          bool          `name:"sign-up" env:"SIGN_UP" default:"true" negatable:"" help:"Whether anybody may sign up. The first visitor of an empty server always may."`
	Proxies         []string      `name:"trusted-proxies" env:"TRUSTED_PROXIES" placeholder:"ADDRESS" help:"Addresses or networks of the reverse proxies in front of this server, separated by commas. Only they are believed when they say who the client is. Set it wherever BASE_URL begins with https: without it all clients count as one."`
	ProxyHeader     string        `name:"client-address-header" env:"CLIENT_ADDRESS_HEADER" default:"X-Forwarded-For" placeholder:"NAME" help:"Header in which trusted proxies pass on the client's address, such as Fly-Client-IP or CF-Connecting-IP."`
	ConnectionConfig
	MaxAnswers   int           `name:"max-answers" env:"MAX_ANSWERS" placeholder:"N" range:"1-1000000" help:"Answers that this process works on at once. More are refused with 503. Default: 2000."`
	DrainTimeout time.Duration `name:"drain-timeout" env:"DRAIN_TIMEOUT" range:"1s-24h" default:"20s" help:"How long running answers may go on after SIGTERM before they are ended."`
	LogFormat    string        `name:"log-format" env:"LOG_FORMAT" default:"text" help:"Format of the log on standard error: text or json."`
	LogLevel     string        `name:"log-level" env:"LOG_LEVEL" default:"info" help:"Least level that is logged: debug, info, warn or error."`
}

// DefaultLLM is the model server that is asked when none is named.
const DefaultLLM = "https://api.openai.com/v1"

const (
	defaultListen = "127.0.0.1:8080"
	defaultModel  = "gpt-4o-mini"

	maxAuditDays = 3660
)

// Validate is called by kong after parsing. Its error is a wrongSetting.
func (c *Config) Validate() error {
	if err := c.validate(); err != nil {
		return &WrongSetting{err.Error()}
	}
	return nil
}

func (c *Config) validate() error {
	if err := checkSettings(reflect.ValueOf(*c)); err != nil {
		return err
	}
	if c.EmbedModel == "" && (c.EmbedBaseURL != "" || c.EmbedAPIKey != "") {
		return fmt.Errorf("EMBED_MODEL must name the embedding model when EMBED_BASE_URL or EMBED_API_KEY is set")
	}
	if c.BaseURL != "" && !isWebOrigin(c.BaseURL) {
		return fmt.Errorf("BASE_URL must be a scheme and host, such as https://parley.example.com")
	}
	if !isListenAddress(c.ListenAddress()) {
		return fmt.Errorf("LISTEN_ADDR must be an address and port, such as 127.0.0.1:8080")
	}
	if c.MetricsAddr != "" && !isListenAddress(c.MetricsAddr) {
		return fmt.Errorf("METRICS_ADDR must be an address and port, such as 127.0.0.1:9091")
	}
	if c.AuditDays < 1 || c.AuditDays > maxAuditDays {
		return fmt.Errorf("AUDIT_DAYS must be from 1 to %d", maxAuditDays)
	}
	if _, err := c.TrustedProxies(); err != nil {
		return err
	}
	switch c.LogFormat {
	case "", "text", "json":
	default:
		return fmt.Errorf("LOG_FORMAT must be text or json")
	}
	switch c.LogLevel {
	case "", "debug", "info", "warn", "error":
	default:
		return fmt.Errorf("LOG_LEVEL must be debug, info, warn or error")
	}
	for _, check := range []func() error{c.validateSecurityContact, c.validateServers, c.validateConnections, c.validateTargets, c.validateModels, c.validateBilling} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) TrustedProxies() (clientaddr.Proxies, error) {
	if _, err := clientaddr.Parse(nil, c.ProxyHeader); err != nil {
		return clientaddr.Proxies{}, fmt.Errorf("CLIENT_ADDRESS_HEADER: %w", err)
	}
	proxies, err := clientaddr.Parse(c.Proxies, c.ProxyHeader)
	if err != nil {
		return clientaddr.Proxies{}, fmt.Errorf("TRUSTED_PROXIES: %w", err)
	}
	return proxies, nil
}

// ClientsAreOne reports whether all clients have one address here: TLS ends in
// a proxy, as this server speaks none, and no proxy is trusted to name them.
func (c *Config) ClientsAreOne() bool {
	return strings.HasPrefix(c.BaseURL, "https://") && len(c.Proxies) == 0
}

// LinksLeadNowhere reports whether mails would link to the reader's own
// machine: the server listens to others, and has not been told its address.
func (c *Config) LinksLeadNowhere() bool {
	if c.SMTPURL == "" || c.BaseURL != "" {
		return false
	}
	host, _, err := net.SplitHostPort(c.ListenAddress())
	if err != nil {
		return false // the start refuses it
	}
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// isWebOrigin says that a URL has nothing but http or https, a host and a port.
func isWebOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.Trim(u.Path, "/") == "" && u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

func (c *Config) ListenAddress() string {
	switch {
	case c.Listen != "":
		return c.Listen
	case c.Port != 0:
		return fmt.Sprintf(":%d", c.Port)
	}
	return defaultListen
}

// PublicURL is where people reach a server that listens on address.
func (c *Config) PublicURL(address string) string {
	if c.BaseURL != "" {
		return strings.TrimRight(c.BaseURL, "/")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func (c *Config) Database() string {
	if c.DatabaseURL != "" {
		return c.DatabaseURL
	}
	return "sqlite:" + filepath.Join(c.DataDir, "parley.db")
}

// DataDirs are the folders that one server at a time may use: that of the index
// and that of a SQLite database elsewhere.
func (c *Config) DataDirs() []string {
	dirs := []string{filepath.Clean(c.DataDir)}
	if path, isFile := strings.CutPrefix(c.Database(), "sqlite:"); isFile {
		path, _, _ = strings.Cut(path, "?")
		if dir := filepath.Dir(path); dir != dirs[0] {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (c *Config) IndexPath() string { return filepath.Join(c.DataDir, "index.db") }

// KeyPath is where a server on SQLite keeps its own key.
func (c *Config) KeyPath() string { return filepath.Join(c.DataDir, "secret.key") }

// HasModel says whether a language model answers.
func (c *Config) HasModel() bool {
	return c.LLMBaseURL != "" || c.LLMAPIKey != "" || c.LLMModel != ""
}

// UserAgent tells sites who reads them, and where to learn more.
func (c *Config) UserAgent() string {
	if c.BaseURL == "" {
		return "Parley/1.0"
	}
	return "Parley/1.0 (+" + strings.TrimRight(c.BaseURL, "/") + ")"
}

// Setting is one field of the configuration.
type Setting struct {
	Flag, Env, Default, Help, Value string
}

// Settings returns the fields with their values, secrets masked.
func (c *Config) Settings() []Setting { return settingsIn(reflect.ValueOf(*c)) }

func settingsIn(v reflect.Value) []Setting {
	var all []Setting
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			all = append(all, settingsIn(v.Field(i))...)
			continue
		}
		tag := v.Type().Field(i).Tag
		all = append(all, Setting{
			Flag: tag.Get("name"), Env: tag.Get("env"), Default: tag.Get("default"), Help: tag.Get("help"),
			Value: masked(tag.Get("secret"), show(v.Field(i).Interface(), tag.Get("default") != "")),
		})
	}
	return all
}

// show writes a value. A number of zero is one that was not set, unless there
// is a default.
func show(value any, hasDefault bool) string {
	switch value := value.(type) {
	case []string:
		return strings.Join(value, ",")
	case []int:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(value), " ", ","), "[]")
	case int:
		if value == 0 && !hasDefault {
			return ""
		}
	}
	return fmt.Sprint(value)
}

const mask = "********"

func masked(kind, value string) string {
	switch {
	case value == "" || kind == "":
		return value
	case kind == "url":
		return maskedURL(value)
	}
	return mask
}

// maskedURL keeps what cannot be secret of a database's URL: in another form
// than the one asked for, a password could be anywhere.
func maskedURL(value string) string {
	u, err := url.Parse(value)
	switch {
	case err != nil, strings.Contains(value, " "):
		return mask
	case u.Scheme == "sqlite":
		file, _, _ := strings.Cut(value, "?")
		return file
	case u.Host == "":
		return mask
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if _, has := u.User.Password(); !has {
		shown.User = u.User
		return shown.String()
	}
	shown.User = url.UserPassword(u.User.Username(), "MASK")
	return strings.Replace(shown.String(), ":MASK@", ":"+mask+"@", 1)
}
