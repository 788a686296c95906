package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"

	"parley/core/chatbot"
	"parley/core/seal"
	"parley/fetch"
)

// Models configures the language models and the embedding model.
type Models struct {
	LLMBaseURL  string        `name:"llm-base-url" env:"LLM_BASE_URL" placeholder:"URL" secret:"url" help:"OpenAI-compatible server, such as https://api.openai.com/v1. Default: OpenAI's when a key or model is set. Without server, key and model, Parley quotes the passages and uses no language model."`
	LLMAPIKey   string        `name:"llm-api-key" env:"LLM_API_KEY" placeholder:"KEY" secret:"text" help:"API key for the model's server."`
	LLMModel    string        `name:"llm-model" env:"LLM_MODEL" placeholder:"NAME" help:"Name of the model. Default: gpt-4o-mini when a server or key is set."`
	LLMTimeout  time.Duration `name:"llm-timeout" env:"LLM_TIMEOUT" range:"1s-24h" default:"2m" help:"Longest time for a whole answer of the model."`
	LLMFirst    time.Duration `name:"llm-first-token-timeout" env:"LLM_FIRST_TOKEN_TIMEOUT" range:"1s-24h" default:"30s" help:"Longest time until the model's first token."`
	LLMProvider string        `name:"llm-provider" env:"LLM_PROVIDER" placeholder:"KIND" help:"Interface of the model's server: openai, which many other servers have too, or anthropic. Default: openai."`
	LLMFallback string        `name:"llm-fallback-model" env:"LLM_FALLBACK_MODEL" placeholder:"NAME" help:"Fallback model of the same server. It answers if the first model fails before its first word. Default: none."`
	LLMTools    string        `name:"llm-tools" env:"LLM_TOOLS" placeholder:"WHEN" help:"Whether the model may search the knowledge by itself: on, off or auto, which is on for OpenAI's own server and for Anthropic. Default: auto."`
	LLMContext  int           `name:"llm-context" env:"LLM_CONTEXT" range:"1-1000000000" placeholder:"N" help:"Number of tokens that prompt and answer may have together. Default: the known context of the model with this name, else 32768."`
	// ProviderAllow has nothing from FETCH_ALLOW: a crawler may read hosts to
	// which a workspace may not send its own requests.
	ProviderAllow []string `name:"provider-allow" env:"PROVIDER_ALLOW" placeholder:"TARGET" help:"Private hosts and networks where workspaces may use models of their own, also over http. Written as in FETCH_ALLOW, such as ollama.internal:11434. Default: none."`
	// WebhookAllow has nothing from the others, because workspaces choose what is sent.
	WebhookAllow []string `name:"webhook-allow" env:"WEBHOOK_ALLOW" placeholder:"TARGET" help:"Private hosts and networks to which workspaces may send webhooks, also over http. Written as in FETCH_ALLOW, such as hooks.internal:8080. Default: none."`
	SecretKey    string   `name:"secret-key" env:"SECRET_KEY" placeholder:"KEY" secret:"text" help:"Key that encrypts, in the database, the keys of workspaces' model providers, the secrets of their webhooks and single sign-on, and those of people's authenticator apps: 32 random bytes in base64, such as openssl rand -base64 32 prints. To change it, put the new one before the old one, with a comma between, and run parley provider reseal. All servers on one PostgreSQL need the same. Default: on SQLite, a key that Parley makes in the data folder; on PostgreSQL none, and Parley saves none of these."`
	EmbedBaseURL string   `name:"embed-base-url" env:"EMBED_BASE_URL" placeholder:"URL" secret:"url" help:"OpenAI-compatible server whose /embeddings turns passages and questions into vectors. Default: OpenAI's when EMBED_MODEL is set; without EMBED_MODEL, retrieval needs no server."`
	EmbedAPIKey  string   `name:"embed-api-key" env:"EMBED_API_KEY" placeholder:"KEY" secret:"text" help:"API key for the embedding server."`
	EmbedModel   string   `name:"embed-model" env:"EMBED_MODEL" placeholder:"NAME" help:"Name of the embedding model. When it changes, Parley rebuilds the index."`
	EmbedSize    int      `name:"embed-dimensions" env:"EMBED_DIMENSIONS" range:"1-65536" placeholder:"N" help:"Dimension of the vectors that Parley asks the embedding server for. Default: the model's own."`
}

// DefaultLLM is the address of models without a configured server.
const DefaultLLM = "https://api.openai.com/v1"

const defaultModel = "gpt-4o-mini"

// The values of LLM_TOOLS.
const (
	toolsAuto = "auto"
	toolsOn   = "on"
	toolsOff  = "off"
)

func (c *Models) check() error {
	if c.EmbedModel == "" && (c.EmbedBaseURL != "" || c.EmbedAPIKey != "") {
		return errors.New("EMBED_MODEL must name the embedding model when EMBED_BASE_URL or EMBED_API_KEY is set")
	}
	for _, s := range [][2]string{{"LLM_BASE_URL", c.LLMBaseURL}, {"EMBED_BASE_URL", c.EmbedBaseURL}} {
		if s[1] != "" && !isWebURL(s[1]) {
			return fmt.Errorf("%s must be an http:// or https:// address without a query, such as https://api.openai.com/v1", s[0])
		}
	}
	if _, err := c.ProviderTargets(); err != nil {
		return err
	}
	if _, err := c.WebhookTargets(); err != nil {
		return err
	}
	switch c.LLMProvider {
	case "", string(chatbot.OpenAI):
	case string(chatbot.Anthropic):
		if c.LLMModel == "" {
			return errors.New("LLM_MODEL must name the model when LLM_PROVIDER is anthropic")
		}
	default:
		return errors.New("LLM_PROVIDER must be openai or anthropic")
	}
	switch c.LLMTools {
	case "", toolsAuto, toolsOn, toolsOff:
	default:
		return errors.New("LLM_TOOLS must be auto, on or off")
	}
	switch {
	case c.LLMFallback != "" && !c.HasModel():
		return errors.New("LLM_MODEL must be set when LLM_FALLBACK_MODEL is")
	case c.LLMFallback != "" && c.LLMFallback == c.ModelName():
		return errors.New("LLM_FALLBACK_MODEL must be another model than LLM_MODEL")
	}
	if _, err := seal.ParseServerKeys(c.SecretKey); err != nil {
		return fmt.Errorf("SECRET_KEY: %w", err)
	}
	return nil
}

// ModelName returns the name of the server's own language model.
func (c *Models) ModelName() string {
	if c.LLMModel == "" {
		return defaultModel
	}
	return c.LLMModel
}

// OffersTools reports whether the server's own model may search by itself.
func (c *Models) OffersTools() bool {
	return c.LLMTools == toolsOn || c.LLMTools != toolsOff && callsTools(chatbot.ProviderKind(c.LLMProvider), c.LLMBaseURL)
}

// callsTools reports whether a server's models are known to call tools.
func callsTools(kind chatbot.ProviderKind, address string) bool {
	if kind == chatbot.Anthropic || address == "" {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && u.Hostname() == "api.openai.com"
}

// EmbedAddress is the address of the embedding model's server.
func (c *Models) EmbedAddress() string { return cmp.Or(c.EmbedBaseURL, DefaultLLM) }

// HasModel reports whether the server has a language model.
func (c *Models) HasModel() bool {
	return c.LLMBaseURL != "" || c.LLMAPIKey != "" || c.LLMModel != ""
}

// ProviderTargets returns the private hosts and networks in which workspaces may use
// their own models.
func (c *Models) ProviderTargets() ([]fetch.Target, error) {
	return targets("PROVIDER_ALLOW", c.ProviderAllow)
}

// WebhookTargets returns the private hosts and networks that workspaces may send
// webhooks to.
func (c *Models) WebhookTargets() ([]fetch.Target, error) {
	return targets("WEBHOOK_ALLOW", c.WebhookAllow)
}
