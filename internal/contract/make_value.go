package contract

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// value makes a value that a schema allows.
func (m *Maker) value(name string, schema *openapi3.Schema) any {
	switch {
	case schema.Const != nil:
		return schema.Const
	case len(schema.Enum) > 0:
		return schema.Enum[m.IntN(len(schema.Enum))]
	case len(schema.OneOf) > 0:
		return m.value(name, schema.OneOf[m.IntN(len(schema.OneOf))].Value)
	}
	types := schema.Type.Slice()
	switch types[m.IntN(len(types))] {
	case "object":
		return m.object(schema)
	case "array":
		return m.list(name, schema)
	case "integer":
		if known := m.Known[name]; len(known) > 0 {
			n, _ := strconv.ParseInt(known[m.IntN(len(known))], 10, 64)
			return n
		}
		least, most := limits(schema)
		return []int64{least, most, least + m.Int64N(most-least+1)}[m.IntN(3)]
	case "number":
		return *schema.Min + m.Float64()*(*schema.Max-*schema.Min)
	case "boolean":
		return m.IntN(2) == 0
	case "null":
		return nil
	}
	return m.string(name, schema)
}

func (m *Maker) object(schema *openapi3.Schema) map[string]any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if slices.Contains(schema.Required, name) || m.IntN(2) == 0 {
			object[name] = m.value(name, schema.Properties[name].Value)
		}
	}
	if schema.AdditionalProperties.Schema == nil && m.IntN(8) == 0 {
		object["unknown_to_this_version"] = []any{1, nil, "x"}
	}
	return object
}

func (m *Maker) list(name string, schema *openapi3.Schema) []any {
	list := []any{}
	for range int(schema.MinItems) + m.IntN(3) {
		item := m.value(name, schema.Items.Value)
		if schema.UniqueItems && slices.Contains(list, item) {
			continue
		}
		list = append(list, item)
	}
	return list
}

func limits(schema *openapi3.Schema) (least, most int64) {
	least, most = 0, 1_000_000
	if schema.Min != nil {
		least = int64(*schema.Min)
	}
	if schema.Max != nil {
		most = int64(*schema.Max)
	}
	return least, most
}

// words are what texts are made of: such as people write, and such as hurt.
var words = []string{
	"when", "do", "you", "open", "Öffnung", "日本", "👩‍🍳", "\u202eabc", "e\u0301", "<b>", "'", `"`, "\\", "--", "%s", "{{x}}", "\t", "\n", "0", "/", "\u0000", "\ufffd",
	"[1](javascript:alert(1))",
}

// string makes a text that a schema allows.
func (m *Maker) string(name string, schema *openapi3.Schema) string {
	if known := m.Known[name]; len(known) > 0 {
		return known[m.IntN(len(known))]
	}
	if schema.Format == "date-time" {
		return time.Date(2090+m.IntN(9), 1, 1+m.IntN(28), 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
	}
	pattern := regexp.MustCompile(schema.Pattern)
	for range 100 {
		text := m.candidate(schema)
		if n := utf8.RuneCountInString(text); pattern.MatchString(text) && n >= int(schema.MinLength) && (schema.MaxLength == nil || n <= int(*schema.MaxLength)) {
			return text
		}
	}
	panic("no text is made up that matches " + schema.Pattern)
}

func (m *Maker) candidate(schema *openapi3.Schema) string {
	switch m.IntN(6) {
	case 0:
		return strconv.FormatInt(1+m.Int64N(1<<53-1), 10)
	case 1:
		return "/" + words[m.IntN(4)]
	case 2:
		if schema.MaxLength != nil {
			return strings.Repeat("é", int(*schema.MaxLength))
		}
		return strings.Repeat("long ", 300)
	case 3:
		return words[m.IntN(4)]
	}
	var text []string
	for range m.IntN(6) {
		text = append(text, words[m.IntN(len(words))])
	}
	return strings.Join(text, " ")
}
