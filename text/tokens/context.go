package tokens

import "strings"

// UnknownContext is the assumed context of a model with an unknown name. Most
// well-configured servers offer at least as much.
const UnknownContext = 32_768

// contexts lists the tokens of prompt and answer together, by prefixes of models'
// names, longer prefixes first. Where the models of a family differ, it has the
// smallest: a prompt that is too short loses some passages, one that is too long
// is refused. The figures come from the vendors' model cards.
var contexts = []struct {
	prefix string
	tokens int
}{
	{"gpt-3.5", 16_385},
	{"gpt-35", 16_385},
	{"gpt-4.1", 1_047_576},
	{"gpt-4.5", 128_000},
	{"gpt-4o", 128_000},
	{"gpt-4-turbo", 128_000},
	{"gpt-4-32k", 32_768},
	{"gpt-4", 8_192},
	{"gpt-5-chat", 128_000},
	{"gpt-5", 400_000},
	{"gpt-oss", 131_072},
	{"chatgpt-4o", 128_000},
	{"o1-mini", 128_000},
	{"o1-preview", 128_000},
	{"o1", 200_000},
	{"o3", 200_000},
	{"o4", 200_000},
	{"claude", 200_000},
	{"gemini", 1_048_576},
	{"gemma3:1b", 32_768},
	{"gemma-3-1b", 32_768},
	{"gemma3", 128_000},
	{"gemma-3", 128_000},
	{"gemma", 8_192},
	{"llama-2", 4_096},
	{"llama2", 4_096},
	{"llama-3-", 8_192},
	{"llama3:", 8_192},
	{"llama", 131_072},
	{"meta-llama-3-", 8_192},
	{"meta-llama-3", 131_072},
	{"mistral-7b", 32_768},
	{"mistral:", 32_768},
	{"mistral-small", 32_768},
	{"mistral-large", 131_072},
	{"mistral-medium", 131_072},
	{"mistral-nemo", 131_072},
	{"ministral", 131_072},
	{"mixtral-8x22b", 65_536},
	{"mixtral", 32_768},
	{"codestral", 32_768},
	{"qwen", 32_768},
	{"deepseek", 65_536},
	{"command-r", 128_000},
	{"phi-3.5", 131_072},
	{"phi-4", 16_384},
	{"grok", 131_072},
}

// Context returns how many tokens the prompt and the answer of a model may have
// together, judged by the prefix of its name, or [UnknownContext]. It ignores a
// prefix such as "openai/" or "ft:". An operator can configure less, as Ollama does
// by default.
func Context(model string) int {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	name = strings.TrimPrefix(name, "ft:")
	for _, known := range contexts {
		if strings.HasPrefix(name, known.prefix) {
			return known.tokens
		}
	}
	return UnknownContext
}
