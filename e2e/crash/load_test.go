package crash

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"parley/e2e/harness"
)

// acknowledged is a question that was answered before a backup began.
type acknowledged struct{ question, conversation string }

// load asks questions over connections of its own until it is stopped.
type load struct {
	mu    sync.Mutex
	asked []acknowledged
	wrong []string
	stop  chan struct{}
	done  sync.WaitGroup
}

// under begins to ask a server.
func under(p *harness.Process, token string) *load {
	l := &load{stop: make(chan struct{})}
	for n := range 4 {
		l.done.Go(func() { l.ask(p.Base, token, n) })
	}
	return l
}

func (l *load) ask(base, token string, n int) {
	conversation := ""
	for i := 0; ; i++ {
		select {
		case <-l.stop:
			return
		default:
		}
		if i%5 == 0 {
			conversation = ""
		}
		question := fmt.Sprintf("When does bakery %d.%d open?", n, i)
		id, err := askOnce(base, token, question, conversation)
		l.mu.Lock()
		if err != nil {
			l.wrong = append(l.wrong, err.Error())
		} else {
			conversation = id
			l.asked = append(l.asked, acknowledged{question, id})
		}
		l.mu.Unlock()
	}
}

// askOnce asks a question whose answer is read whole.
func askOnce(base, token, question, conversation string) (id string, err error) {
	body := fmt.Sprintf(`{"message":%q}`, question)
	if conversation != "" {
		body = fmt.Sprintf(`{"message":%q,"conversation_id":%q}`, question, conversation)
	}
	request, err := http.NewRequest("POST", base+harness.ChatPath, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s %s %w", response.Status, text, err)
	}
	var answer struct {
		Data struct {
			ConversationID int64 `json:"conversation_id"`
		} `json:"data"`
	}
	err = json.Unmarshal(text, &answer)
	return harness.Written(answer.Data.ConversationID), err
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.asked)
}

// soFar are those that have been answered by now.
func (l *load) soFar() []acknowledged {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]acknowledged(nil), l.asked...)
}

func (l *load) end() {
	close(l.stop)
	l.done.Wait()
}
