package retrieval

import (
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// aheadKnown bounds of how many chatbots a process remembers that their last question
// needed an encoding.
const aheadKnown = 4096

// ahead knows for which chatbots a question is encoded while the index searches, instead
// of after it: those whose last search found passages that have an encoding.
type ahead struct {
	mutex    sync.Mutex
	chatbots *simplelru.LRU[Scope, struct{}]
}

func newAhead() *ahead {
	chatbots, _ := simplelru.NewLRU[Scope, struct{}](aheadKnown, nil) // fails below one
	return &ahead{chatbots: chatbots}
}

// learn says whether a search of the chatbot found passages that have an encoding.
func (a *ahead) learn(chatbot Scope, needed bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if needed {
		a.chatbots.Add(chatbot, struct{}{})
	} else {
		a.chatbots.Remove(chatbot)
	}
}

func (a *ahead) isFor(chatbot Scope) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.chatbots.Contains(chatbot)
}

// encodeQuestion makes the vector of a question.
type encodeQuestion func() ([]float32, error)

// begin returns what gives the vector of a question when it is needed. If the chatbot's
// last question needed one, it is being made from now on.
func (a *ahead) begin(chatbot Scope, ask encodeQuestion) encodeQuestion {
	if a == nil || !a.isFor(chatbot) {
		return ask
	}
	type result struct {
		vector []float32
		err    error
	}
	made := make(chan result, 1) // nobody may ask for it
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil { // it would end the process
				r = result{nil, fmt.Errorf("encoding a question panicked: %v", p)}
			}
			made <- r
		}()
		r.vector, r.err = ask()
	}()
	return func() ([]float32, error) {
		r := <-made
		return r.vector, r.err
	}
}
