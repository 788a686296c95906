package tokens

import (
	"strings"
	"testing"
)

func TestContext(t *testing.T) {
	t.Run("a model is recognized by the prefix of its name, without its vendor's", func(t *testing.T) {
		for model, want := range map[string]int{
			"gpt-4": 8_192, "gpt-4-0613": 8_192, "gpt-4-turbo-2024-04-09": 128_000, "gpt-4o-mini": 128_000, "gpt-4.1-nano": 1_047_576,
			"gpt-3.5-turbo": 16_385, "gpt-5-mini": 400_000, "gpt-5-chat-latest": 128_000, "o3-mini": 200_000, "o1-mini": 128_000,
			"openai/gpt-4o": 128_000, "ft:gpt-4o:acme::1": 128_000, "GPT-4o": 128_000,
			"llama3:8b": 8_192, "llama3.2:3b": 131_072, "meta-llama/Llama-3.3-70B-Instruct": 131_072, "meta-llama/Llama-2-7b": 4_096,
			"meta-llama/Meta-Llama-3-8B": 8_192, "meta-llama/Meta-Llama-3.1-8B": 131_072,
			"qwen2.5:7b": 32_768, "Qwen/Qwen3-8B": 32_768, "mistral:7b": 32_768, "mistralai/Mistral-7B-Instruct-v0.3": 32_768,
			"anthropic/claude-sonnet-4": 200_000, "": UnknownContext, "acme-1": UnknownContext, "models/": UnknownContext,
		} {
			if got := Context(model); got != want {
				t.Errorf("Context(%q) = %d, want %d", model, got, want)
			}
		}
	})
	t.Run("no row hides one after it", func(t *testing.T) {
		for i, row := range contexts {
			for _, before := range contexts[:i] {
				if strings.HasPrefix(row.prefix, before.prefix) {
					t.Errorf("%q is never reached after %q", row.prefix, before.prefix)
				}
			}
		}
	})
}
