package upstream

import (
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Bounds of a list of models, which comes from whatever server an owner names.
const (
	maxListBytes = 2 << 20
	maxNames     = 1000
	maxNameBytes = 200
)

var errNoList error = &Useless{Reason: "what the server answered is no list of models"}

// Names returns the names of the models that a server lists at a path, in the
// order of the alphabet: the "id" of each of its "data". What could be no name
// is left out.
func (c *Client) Names(ctx context.Context, path string) ([]string, error) {
	response, err := c.Get(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxListBytes))
	if err != nil {
		return nil, err
	}
	data := gjson.GetBytes(body, "data")
	if !isJSON(body) || !data.IsArray() {
		return nil, errNoList
	}
	var names []string
	data.ForEach(func(_, model gjson.Result) bool {
		if name := model.Get("id").Str; isName(name) {
			names = append(names, name)
		}
		return len(names) < maxNames
	})
	slices.Sort(names)
	return slices.Compact(names), nil
}

func isName(text string) bool {
	return text != "" && len(text) <= maxNameBytes && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}
