package reference

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v3"
)

// value is a value of the description. An object keeps the order in which its fields are
// written.
type value struct {
	// text is the text of a scalar, and tag its kind, such as "!!str".
	text, tag string
	items     []*value
	keys      []string
	fields    map[string]*value
}

// nothing is what stands where nothing was written.
var nothing = &value{tag: "!!null"}

// maxDepth is how deep values nest: more is a circle of aliases.
const maxDepth = 100

// parse reads a text of YAML.
func parse(text string) (*value, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, fmt.Errorf("cannot read the description: %w", err)
	}
	return valueOf(&document, 0)
}

func valueOf(n *yaml.Node, depth int) (*value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("line %d of the description is nested too deep", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return valueOf(n.Content[0], depth+1)
	case yaml.AliasNode:
		return valueOf(n.Alias, depth+1)
	case yaml.SequenceNode:
		v := &value{tag: n.ShortTag()}
		for _, item := range n.Content {
			child, err := valueOf(item, depth+1)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, child)
		}
		return v, nil
	case yaml.MappingNode:
		return objectOf(n, depth)
	}
	return &value{text: n.Value, tag: n.ShortTag()}, nil
}

// objectOf reads an object. Fields that are merged into it give way to its own.
func objectOf(n *yaml.Node, depth int) (*value, error) {
	v := &value{tag: n.ShortTag(), fields: map[string]*value{}}
	for i := 0; i+1 < len(n.Content); i += 2 {
		child, err := valueOf(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if n.Content[i].ShortTag() != "!!merge" {
			v.set(n.Content[i].Value, child)
			continue
		}
		for _, key := range child.keys {
			if v.fields[key] == nil {
				v.set(key, child.fields[key])
			}
		}
	}
	return v, nil
}

func (v *value) set(key string, field *value) {
	if v.fields[key] == nil {
		v.keys = append(v.keys, key)
	}
	v.fields[key] = field
}

// get returns the field at a path of names, and [nothing] where there is none.
func (v *value) get(path ...string) *value {
	for _, name := range path {
		next := v.fields[name]
		if next == nil {
			return nothing
		}
		v = next
	}
	return v
}

func (v *value) has(name string) bool { return v.fields[name] != nil }

func (v *value) isTrue() bool { return v.tag == "!!bool" && v.text == "true" }

// texts returns the texts of a list's items, or of a single scalar.
func (v *value) texts() []string {
	if len(v.items) == 0 && v.tag != "!!null" && v.fields == nil {
		return []string{v.text}
	}
	var all []string
	for _, item := range v.items {
		all = append(all, item.text)
	}
	return all
}

// notation is how a language writes what JSON writes differently.
type notation struct{ yes, no, none string }

var (
	inJSON   = notation{"true", "false", "null"}
	inPython = notation{"True", "False", "None"}
)

// write writes a value as JSON does, or nearly so, from a column on. What is short stands
// in one line.
func (v *value) write(n notation, column int) string {
	if line := v.line(n); len(line) <= 72-column || v.fields == nil && v.items == nil {
		return line
	}
	inner, open, end := strings.Repeat(" ", column+2), "[", "]"
	var parts []string
	if v.fields != nil {
		open, end = "{", "}"
		for _, key := range v.keys {
			parts = append(parts, inner+quote(key)+": "+v.fields[key].write(n, column+2))
		}
	} else {
		for _, item := range v.items {
			parts = append(parts, inner+item.write(n, column+2))
		}
	}
	return open + "\n" + strings.Join(parts, ",\n") + "\n" + strings.Repeat(" ", column) + end
}

func (v *value) line(n notation) string {
	var parts []string
	switch {
	case v.fields != nil:
		for _, key := range v.keys {
			parts = append(parts, quote(key)+": "+v.fields[key].line(n))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case v.tag == "!!seq":
		for _, item := range v.items {
			parts = append(parts, item.line(n))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return v.scalar(n)
}

func (v *value) scalar(n notation) string {
	switch v.tag {
	case "!!null":
		return n.none
	case "!!bool":
		if v.text == "true" {
			return n.yes
		}
		return n.no
	case "!!int", "!!float":
		return v.text
	}
	return quote(v.text)
}

// quote writes a text as JSON, JavaScript and Python do.
func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil { // it is no UTF-8
		quoted, _ = json.Marshal(strings.ToValidUTF8(text, "\uFFFD"))
	}
	return string(quoted)
}
