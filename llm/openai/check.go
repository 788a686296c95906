package openai

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3/option"
)

// Check lists the server's models, which needs the address and the key to be
// right. Its result holds for 15 seconds; it takes at most 2.
func (m *Model) Check(ctx context.Context) error { return m.checked.Result(ctx, m.listModels) }

func (m *Model) listModels(ctx context.Context) error {
	var response *http.Response
	err := m.client.Get(ctx, "models", nil, &response, option.WithMaxRetries(0))
	if response, err = api.Accepted(response, err); err != nil {
		return err
	}
	return response.Body.Close()
}
