package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"

	"parley/core/chatbot"
)

// ModelConfig is the part of the configuration about models that is neither
// their address nor their time limits.
type ModelConfig struct {
	LLMProvider string `name:"llm-provider" env:"LLM_PROVIDER" placeholder:"KIND" help:"Interface of the model's server: openai, which many others speak too, or anthropic. Default: openai."`
	LLMSecond   string `name:"llm-fallback-model" env:"LLM_FALLBACK_MODEL" placeholder:"NAME" help:"Second model of the same server, which answers where the first fails before its first word. Default: none."`
	LLMTools    string `name:"llm-tools" env:"LLM_TOOLS" placeholder:"WHEN" help:"Whether the model is offered to search the knowledge by itself: on, off or auto, which is on for OpenAI's own server and for Anthropic. Default: auto."`
	LLMContext  int    `name:"llm-context" env:"LLM_CONTEXT" range:"1-1000000000" placeholder:"N" help:"Number of tokens that prompt and answer may have together. Default: what is known of the model's name, else 32768."`
	// ProviderAllow does not take from FETCH_ALLOW: what a crawler may read is
	// not what a workspace may send requests of its own to.
	ProviderAllow []string `name:"provider-allow" env:"PROVIDER_ALLOW" placeholder:"TARGET" help:"Private hosts and networks in which workspaces may use models of their own, also over http, written as in FETCH_ALLOW, such as ollama.internal:11434. Default: none."`
	SecretKey     string   `name:"secret-key" env:"SECRET_KEY" placeholder:"KEY" secret:"text" help:"Key that encrypts the keys of workspaces' model providers in the database: 32 random bytes in base64, such as openssl rand -base64 32 prints. To change it, put the new one before the old one, with a comma between, and run parley provider reseal. All servers on one PostgreSQL need the same. Default: on SQLite a key that is made in the data folder; on PostgreSQL none, and no keys can be saved."`
}

// The kinds of model servers, and when tools are offered.
const (
	toolsAuto = "auto"
	toolsOn   = "on"
	toolsOff  = "off"
)

func (c *Config) validateModels() error {
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
	case c.LLMSecond != "" && !c.HasModel():
		return errors.New("LLM_MODEL must be set when LLM_FALLBACK_MODEL is")
	case c.LLMSecond != "" && c.LLMSecond == c.ModelName():
		return errors.New("LLM_FALLBACK_MODEL must be another model than LLM_MODEL")
	}
	if _, err := chatbot.ParseServerKeys(c.SecretKey); err != nil {
		return fmt.Errorf("SECRET_KEY: %w", err)
	}
	return nil
}

// ModelName is the name of the server's own language model.
func (c *Config) ModelName() string {
	if c.LLMModel == "" {
		return defaultModel
	}
	return c.LLMModel
}

// OffersTools reports whether the server's own model may search by itself.
func (c *Config) OffersTools() bool {
	return c.LLMTools == toolsOn || c.LLMTools != toolsOff && callsTools(chatbot.ProviderKind(c.LLMProvider), c.LLMBaseURL)
}

// callsTools says of which servers it is known that their models call tools.
func callsTools(kind chatbot.ProviderKind, address string) bool {
	if kind == chatbot.Anthropic || address == "" {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && u.Hostname() == "api.openai.com"
}

// EmbedAddress is where the embedding model is.
func (c *Config) EmbedAddress() string { return cmp.Or(c.EmbedBaseURL, DefaultLLM) }
