package contract

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Wrong makes a request that an operation does not allow, or reports that it takes nothing
// that can be wrong.
func (m *Maker) Wrong(o *Operation) (Made, bool) {
	var breaks []func(*Made)
	if schema := o.asks(); schema != nil {
		breaks = append(breaks, func(made *Made) { m.breakBody(made, schema) })
		if o.RequestBody.Value.Required {
			breaks = append(breaks, func(made *Made) { made.Body, made.Wrong = "", "there is no body" })
		}
	}
	for _, p := range o.parameters {
		if p.In == openapi3.ParameterInPath || len(wrongTexts(p.Schema.Value)) == 0 {
			continue
		}
		breaks = append(breaks, func(made *Made) { m.breakParameter(made, p) })
	}
	if len(breaks) == 0 {
		return Made{}, false
	}
	made := m.Right(o)
	breaks[m.IntN(len(breaks))](&made)
	return made, true
}

func (m *Maker) breakParameter(made *Made, p parameter) {
	texts := wrongTexts(p.Schema.Value)
	text := texts[m.IntN(len(texts))]
	made.Wrong = p.In + " " + p.Name
	if p.In == openapi3.ParameterInHeader {
		made.Header.Set(p.Name, text)
		return
	}
	path, query, _ := strings.Cut(made.Target, "?")
	values, _ := url.ParseQuery(query)
	values.Set(p.Name, text)
	made.Target = path + "?" + values.Encode()
}

// wrongTexts are values of a parameter that its schema does not allow.
func wrongTexts(schema *openapi3.Schema) (texts []string) {
	if schema.Type.Is("integer") {
		texts = append(texts, "0", "101", "-1", "1.5", "many", "99999999999999999999")
	}
	if len(schema.Enum) > 0 || schema.Items != nil {
		texts = append(texts, "nothing_like_it")
	}
	if schema.MaxLength != nil {
		texts = append(texts, strings.Repeat("x", int(*schema.MaxLength)+1))
	}
	if strings.HasPrefix(schema.Pattern, "^(0|[1-9]") {
		texts = append(texts, "last", "-5", "05")
	}
	return texts
}

// noObject is wrong with a body that is not one object of JSON.
const noObject = "the body is no object"

func (m *Maker) breakBody(made *Made, schema *openapi3.Schema) {
	if len(schema.OneOf) > 0 { // what breaks one is none of the others
		schema = schema.OneOf[m.IntN(len(schema.OneOf))].Value
	}
	object := m.object(schema)
	names := slices.Sorted(maps.Keys(schema.Properties))
	switch m.IntN(4) {
	case 0:
		bodies := []string{"[]", "42", `"text"`, "{", "{]", `{"a":1,"a":2}`, "{} {}", "\xff", "null null"}
		made.Body, made.Wrong = bodies[m.IntN(len(bodies))], noObject
		return
	case 1:
		if len(schema.Required) > 0 {
			name := schema.Required[m.IntN(len(schema.Required))]
			delete(object, name)
			made.Body, made.Wrong = written(object), name+" is missing"
			return
		}
	}
	name := names[m.IntN(len(names))]
	object[name] = m.wrong(schema.Properties[name].Value)
	made.Body, made.Wrong = written(object), name+" is wrong"
}

// wrong makes a value that a schema does not allow. It is never null, which the server takes for
// a value that is missing.
func (m *Maker) wrong(schema *openapi3.Schema) any {
	types := schema.Type.Slice()
	var values []any
	for name, value := range map[string]any{"string": "", "integer": 7, "number": 7.5, "boolean": true, "array": []any{1}, "object": map[string]any{"a": 1}} {
		isNumber := slices.Contains(types, "number") && name == "integer"
		if !slices.Contains(types, name) && !isNumber && !(name == "string" && len(types) == 0) {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b any) int { return strings.Compare(written(a), written(b)) })
	if len(schema.Enum) > 0 && slices.Contains(types, "string") {
		values = append(values, "nothing_like_it", "")
	}
	if schema.MaxLength != nil {
		values = append(values, strings.Repeat("x", int(*schema.MaxLength)+1))
	}
	if schema.MinLength > 0 {
		values = append(values, "")
	}
	if schema.Max != nil && *schema.Max < 1e9 {
		values = append(values, *schema.Max+1, *schema.Min-1)
	}
	if schema.MaxItems != nil {
		values = append(values, slices.Repeat([]any{m.value("", schema.Items.Value)}, int(*schema.MaxItems)+1))
	}
	if schema.Items != nil {
		values = append(values, []any{m.wrong(schema.Items.Value)})
	}
	if slices.Contains(types, "object") && len(schema.Required) > 0 {
		values = append(values, map[string]any{})
	}
	return values[m.IntN(len(values))]
}
