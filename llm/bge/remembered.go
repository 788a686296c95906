package bge

import (
	"context"
	"crypto/sha256"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	// rememberedQuestions is how many questions' vectors a process remembers: some
	// 8 MiB. A conversation's earlier questions are among them, and questions that
	// are often asked.
	rememberedQuestions = 4096
	// questionCut is how many pieces of a question are read: whoever sends long ones
	// must not take others' processor.
	questionCut = 64
)

// asked is a question of a workspace, by its hash. What one asks makes no other's answers
// faster.
type asked struct {
	workspaceID string
	hash        [sha256.Size]byte
}

func newRemembered() *lru.Cache[asked, []float32] {
	remembered, _ := lru.New[asked, []float32](rememberedQuestions) // fails below one
	return remembered
}

// EncodeQuestion returns the unit vector of a workspace's question, which nobody may change,
// or nil for one that is blank or clearly in another language than English. One of ten words
// takes some 0.6 ms, unless the workspace asked it lately.
func (e *Encoder) EncodeQuestion(_ context.Context, workspaceID, text string) ([]float32, error) {
	if strings.TrimSpace(text) == "" || !isEnglish(text) {
		return nil, nil
	}
	key := asked{workspaceID, sha256.Sum256([]byte(text))}
	if vector, ok := e.questions.Get(key); ok {
		return vector, nil
	}
	m, err := loadQuestions()
	if err != nil {
		return nil, err
	}
	vector := m.vector(text, questionCut)
	e.questions.Add(key, vector)
	return vector, nil
}
