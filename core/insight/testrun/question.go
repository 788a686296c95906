// Package testrun asks an owner's test questions after each change of what a
// chatbot knows or how it answers, and says which of them it answers as expected,
// before and after.
package testrun

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight"
	"parley/internal/id"
	"parley/internal/plain"
)

// Expectation says what a good answer is.
type Expectation string

// The expectations.
const (
	// AnAnswer is any answer from the knowledge.
	AnAnswer Expectation = "answer"
	// NoAnswer is that the chatbot says that it does not know.
	NoAnswer Expectation = "no_answer"
	// AText is an answer that has a text in it.
	AText Expectation = "text"
)

// Question is one that is asked after each change.
type Question struct {
	ID, ChatbotID string
	Question      string
	Expects       Expectation
	// Expected is the text of [AText].
	Expected  string
	CreatedBy string
	CreatedAt time.Time
}

// The limits of test questions.
const (
	// MaxQuestions is how many a chatbot has at most.
	MaxQuestions = 50
	maxQuestion  = 2_000
	maxExpected  = 500
)

// NewQuestion is what a person gives to add one.
type NewQuestion struct {
	Question, Expected string
	Expects            Expectation
	CreatedBy          string
}

func (n NewQuestion) check() (NewQuestion, error) {
	n.Question, n.Expected = strings.TrimSpace(n.Question), strings.TrimSpace(n.Expected)
	if n.Expects != AText {
		n.Expected = ""
	}
	switch {
	case n.Question == "":
		return n, fault.InField("question", "Enter a question.")
	case !plain.Storable(n.Question), !plain.Storable(n.Expected):
		return n, fault.InField("question", "Use plain text.")
	case utf8.RuneCountInString(n.Question) > maxQuestion:
		return n, fault.InField("question", "The question is longer than %d characters. Shorten it.", maxQuestion)
	case n.Expects != AnAnswer && n.Expects != NoAnswer && n.Expects != AText:
		return n, fault.InField("expects", "Choose what a good answer is.")
	case n.Expects == AText && n.Expected == "":
		return n, fault.InField("expected", "Enter what the answer must say.")
	case utf8.RuneCountInString(n.Expected) > maxExpected:
		return n, fault.InField("expected", "This is longer than %d characters. Shorten it.", maxExpected)
	}
	return n, nil
}

// passes reports whether an answer is a good one.
func (q Question) passes(reply insight.Reply) bool {
	switch q.Expects {
	case NoAnswer:
		return reply.Outcome == chat.NoAnswer
	case AText:
		return reply.Outcome == chat.Answered && strings.Contains(folded(reply.Text), folded(q.Expected))
	}
	return reply.Outcome == chat.Answered
}

// folded is a text in lower case with one space between its words.
func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// Add adds a test question.
func (s *Service) Add(ctx context.Context, workspaceID, chatbotID string, wanted NewQuestion) (Question, error) {
	wanted, err := wanted.check()
	if err != nil {
		return Question{}, err
	}
	q := Question{
		ID: id.New(s.random, "tq"), ChatbotID: chatbotID, Question: wanted.Question, Expects: wanted.Expects, Expected: wanted.Expected,
		CreatedBy: wanted.CreatedBy, CreatedAt: s.now(),
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.store.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		known, err := s.store.TestQuestions(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		if len(known) >= MaxQuestions {
			return fault.InField("question", "A chatbot has at most %d test questions. Remove one first.", MaxQuestions)
		}
		return s.store.CreateTestQuestion(ctx, workspaceID, q)
	})
	return q, err
}

// Remove removes a test question with its results.
func (s *Service) Remove(ctx context.Context, workspaceID, chatbotID, questionID string) error {
	return s.store.DeleteTestQuestion(ctx, workspaceID, chatbotID, questionID)
}
