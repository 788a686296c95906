package anthropic

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/anthropics/anthropic-sdk-go/option"
)

const (
	checkTimeout = 2 * time.Second
	// checkAge is how long a check holds, so that readiness can be asked as
	// often as one likes.
	checkAge = 15 * time.Second
)

type lastCheck struct {
	mu     sync.Mutex
	at     time.Time
	result error
}

// Check lists the server's models, which needs the address and the key to be
// right. Its result holds for 15 seconds; it takes at most 2.
func (m *Model) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.checked.mu.Lock()
	defer m.checked.mu.Unlock()
	if !m.checked.at.IsZero() && m.now().Sub(m.checked.at) < checkAge {
		return m.checked.result
	}
	// The result is for other callers too: one that goes away is no failure.
	m.checked.result = m.listModels(context.WithoutCancel(ctx))
	m.checked.at = m.now()
	return m.checked.result
}

func (m *Model) listModels(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var response *http.Response
	err := m.client.Get(ctx, "v1/models", nil, &response, option.WithMaxRetries(0))
	if response, err = accepted(response, err); err != nil {
		return upstream(err, false)
	}
	return response.Body.Close()
}
