package retrieval

import (
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// prefetchKnown bounds how many chatbots a process remembers whose last question needed an
// encoding.
const prefetchKnown = 4096

// prefetch encodes a question while the index searches, instead of afterward, if the
// chatbot's last search found passages that have an encoding.
type prefetch struct {
	mutex    sync.Mutex
	chatbots *simplelru.LRU[Scope, struct{}]
}

func newPrefetch() *prefetch {
	chatbots, _ := simplelru.NewLRU[Scope, struct{}](prefetchKnown, nil) // fails below one
	return &prefetch{chatbots: chatbots}
}

// record notes whether a search of the chatbot found passages that have an encoding.
func (p *prefetch) record(chatbot Scope, needed bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if needed {
		p.chatbots.Add(chatbot, struct{}{})
	} else {
		p.chatbots.Remove(chatbot)
	}
}

// wants reports whether the chatbot's last search needed the question's encoding.
func (p *prefetch) wants(chatbot Scope) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.chatbots.Contains(chatbot)
}

// encodeQuestion makes the vector of a question.
type encodeQuestion func() ([]float32, error)

// begin returns a function that returns the question's vector. If the chatbot's last
// question needed one, begin starts to encode this one at once.
func (p *prefetch) begin(chatbot Scope, ask encodeQuestion) encodeQuestion {
	if p == nil || !p.wants(chatbot) {
		return ask
	}
	type result struct {
		vector []float32
		err    error
	}
	made := make(chan result, 1) // nobody may ask for it
	go func() {
		var encoded result
		defer func() {
			if r := recover(); r != nil { // it would end the process
				encoded = result{nil, fmt.Errorf("encoding a question panicked: %v", r)}
			}
			made <- encoded
		}()
		encoded.vector, encoded.err = ask()
	}()
	return func() ([]float32, error) {
		encoded := <-made
		return encoded.vector, encoded.err
	}
}
