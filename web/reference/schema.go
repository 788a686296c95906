package reference

import (
	"cmp"
	"slices"
	"strings"

	views "parley/views/reference"
)

// fields returns the properties of a schema, or its variants. Schemas that it
// is inside of are not shown again.
func (d document) fields(schema *value, inside []*value) []views.Field {
	schema = d.resolve(schema)
	if slices.Contains(inside, schema) {
		return nil
	}
	inside = append(slices.Clip(inside), schema)
	if items := schema.get("items"); items != nothing {
		return d.fields(items, inside)
	}
	var all []views.Field
	for _, part := range schema.get("allOf").items {
		all = append(all, d.fields(part, inside)...)
	}
	for _, way := range []string{"oneOf", "anyOf"} {
		for _, variant := range schema.get(way).items {
			if shown, ok := d.variant(variant, inside); ok {
				all = append(all, shown)
			}
		}
	}
	required := schema.get("required").texts()
	for _, name := range schema.get("properties").keys {
		all = append(all, d.field(name, schema.get("properties", name), slices.Contains(required, name), inside))
	}
	return all
}

// variant is one of several forms of something. One without properties says nothing.
func (d document) variant(schema *value, inside []*value) (views.Field, bool) {
	name := schema.get("$ref").text
	name = name[strings.LastIndexByte(name, '/')+1:]
	resolved := d.resolve(schema)
	children := d.fields(resolved, inside)
	if len(children) == 0 {
		return views.Field{}, false
	}
	if constant := resolved.get("properties", "type", "const").text; constant != "" {
		name = constant
	}
	return views.Field{Name: cmp.Or(resolved.get("title").text, name, "One form"), Type: "object", About: rendered(resolved.get("description").text), Children: children}, true
}

func (d document) field(name string, schema *value, required bool, inside []*value) views.Field {
	resolved := d.resolve(schema)
	f := views.Field{Name: name, Type: d.kind(resolved), Required: required, Deprecated: resolved.get("deprecated").isTrue(), Limits: resolved.limits()}
	if about := cmp.Or(schema.get("description").text, resolved.get("description").text); about != "" {
		f.About = rendered(about)
	}
	if resolved.has("default") {
		f.Limits = append(f.Limits, "default "+resolved.get("default").line(inJSON))
	}
	values := resolved.get("enum")
	if values == nothing {
		values = d.resolve(resolved.get("items")).get("enum")
	}
	for _, v := range values.items {
		if v.tag != "!!null" {
			f.Values = append(f.Values, v.text)
		}
	}
	if constant := resolved.get("const"); constant != nothing {
		f.Values = []string{constant.line(inJSON)}
	}
	f.Children = d.fields(resolved, inside)
	return f
}

// kind is a type in words.
func (d document) kind(schema *value) string {
	types := slices.DeleteFunc(schema.get("type").texts(), func(t string) bool { return t == "null" })
	mayBeNull := len(types) < len(schema.get("type").texts())
	switch {
	case len(types) == 1 && types[0] == "array":
		if of := d.kind(d.resolve(schema.get("items"))); of != "" {
			types[0] = "array of " + of + "s"
		}
	case len(types) == 0 && (schema.has("oneOf") || schema.has("anyOf")):
		for _, way := range slices.Concat(schema.get("oneOf").items, schema.get("anyOf").items) {
			if of := d.kind(d.resolve(way)); of != "" && of != "null" && !slices.Contains(types, of) {
				types = append(types, of)
			} else if d.resolve(way).get("type").text == "null" {
				mayBeNull = true
			}
		}
	case len(types) == 0 && (schema.has("properties") || schema.has("allOf")):
		types = []string{"object"}
	}
	if schema.get("format").text == "binary" || schema.has("contentMediaType") && types == nil {
		types = []string{"file"}
	}
	if mayBeNull {
		types = append(types, "null")
	}
	return strings.Join(types, " or ")
}

// bounds are keywords of JSON Schema, and how they are said.
var bounds = []struct{ least, most, of string }{
	{"minimum", "maximum", ""}, {"minLength", "maxLength", "characters"}, {"minItems", "maxItems", "items"}, {"minProperties", "maxProperties", "pairs"},
}

// limits are what else values keep to.
func (v *value) limits() []string {
	var all []string
	for _, b := range bounds {
		least, most := v.get(b.least).text, v.get(b.most).text
		if b.of != "" && least == "1" && most == "" {
			least = "" // not empty: that goes without saying
		}
		says := ""
		switch {
		case least != "" && most != "":
			says = least + " to " + most
		case least != "":
			says = "at least " + least
		case most != "":
			says = "at most " + most
		default:
			continue
		}
		all = append(all, strings.TrimSpace(says+" "+b.of))
	}
	return all
}

// places are where parameters are, in the order in which they are shown.
var places = []struct{ in, title string }{{"path", "In the path"}, {"query", "In the query"}, {"header", "Headers"}}

// parameters returns the parameters of a request, by place.
func (d document) parameters(all []*value) []views.Parameters {
	var shown []views.Parameters
	for _, place := range places {
		group := views.Parameters{Title: place.title}
		for _, p := range all {
			if p.get("in").text != place.in {
				continue
			}
			field := d.field(p.get("name").text, p.get("schema"), p.get("required").isTrue(), nil)
			if about := p.get("description").text; about != "" {
				field.About = rendered(about)
			}
			field.Deprecated = p.get("deprecated").isTrue()
			group.Fields = append(group.Fields, field)
		}
		if len(group.Fields) > 0 {
			shown = append(shown, group)
		}
	}
	return shown
}
