package main

import (
	"strings"
	"testing"

	"parley/core/seal"
)

func TestRefusedModels(t *testing.T) {
	for sentence, c := range map[string]struct {
		environment map[string]string
		says        string
	}{
		"an unknown provider":               {map[string]string{"LLM_PROVIDER": "oracle"}, "LLM_PROVIDER must be openai or anthropic"},
		"Anthropic without a model":         {map[string]string{"LLM_PROVIDER": "anthropic", "LLM_API_KEY": "sk-secret"}, "LLM_MODEL must name"},
		"an invalid value for tools":        {map[string]string{"LLM_TOOLS": "maybe"}, "LLM_TOOLS must be"},
		"a negative context":                {map[string]string{"LLM_CONTEXT": "-1"}, "LLM_CONTEXT must be"},
		"a fallback model without a first":  {map[string]string{"LLM_FALLBACK_MODEL": "m"}, "LLM_MODEL must be set"},
		"the first model as the fallback":   {map[string]string{"LLM_MODEL": "m", "LLM_FALLBACK_MODEL": "m"}, "another model"},
		"the default model as the fallback": {map[string]string{"LLM_API_KEY": "sk-secret", "LLM_FALLBACK_MODEL": "gpt-4o-mini"}, "another model"},
		"a short server key":                {map[string]string{"SECRET_KEY": "my-secret-password"}, "SECRET_KEY: give 32 random bytes"},
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
		secret := seal.ServerKey([]byte("thirty-two bytes that are secret")).Text()
		out, complaint, code := configOf(t, map[string]string{"SECRET_KEY": secret})
		if code != 0 || strings.Contains(out+complaint, secret) || !strings.Contains(out, "SECRET_KEY") {
			t.Errorf("it ends with %d and prints\n%s%s", code, out, complaint)
		}
	})
}
