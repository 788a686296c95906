package contract

import (
	"fmt"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
)

// CheckWebhook checks a request that the server has sent to another program.
func (d *Document) CheckWebhook(name string, sent http.Header, body []byte) error {
	item := d.Webhooks[name]
	if item == nil || item.Post == nil {
		return fmt.Errorf("the webhook %s is not described", name)
	}
	for i, ref := range item.Post.Parameters {
		at := ref.Ref
		if at == "" {
			at = pointer("webhooks", name, "post", "parameters", fmt.Sprint(i))
		}
		p := ref.Value
		values := sent.Values(p.Name)
		if p.In != openapi3.ParameterInHeader || len(values) > 1 || p.Required && len(values) == 0 {
			return fmt.Errorf("the parameter %s is sent %d times", p.Name, len(values))
		}
		for _, value := range values {
			if err := d.answered.check(at+"/schema", instanceOf(p.Schema.Value, value)); err != nil {
				return fmt.Errorf("the header %s, which is %q: %w", p.Name, value, err)
			}
		}
	}
	kind := mediaType(sent.Get("Content-Type"))
	if item.Post.RequestBody.Value.Content[kind] == nil {
		return fmt.Errorf("a body of type %q is not described", kind)
	}
	return d.answered.check(pointer("webhooks", name, "post", "requestBody", "content", kind, "schema"), body)
}
