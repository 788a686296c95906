package answer

import (
	"parley/core/chatbot"
	"parley/core/retrieval"
	"parley/text/citation"
	"parley/text/ground"
	"parley/text/passage"
)

// Stage stands between a model and the reader of its answer. It may hold text
// back until it knows what to do with it, and may change or drop it.
type Stage interface {
	// Write takes a piece and returns what the reader may have, which may be
	// nothing.
	Write(piece string) string
	// End takes the last piece and returns all that the reader may have.
	End(last string) string
	// Cut is End for an answer that breaks off.
	Cut(last string) string
	// Add tells the stage of further passages that the model was given. They
	// continue the numbers of the earlier ones.
	Add(passages []passage.Passage)
	// Cites reports whether what went on cites the passage with a number.
	Cites(number int) bool
	// Refuted counts the citations that the stage took out or corrected.
	Refuted() int
}

// stages make the stages of an answer, in the order in which its text goes
// through them. One that returns nil does not check this answer.
var stages = []func(*Draft, []passage.Passage) Stage{citing, grounded}

func citing(_ *Draft, passages []passage.Passage) Stage { return citation.New(passages) }

// grounded holds what a language model says for a strict chatbot to the
// passages. A model that only quotes them needs no such check.
func grounded(d *Draft, passages []passage.Passage) Stage {
	if d.bot.Grounding != chatbot.Strict || !d.model.Traits().Language {
		return nil
	}
	// The answer may use names from the question.
	return ground.New(passages, d.noAnswer, d.question, d.bot.Name).Until(d.gone)
}

// checks are the stages of one answer.
type checks []Stage

// outcome returns what the stages changed in the text, apart from its citations.
func (c checks) outcome() (did Checked) {
	for _, stage := range c {
		if g, ok := stage.(*ground.Stage); ok {
			did.Dropped, did.Replaced = g.Dropped()
		}
	}
	return did
}

func newChecks(d *Draft) checks {
	made, passages := make(checks, 0, len(stages)), retrieval.Plain(d.passages)
	for _, stage := range stages {
		if s := stage(d, passages); s != nil {
			made = append(made, s)
		}
	}
	return made
}

func (c checks) write(piece string) string {
	for _, stage := range c {
		piece = stage.Write(piece)
	}
	return piece
}

func (c checks) end() (rest string) {
	for _, stage := range c {
		rest = stage.End(rest)
	}
	return rest
}

// cut is what remains of an answer that breaks off.
func (c checks) cut() (rest string) {
	for _, stage := range c {
		rest = stage.Cut(rest)
	}
	return rest
}

func (c checks) add(passages []retrieval.Result) {
	texts := retrieval.Plain(passages)
	for _, stage := range c {
		stage.Add(texts)
	}
}

// cites reports whether a citation got through all stages.
func (c checks) cites(number int) bool {
	for _, stage := range c {
		if !stage.Cites(number) {
			return false
		}
	}
	return true
}

func (c checks) refuted() int {
	n := 0
	for _, stage := range c {
		n += stage.Refuted()
	}
	return n
}
