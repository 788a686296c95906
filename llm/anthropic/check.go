package anthropic

import "context"

// Check lists the server's models, which works only if the address and the key
// are right. Its result holds for 15 seconds; it takes at most 2.
func (m *Model) Check(ctx context.Context) error {
	return m.config.failure(m.checked.Result(ctx, m.listModels))
}

func (m *Model) listModels(ctx context.Context) error {
	response, err := m.client.Get(ctx, "v1/models")
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// Names returns the names of the server's models, if it lists them.
func (m *Model) Names(ctx context.Context) ([]string, error) {
	return m.client.Names(ctx, "v1/models?limit=1000")
}
