package answer_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/internal/plain"
	"parley/text/citation"
	"parley/text/clean"
	"parley/text/ground"
	"parley/text/language"
	"parley/text/language/courtesy"
	"parley/text/language/kinds"
	"parley/text/lexical"
	"parley/text/markdown"
	"parley/text/passage"
	"parley/text/quote"
	"parley/text/sentence"
	"parley/text/shown"
	"parley/text/suggest"
	"parley/text/tokens"
)

// pieces are what hostile texts repeat.
var pieces = []string{
	"](", "](a)", "![", "[[]", "[", "[1]", "[1-999]", " [9]", "[a]: b\n", "(", "([9]", "http://", "http:/", "https://a.b/c ", "a@b.c ", "a", "a'", "a-", "aa Bb ", "A b. ", "#!", "# a\n",
	"\u0301", "日", "ไ", "不没", "\u202E", "\n", "\n\n", " ", "\t", "> ", "- ", "1. ", "    a\n", "|a", "|-", "a|b\n-|-\n", "<a ", "<b>", "<!--", "-->", "&", "&amp;", `\`, "`", "`[", "```\n", "~~~\n", "*", "**a", "_a", "~~",
	"“", "“a” ", "\"", "?", "Why? ", ".", "… ", "1 ", "1-2 to ", "3 May 2024 ", "5 days ", "not ", "$1,", "how much is ", "x\x00",
}

// readers read a text that anybody may have written: a question, what a model says, or a
// passage.
var readers = map[string]func(text string){
	"language.Of":           func(text string) { language.Of(text) },
	"language.Likeliest":    func(text string) { language.Likeliest(text) },
	"language.MayBeEnglish": func(text string) { language.MayBeEnglish(text) },
	"language.PlaceWords":   func(text string) { language.English.PlaceWords(text) },
	"kinds.AskedBy":         func(text string) { kinds.In(language.English).AskedBy(text) },
	"courtesy.Of":           func(text string) { courtesy.Of(text, "") },
	"lexical.Terms":         func(text string) { lexical.Terms(text, language.English) },
	"lexical.Terms, German": func(text string) { lexical.Terms(text, "de") },
	"lexical.Names":         func(text string) { lexical.Names(text, language.English) },
	"lexical.Question":      func(text string) { lexical.Question(text, nil) },
	"lexical.FollowUp":      func(text string) { lexical.FollowUp("And then?", []string{text}, []string{text}) },
	"lexical.Passage":       func(text string) { lexical.Passage("Hours", []string{text}, text) },
	"lexical.EachAlike":     func(text string) { lexical.EachAlike(text, language.English, func(string, []string) {}) },
	"quote.Answer, question": func(text string) {
		quote.Answer(quote.Question{Text: text, Passages: []quote.Passage{{Title: "Hours", Text: opening}}})
	},
	"quote.Answer, passage": func(text string) {
		quote.Answer(quote.Question{Text: "When do you open?", Passages: []quote.Passage{{Title: "Hours", Text: text}}})
	},
	"quote.Answer, after that": func(text string) {
		quote.Answer(quote.Question{Text: "And then?", Earlier: []string{text}, Passages: []quote.Passage{{Text: opening}}})
	},
	"quote.Units":            func(text string) { quote.Units([]quote.Passage{{Text: text}}) },
	"ground, answer":         func(text string) { throughStage(ground.New(ofText(opening), "", "When do you open?"), text) },
	"ground, passage":        func(text string) { throughStage(ground.New(ofText(text), "", "When do you open?"), opening) },
	"ground, question":       func(text string) { throughStage(ground.New(ofText(opening), "", text), opening) },
	"citation, answer":       func(text string) { throughStage(citation.New(ofText(opening)), text) },
	"citation, passage":      func(text string) { throughStage(citation.New(ofText(text)), "“We open at eight” [1]. ") },
	"citation.Strip":         func(text string) { citation.Strip(text) },
	"citation.Marks":         func(text string) { citation.Marks(text, 5) },
	"citation.Quotable":      func(text string) { citation.Quotable(text) },
	"markdown as HTML":       func(text string) { markdown.Render(text, markdown.HTML, nil) },
	"markdown as text":       func(text string) { markdown.Render(text, markdown.PlainText, nil) },
	"markdown as it is":      func(text string) { markdown.Render(text, markdown.Markdown, nil) },
	"markdown.Excerpt":       func(text string) { markdown.Excerpt(text) },
	"markdown.WithCitations": func(text string) { markdown.WithCitations(text, func(int) string { return "" }) },
	"shown.Answer":           func(text string) { shown.Answer(text) },
	"shown.Passage":          func(text string) { shown.Passage(text) },
	"shown.WithoutComments":  func(text string) { shown.WithoutComments(text) },
	"shown.Alphabets":        func(text string) { shown.Alphabets{}.Add(text) },
	"clean.Text":             func(text string) { clean.Text(text) },
	"clean.Line":             func(text string) { clean.Line(text, 1_000) },
	"clean.Defuse":           func(text string) { clean.Defuse(text) },
	"sentence.Each":          func(text string) { sentence.Each(text, func(string) {}) },
	"sentence.Asks":          func(text string) { sentence.Asks(text) },
	"suggest.FollowUps": func(text string) {
		suggest.FollowUps([]string{text}, text, []suggest.Near{{Document: suggest.Document{Title: "Hours", Passages: ofText(text)}}}, 3)
	},
	"tokens.Count":             func(text string) { tokens.Count(text) },
	"plain.Title":              func(text string) { plain.Title(text) },
	"plain.Line":               func(text string) { plain.Line(text) },
	"chat.TitleOf":             func(text string) { chat.TitleOf(text) },
	"prompt.Compose, question": func(text string) { composeOf(prompt.Question{Text: text, Query: text}) },
	"prompt.Compose, passage":  func(text string) { composeOf(prompt.Question{Text: "When?", Query: "When?", Passages: foundOf(text)}) },
	"prompt.Compose, history": func(text string) {
		composeOf(prompt.Question{Text: "When?", Query: "When?", Context: text, History: []prompt.Message{{Role: prompt.UserRole, Text: text}, {Role: prompt.AssistantRole, Text: text}}})
	},
	"the pipeline, question": func(text string) { answerOf(text, opening, extractive.New()) },
	"the pipeline, passage":  func(text string) { answerOf("When do you open?", text, extractive.New()) },
	"the pipeline, model":    func(text string) { answerOf("When do you open?", opening, says{text}) },
}

const opening = "We open at eight. Rye bread costs 3.50 €.\n"

// TestHostileTextsTakeLinearTime compares texts with others of sixteen times their length. A
// reader that takes the square of it would take 256 times as long.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	const short, times = 2 << 10, 16
	for name, read := range readers {
		t.Run(name, func(t *testing.T) {
			for _, piece := range pieces {
				took := func(length int) time.Duration {
					text := strings.Repeat(piece, length/len(piece))
					began := time.Now()
					read(text)
					return time.Since(began)
				}
				least, most := max(took(short), 100*time.Microsecond), took(short*times)
				for range 4 { // the machine may have done something else
					if most <= times*times*least/2 {
						break
					}
					least, most = max(least, took(short)), min(most, took(short*times))
				}
				if most > times*times*least/2 {
					t.Errorf("%q: %d bytes take %v, and %d times as many %v", piece, short, least, times, most)
				}
			}
		})
	}
}

func ofText(text string) []passage.Passage {
	return []passage.Passage{{Document: "doc", Title: "Hours", Text: text}}
}

func foundOf(text string) []retrieval.Result {
	return []retrieval.Result{{Passage: retrieval.Passage{ID: 1, DocumentID: "doc", Title: "Hours", Text: text}, Score: 1}}
}

// throughStage writes a text as a model says it, in small pieces.
func throughStage(stage answer.Stage, text string) {
	for len(text) > 8 {
		stage.Write(text[:8])
		text = text[8:]
	}
	stage.End(text)
}

func composeOf(asked prompt.Question) {
	asked.Bot = &chatbot.Chatbot{}
	prompt.Compose(asked, prompt.Window{Tokens: 8_000, Count: tokens.Count})
}

// says is a language model that says a text in small pieces.
type says struct{ text string }

func (m says) Generate(_ context.Context, _ prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	text := m.text
	for len(text) > 0 {
		n := min(8, len(text))
		if err := emit(text[:n]); err != nil {
			return answer.Generated{}, err
		}
		text = text[n:]
	}
	return answer.Generated{}, nil
}
func (says) Count(text string) int { return len(text) / 4 }
func (says) Traits() answer.Traits {
	return answer.Traits{Language: true, Tools: true, Context: 1 << 20}
}
func (says) Check(context.Context) error { return nil }
func (says) Name() string                { return "says" }

// finds is a search that finds a text.
type finds struct{ text string }

func (s finds) Search(context.Context, retrieval.Scope, retrieval.Query) ([]retrieval.Result, error) {
	return foundOf(s.text), nil
}

// heard keeps an answer.
type heard struct{ strings.Builder }

func (h *heard) Delta(piece string) error { h.WriteString(piece); return nil }
func (*heard) Waiting(string) error       { return nil }

// answerOf takes a question the whole way, for a strict chatbot.
func answerOf(question, found string, model answer.Model) {
	pipeline := answer.New(finds{found}, answer.Always(model), nil, time.Now, slog.New(slog.DiscardHandler))
	unlimited := plan.Plan{Limits: plan.Limits{MessageChars: 1 << 20, MessagesPerMonth: plan.Unlimited}}
	ticket, err := quota.New(nil, time.Now).Take(context.Background(), "ws", chat.API, unlimited, question)
	if err != nil {
		return // it is blank, or cannot be stored
	}
	bot := &chatbot.Chatbot{WorkspaceID: "ws"}
	bot.Grounding = chatbot.Strict
	draft, err := pipeline.Draft(bot, ticket, "")
	if err != nil {
		panic(err)
	}
	var said heard
	if draft.Prepare(context.Background(), nil) == nil && draft.Generate(context.Background(), &said, true) == nil {
		draft.Answer(said.String())
	}
}
