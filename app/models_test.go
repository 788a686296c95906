package app

import (
	"strings"
	"testing"

	"parley/app/config"
)

func TestOwnModels(t *testing.T) {
	for sentence, c := range map[string]struct {
		config Config
		names  string
		tools  bool
	}{
		"no model":                 {Config{}, "extractive", false},
		"a key alone":              {Config{Models: config.Models{LLMAPIKey: "k"}}, "gpt-4o-mini extractive", true},
		"OpenAI's address":         {Config{Models: config.Models{LLMBaseURL: "https://api.openai.com/v1", LLMModel: "m"}}, "m extractive", true},
		"another server":           {Config{Models: config.Models{LLMBaseURL: "http://127.0.0.1:1/v1", LLMModel: "m"}}, "m extractive", false},
		"another server with them": {Config{Models: config.Models{LLMBaseURL: "http://127.0.0.1:1/v1", LLMModel: "m", LLMTools: "on"}}, "m extractive", true},
		"OpenAI without them":      {Config{Models: config.Models{LLMAPIKey: "k", LLMTools: "off"}}, "gpt-4o-mini extractive", false},
		"Anthropic":                {Config{Models: config.Models{LLMModel: "claude-haiku-4-5", LLMProvider: "anthropic"}}, "claude-haiku-4-5 extractive", true},
		"a second one":             {Config{Models: config.Models{LLMModel: "m", LLMFallback: "n", LLMContext: 5_000}}, "m n extractive", true},
	} {
		t.Run("the models of a server with "+sentence, func(t *testing.T) {
			own, err := newOwnModels(&c.config)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, model := range own {
				names = append(names, model.Name())
			}
			if got := strings.Join(names, " "); got != c.names || own[0].Traits().Tools != c.tools {
				t.Errorf("they are %s with %+v", got, own[0].Traits())
			}
			if want := c.config.LLMContext; want != 0 && own[1].Traits().Context != want {
				t.Errorf("the context is %d", own[1].Traits().Context)
			}
		})
	}
}
