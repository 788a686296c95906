package reference

import (
	"slices"
)

// example is an example of a body, with its name.
type example struct {
	name  string
	value *value
}

// examples returns a body's examples: the ones that were written, or one made from its schema.
func (d document) examples(media *value) []example {
	var all []example
	for _, name := range media.get("examples").keys {
		written := d.resolve(media.get("examples", name))
		all = append(all, example{written.get("summary").text, written.get("value")})
	}
	if one := media.get("example"); one != nothing {
		all = append(all, example{"", one})
	}
	if schema := d.resolve(media.get("schema")); len(all) == 0 && schema.get("contentSchema") == nothing {
		if made := d.exampleOf(schema, nil); made.fields != nil {
			all = append(all, example{"", made})
		}
	}
	return all
}

// exampleOf returns an example of a schema. An object has the required properties, and those
// with examples.
func (d document) exampleOf(schema *value, inside []*value) *value {
	schema = d.resolve(schema)
	if slices.Contains(inside, schema) {
		return nothing
	}
	inside = append(slices.Clip(inside), schema)
	for _, name := range []string{"const", "example", "default"} {
		if schema.has(name) {
			return schema.get(name)
		}
	}
	for _, name := range []string{"examples", "enum"} {
		if items := schema.get(name).items; len(items) > 0 {
			return items[0]
		}
	}
	for _, way := range []string{"oneOf", "anyOf"} {
		if variants := schema.get(way).items; len(variants) > 0 {
			return d.exampleOf(variants[0], inside)
		}
	}
	types := schema.get("type").texts()
	switch {
	case schema.has("properties") || schema.has("allOf"):
		return d.madeObject(schema, inside)
	case slices.Contains(types, "array"):
		v := &value{tag: "!!seq"}
		if item := d.exampleOf(schema.get("items"), inside); item != nothing {
			v.items = []*value{item}
		}
		return v
	case slices.Contains(types, "null"):
		return nothing
	case slices.Contains(types, "integer"), slices.Contains(types, "number"):
		if least := schema.get("minimum"); least != nothing {
			return least
		}
		return &value{tag: "!!int", text: "0"}
	case slices.Contains(types, "boolean"):
		return &value{tag: "!!bool", text: "false"}
	case slices.Contains(types, "object"):
		return &value{tag: "!!map", fields: map[string]*value{}}
	case slices.Contains(types, "string"):
		return &value{tag: "!!str", text: sampleOf[schema.get("format").text]}
	}
	return nothing
}

// sampleOf are texts in the formats of JSON Schema.
var sampleOf = map[string]string{"": "…", "date-time": "2026-11-21T01:21:02Z", "uri": "https://www.example.com/", "date": "2026-11-21"}

func (d document) madeObject(schema *value, inside []*value) *value {
	v := &value{tag: "!!map", fields: map[string]*value{}}
	for _, part := range schema.get("allOf").items {
		made := d.exampleOf(part, inside)
		for _, key := range made.keys {
			v.set(key, made.fields[key])
		}
	}
	required := schema.get("required").texts()
	for _, name := range schema.get("properties").keys {
		property := d.resolve(schema.get("properties", name))
		if slices.Contains(required, name) || property.has("example") {
			v.set(name, d.exampleOf(property, inside))
		}
	}
	return v
}
