package anthropic

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"parley/core/answer"
)

// maxReportedTokens exceeds any model's context. Larger or negative reports are
// ignored.
const maxReportedTokens = 100_000_000

// reported is the usage that the server has reported so far. Zero means not
// reported.
type reported struct {
	prompt, completion int
	// final says that completion counts the whole answer.
	final bool
}

// readUsage reads a usage object. Tokens read from or written to the server's
// prompt cache are part of the prompt.
func readUsage(usage gjson.Result) reported {
	var found reported
	prompt := 0.0
	for _, part := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		tokens := usage.Get(part).Num
		if tokens < 0 || tokens > maxReportedTokens {
			return reported{}
		}
		prompt += tokens
	}
	completion := usage.Get("output_tokens").Num
	if completion < 0 || completion > maxReportedTokens {
		return reported{}
	}
	found.prompt, found.completion = int(prompt), int(completion)
	return found
}

// add takes the figures of a later event. They count the whole answer so far, not
// only the part since the event before.
func (r *reported) add(later reported) {
	if later.prompt > 0 {
		r.prompt = later.prompt
	}
	if later.completion > 0 {
		r.completion = later.completion
	}
	r.final = r.final || later.final
}

// usage returns the usage that the server reported, and counts the rest itself.
func (m *Model) usage(a *decoder) answer.Usage {
	said := a.reported
	if said.prompt > 0 && said.final {
		return answer.Usage{PromptTokens: said.prompt, CompletionTokens: said.completion}
	}
	usage := answer.Usage{PromptTokens: said.prompt, CompletionTokens: said.completion, Estimated: true}
	if said.prompt == 0 {
		usage.PromptTokens = m.promptTokens(a.sent)
	}
	if !said.final {
		usage.CompletionTokens = max(said.completion, m.answerTokens(a))
	}
	return usage
}

func (m *Model) answerTokens(a *decoder) int {
	count := m.counter.Count(a.text.String())
	for _, call := range a.calls.found(0) {
		count += m.counter.Count(call.Name) + m.counter.Count(call.Arguments)
	}
	if count == 0 && a.finished {
		return 1
	}
	return count
}

// promptTokens counts a request. The 3 tokens per message stand for the markup
// around it.
func (m *Model) promptTokens(body []byte) int {
	var sent request
	_ = json.Unmarshal(body, &sent) // this package made it
	count := 3 + m.counter.Count(sent.System)
	for _, message := range sent.Messages {
		count += 3
		for _, part := range message.Content {
			count += m.counter.Count(part.Text) + m.counter.Count(part.Content) +
				m.counter.Count(part.Name) + m.counter.Count(string(part.Input))
		}
	}
	for _, offered := range sent.Tools {
		count += m.counter.Count(offered.Name) + m.counter.Count(offered.Description) + m.counter.Count(string(offered.InputSchema))
	}
	return count
}
