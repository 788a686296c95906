package bge

import "strings"

const (
	// questionCut is how many pieces of a question are read: whoever sends long ones
	// must not take others' processor.
	questionCut = 64
	// questionStart is how much of a question is read, in bytes, which surely has more
	// pieces unless it is nothing but spaces or very long words.
	questionStart = 2 << 10
)

// Beginning is what of a question is read at most: nothing of one that is blank.
func Beginning(question string) string {
	return start(strings.TrimSpace(question), questionStart)
}

// Questions is the model of questions. It is safe for concurrent use.
type Questions struct{ model *model }

// OpenQuestions returns the model of questions. The first call unpacks the weights, unless
// [Warm] has.
func OpenQuestions() (Questions, error) {
	m, err := loadQuestions()
	return Questions{m}, err
}

// Vector returns the unit vector of a question. One of ten words takes some 0.7 ms.
func (q Questions) Vector(question string) []float32 { return q.model.vector(question, questionCut) }
