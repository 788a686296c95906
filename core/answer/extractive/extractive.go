// Package extractive is the model that answers without a language model: it quotes the
// passages of a prompt.
//
// It does not own what is quoted (package text/quote).
package extractive

import (
	"context"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/retrieval"
	"parley/text/quote"
	"parley/text/tokens"
)

const (
	name = "extractive"
	// manyTokens exceeds any prompt.
	manyTokens = 1 << 30
)

// Model answers from the passages of a prompt. It is safe for concurrent use, and
// always gives the same prompt the same answer.
type Model struct{}

var _ answer.Model = Model{}

// New returns the model.
func New() Model { return Model{} }

// Name is "extractive".
func (Model) Name() string { return name }

// Count returns the tokens of a text, as [tokens.Count] does.
func (Model) Count(text string) int { return tokens.Count(text) }

// Traits says that the model follows no instructions and calls no tools. Its
// context is unlimited, because it reads the passages and not the prompt's text.
func (Model) Traits() answer.Traits { return answer.Traits{Context: manyTokens} }

// Check returns nil: there is no server that could be unreachable.
func (Model) Check(context.Context) error { return nil }

// Generate emits the answer word by word. It fails only with the errors of emit
// and ctx. The usage is what a language model would have charged for the same
// prompt and answer.
func (Model) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	generated := answer.Generated{Model: name}
	if err := ctx.Err(); err != nil {
		return generated, err
	}
	quoted := questionOf(asked)
	quoted.Gone = func() bool { return ctx.Err() != nil }
	text := quote.Answer(quoted)
	sent, err := emitWords(ctx, text, emit)
	if err == nil {
		generated.Finish = answer.FinishStop
	}
	generated.Usage = answer.Usage{CompletionTokens: tokens.Count(text[:sent]), Estimated: true}
	for _, message := range asked.Messages {
		generated.Usage.PromptTokens += tokens.Count(message.Text)
	}
	return generated, err
}

// Answer is the Markdown that [Model.Generate] emits.
func Answer(asked prompt.Prompt) string { return quote.Answer(questionOf(asked)) }

func questionOf(asked prompt.Prompt) quote.Question {
	return quote.Question{
		Text: asked.Question, Language: asked.Language, Earlier: earlier(asked.Messages),
		NoAnswer: asked.NoAnswer, Passages: Passages(asked.Passages),
	}
}

// Passages are what can be quoted of passages that were found, in order.
func Passages(found []retrieval.Result) []quote.Passage {
	passages := make([]quote.Passage, len(found))
	for i := range found {
		f := &found[i]
		passages[i] = quote.Passage{
			Title: f.Title, HeadingPath: f.HeadingPath, Text: f.Text,
			Score: f.Score, Closeness: f.Closeness, Compared: f.Compared, Parts: f.Parts,
		}
	}
	return passages
}

// earlier returns the questions before the one that is asked.
func earlier(messages []prompt.Message) []string {
	var questions []string
	for i, message := range messages {
		if message.Role == prompt.UserRole && i < len(messages)-1 {
			questions = append(questions, message.Text)
		}
	}
	return questions
}

// emitWords emits text word by word, each with the white space after it, and
// returns how many bytes it emitted.
func emitWords(ctx context.Context, text string, emit func(string) error) (int, error) {
	for sent := 0; sent < len(text); {
		if err := ctx.Err(); err != nil {
			return sent, err
		}
		end := wordEnd(text, sent)
		if err := emit(text[sent:end]); err != nil {
			return sent, err
		}
		sent = end
	}
	return len(text), nil
}

func wordEnd(text string, i int) int {
	for i < len(text) && !isSpace(text[i]) {
		i++
	}
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
