package main

import (
	"strings"
	"testing"

	"parley/core/chatbot"
)

func TestRefusedModels(t *testing.T) {
	for sentence, c := range map[string]struct {
		environment map[string]string
		says        string
	}{
		"a provider that there is not":      {map[string]string{"LLM_PROVIDER": "oracle"}, "LLM_PROVIDER must be openai or anthropic"},
		"Anthropic without a model":         {map[string]string{"LLM_PROVIDER": "anthropic", "LLM_API_KEY": "sk-secret"}, "LLM_MODEL must name"},
		"tools now and then":                {map[string]string{"LLM_TOOLS": "maybe"}, "LLM_TOOLS must be"},
		"a context below nothing":           {map[string]string{"LLM_CONTEXT": "-1"}, "LLM_CONTEXT must be"},
		"a second model without a first":    {map[string]string{"LLM_FALLBACK_MODEL": "m"}, "LLM_MODEL must be set"},
		"the first model as the second":     {map[string]string{"LLM_MODEL": "m", "LLM_FALLBACK_MODEL": "m"}, "another model"},
		"the default model as the second":   {map[string]string{"LLM_API_KEY": "sk-secret", "LLM_FALLBACK_MODEL": "gpt-4o-mini"}, "another model"},
		"a key of the server that is short": {map[string]string{"SECRET_KEY": "my-secret-password"}, "SECRET_KEY: give 32 random bytes"},
	} {
		t.Run(sentence+" is refused", func(t *testing.T) {
			out, complaint, code := configOf(t, c.environment)
			if code != 1 || !strings.Contains(complaint, c.says) {
				t.Errorf("it ends with %d and says %q", code, complaint)
			}
			if strings.Contains(out+complaint, "secret") {
				t.Errorf("a secret is shown: %s", complaint)
			}
		})
	}
	t.Run("the server's key is masked", func(t *testing.T) {
		secret := chatbot.ServerKey([]byte("thirty-two bytes that are secret")).Text()
		out, complaint, code := configOf(t, map[string]string{"SECRET_KEY": secret})
		if code != 0 || strings.Contains(out+complaint, secret) || !strings.Contains(out, "SECRET_KEY") {
			t.Errorf("it ends with %d and prints\n%s%s", code, out, complaint)
		}
	})
}

func TestOwnModels(t *testing.T) {
	for sentence, c := range map[string]struct {
		config Config
		names  string
		tools  bool
	}{
		"no model":                 {Config{}, "extractive", false},
		"a key alone":              {Config{LLMAPIKey: "k"}, "gpt-4o-mini extractive", true},
		"OpenAI's address":         {Config{LLMBaseURL: "https://api.openai.com/v1", LLMModel: "m"}, "m extractive", true},
		"another server":           {Config{LLMBaseURL: "http://127.0.0.1:1/v1", LLMModel: "m"}, "m extractive", false},
		"another server with them": {Config{LLMBaseURL: "http://127.0.0.1:1/v1", LLMModel: "m", ModelConfig: ModelConfig{LLMTools: toolsOn}}, "m extractive", true},
		"OpenAI without them":      {Config{LLMAPIKey: "k", ModelConfig: ModelConfig{LLMTools: toolsOff}}, "gpt-4o-mini extractive", false},
		"Anthropic":                {Config{LLMModel: "claude-haiku-4-5", ModelConfig: ModelConfig{LLMProvider: "anthropic"}}, "claude-haiku-4-5 extractive", true},
		"a second one":             {Config{LLMModel: "m", ModelConfig: ModelConfig{LLMSecond: "n", LLMContext: 5_000}}, "m n extractive", true},
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
