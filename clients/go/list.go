package parley

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

// pageSize is how many entries of a list one request reads.
const pageSize = 100

// list reads a list page by page. Its entries stand in the answers under a name.
func list[T any](ctx context.Context, c *Client, path, name string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := maps.Clone(query)
		query.Set("limit", strconv.Itoa(pageSize))
		for {
			var page map[string]json.RawMessage
			err := c.call(ctx, request{method: http.MethodGet, path: path, query: query}, &page)
			var entries []T
			if err == nil {
				err = entry(page, name, &entries)
			}
			var next cursor
			if err == nil && page["next"] != nil {
				err = entry(page, "next", &next)
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			query.Set("after", string(next))
		}
	}
}

func entry(page map[string]json.RawMessage, name string, result any) error {
	if err := json.Unmarshal(page[name], result); err != nil {
		return fmt.Errorf("parley: the list has another form than this client knows: %w", err)
	}
	return nil
}

// cursor is where the next page begins: a number, a text, or empty after the last page.
type cursor string

// UnmarshalJSON reads a cursor.
func (c *cursor) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*c = ""
	case text[0] == '"':
		return json.Unmarshal(text, (*string)(c))
	default:
		*c = cursor(text)
	}
	return nil
}
