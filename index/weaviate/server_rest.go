package weaviate

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/weaviate/weaviate/entities/models"
)

// ask makes a REST call for which the vendor's client has no method. It decodes
// the answer into answer, unless answer is nil.
func (s *server) ask(ctx context.Context, method, path string, body, answer any) error {
	call := func(ctx context.Context) error { return s.askOnce(ctx, method, path, body, answer) }
	if method == http.MethodGet {
		return s.read(ctx, call)
	}
	return retry(ctx, schemaTime, call)
}

func (s *server) askOnce(ctx context.Context, method, path string, body, answer any) error {
	response, err := s.rest.RunREST(ctx, path, method, body)
	if err != nil {
		return err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return &statusError{response.StatusCode, string(response.Body)}
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(response.Body, answer)
}

func isStatus(err error, status int) bool {
	answer := (*statusError)(nil)
	return errors.As(err, &answer) && answer.status == status
}

func (s *server) createTenant(ctx context.Context, collection, tenant string) error {
	return retry(ctx, schemaTime, func(ctx context.Context) error {
		return s.schema.TenantsCreator().WithClassName(collection).WithTenants(models.Tenant{Name: tenant}).Do(ctx)
	})
}

// deleteTenant deletes a tenant with all its objects, if it exists.
func (s *server) deleteTenant(ctx context.Context, collection, tenant string) error {
	return retry(ctx, schemaTime, func(ctx context.Context) error {
		return s.schema.TenantsDeleter().WithClassName(collection).WithTenants(tenant).Do(ctx)
	})
}
