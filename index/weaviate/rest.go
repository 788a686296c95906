package weaviate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/weaviate/weaviate/entities/models"
)

// ask does a call of the REST interface that the vendor's client has no method
// for, and puts the answer into answer unless that is nil.
func (s *server) ask(ctx context.Context, method, path string, body, answer any) error {
	limit := schemaTime
	if method == http.MethodGet {
		limit = readTime
	}
	return again(ctx, limit, func(ctx context.Context) error { return s.askOnce(ctx, method, path, body, answer) })
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

// count returns how many objects of a tenant the server counts, of those whose
// property has the value, or of all if property is empty. A tenant that is not
// there has none. Neither value may need quoting.
func (s *server) count(ctx context.Context, collection, tenant, property, value string) (int, error) {
	where := ""
	if property != "" {
		where = fmt.Sprintf(`,where:{path:["%s"],operator:Equal,valueText:"%s"}`, property, value)
	}
	query := map[string]string{"query": fmt.Sprintf(`{Aggregate{%s(tenant:"%s"%s){meta{count}}}}`, collection, tenant, where)}
	var answer struct {
		Data struct {
			Aggregate map[string][]struct{ Meta struct{ Count int } }
		}
		Errors []struct{ Message string }
	}
	err := again(ctx, readTime, func(ctx context.Context) error {
		answer.Errors = nil
		if err := s.askOnce(ctx, http.MethodPost, "/graphql", query, &answer); err != nil {
			return err
		}
		// GraphQL answers 200 to what failed.
		if len(answer.Errors) > 0 {
			return fmt.Errorf("weaviate: %.500s", answer.Errors[0].Message)
		}
		return nil
	})
	if errors.Is(err, errNoTenant) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	groups := answer.Data.Aggregate[collection]
	if len(groups) != 1 {
		return 0, errors.New("weaviate: it did not count")
	}
	return groups[0].Meta.Count, nil
}

func (s *server) createTenant(ctx context.Context, collection, tenant string) error {
	return again(ctx, schemaTime, func(ctx context.Context) error {
		return s.schema.TenantsCreator().WithClassName(collection).WithTenants(models.Tenant{Name: tenant}).Do(ctx)
	})
}

// deleteTenant deletes a tenant with all it holds, if it is there.
func (s *server) deleteTenant(ctx context.Context, collection, tenant string) error {
	return again(ctx, schemaTime, func(ctx context.Context) error {
		return s.schema.TenantsDeleter().WithClassName(collection).WithTenants(tenant).Do(ctx)
	})
}
