package prompt

import "parley/core/chatbot"

const (
	// usualAnswer is the room kept free for an answer whose length the owner
	// has not bounded, or a quarter of the context if that is less.
	usualAnswer = 4096
	// aroundMessage is how many tokens a message costs besides its text, for its
	// role and its end: four with OpenAI's models, up to eight with open models.
	aroundMessage = 8
	// longToken is more bytes than a token of text has. A text with that many
	// for each token that is left is not counted, it is too long.
	longToken = 32
)

// Window is how much a model reads and writes at once: its context window.
type Window struct {
	// Tokens is the size. Zero is a model that does not say.
	Tokens int
	// Count returns the tokens of a text.
	Count func(text string) int
}

// Budget is what may still go into a prompt. Texts are taken at their length in
// bytes for as long as that fits: no tokenizer that works on bytes gives more
// tokens than these. Only then are they counted, each once.
type Budget struct {
	count func(text string) int
	// limit is in tokens. Below zero there is no limit.
	limit int
	// used bounds the tokens that are taken, and uncounted are the texts that
	// it holds the bytes of.
	used      int
	uncounted []string
	// gone reports whether nobody waits for the prompt any more.
	gone func() bool
}

// waits says that somebody waits for the prompt.
func waits() bool { return false }

// NewBudget is what a model's context leaves for the prompt.
func NewBudget(window Window, bot *chatbot.Chatbot) *Budget {
	context := window.Tokens
	if context <= 0 {
		return &Budget{limit: -1, gone: waits}
	}
	// The model's own count may differ a little from ours.
	return &Budget{count: window.Count, limit: context - context/20 - reserved(bot, context), gone: waits}
}

// reserved is how many tokens of a context are kept free for the answer.
func reserved(bot *chatbot.Chatbot, context int) int {
	if bot.MaxAnswerTokens > 0 {
		return answerTokens(bot, context)
	}
	return min(usualAnswer, context/4)
}

// answerTokens is the bound of an answer, or zero if the owner set none. It
// leaves half of the context to the prompt: servers refuse what does not fit.
func answerTokens(bot *chatbot.Chatbot, context int) int {
	if context <= 0 {
		return bot.MaxAnswerTokens
	}
	return min(bot.MaxAnswerTokens, context/2)
}

// Spend takes texts whether they fit or not.
func (b *Budget) Spend(texts ...string) {
	for _, text := range texts {
		b.used += len(text) + aroundMessage
		b.uncounted = append(b.uncounted, text)
	}
}

// Take takes texts if all of them fit.
func (b *Budget) Take(texts ...string) bool {
	if b.limit < 0 {
		return true
	}
	bytes := 0
	for _, text := range texts {
		bytes += len(text) + aroundMessage
	}
	if b.used+bytes <= b.limit {
		b.Spend(texts...)
		return true
	}
	b.countAll()
	if b.used+bytes <= b.limit {
		b.Spend(texts...)
		return true
	}
	return b.takeCounted(bytes, texts)
}

func (b *Budget) takeCounted(bytes int, texts []string) bool {
	left := b.limit - b.used
	if left <= 0 || bytes/longToken > left {
		return false
	}
	for _, text := range texts {
		left -= b.count(text) + aroundMessage
	}
	if left < 0 {
		return false
	}
	b.used = b.limit - left
	return true
}

// Full reports whether no more fits.
func (b *Budget) Full() bool { return !b.Take("") }

// countAll replaces the estimate in bytes of what was taken by its count of
// tokens.
func (b *Budget) countAll() {
	for _, text := range b.uncounted {
		b.used += min(len(text), b.count(text)) - len(text)
	}
	b.uncounted = nil
}
