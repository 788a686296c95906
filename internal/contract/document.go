// Package contract reads the description of the API, api/openapi.yaml, for tests: it
// finds the operation of a request, checks what was sent and answered, makes up inputs,
// and compares two versions.
//
// The program does not import it. It knows no route and no server: tests give it both.
package contract

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is a description that has been read. It may be used by several goroutines.
type Document struct {
	*openapi3.T
	operations []*Operation
	// asked compiles the schemas of requests, and answered the schemas of responses, in
	// which every property must be described.
	asked, answered *compiled
}

// Operation is one method of one path.
type Operation struct {
	*openapi3.Operation
	// Method is in capitals. Path has its parameters in braces.
	Method, Path string
	// parameters are the path's and the operation's own.
	parameters []parameter
	segments   []string
}

// parameter is a parameter and where it is described.
type parameter struct {
	*openapi3.Parameter
	pointer string
}

// Name is the method and the path.
func (o *Operation) Name() string { return o.Method + " " + o.Path }

// Read reads a description and checks that it is valid, its examples included.
func Read(text []byte) (*Document, error) {
	loaded, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("cannot read the description: %w", err)
	}
	if err := loaded.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("the description is not valid: %w", err)
	}
	d := &Document{T: loaded}
	for path, item := range loaded.Paths.Map() {
		for method, operation := range item.Operations() {
			of := &Operation{Operation: operation, Method: method, Path: path, segments: strings.Split(path, "/")}
			of.take(item.Parameters, pointer("paths", path, "parameters"))
			of.take(operation.Parameters, pointer("paths", path, strings.ToLower(method), "parameters"))
			d.operations = append(d.operations, of)
		}
	}
	slices.SortFunc(d.operations, func(a, b *Operation) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	plain, err := loaded.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if d.asked, err = newCompiled(plain, false); err != nil {
		return nil, err
	}
	d.answered, err = newCompiled(plain, true)
	return d, err
}

// take adds parameters that are described at a pointer.
func (o *Operation) take(described openapi3.Parameters, at string) {
	for i, ref := range described {
		p := parameter{ref.Value, ref.Ref}
		if p.pointer == "" {
			p.pointer = at + "/" + strconv.Itoa(i)
		}
		o.parameters = append(o.parameters, p)
	}
}

// Operations returns all operations, by path and method.
func (d *Document) Operations() []*Operation { return slices.Clone(d.operations) }

// Find returns the operation of a request, by its path as it is sent. A path without parameters goes before one that has
// some.
func (d *Document) Find(method, path string) (*Operation, bool) {
	if method == "HEAD" {
		method = "GET"
	}
	segments := strings.Split(path, "/")
	var found *Operation
	for _, o := range d.operations {
		if o.Method == method && o.matches(segments) && (found == nil || !strings.Contains(o.Path, "{")) {
			found = o
		}
	}
	return found, found != nil
}

func (o *Operation) matches(segments []string) bool {
	if len(segments) != len(o.segments) {
		return false
	}
	for i, segment := range o.segments {
		if !strings.HasPrefix(segment, "{") && segment != segments[i] || segments[i] == "" && segment != "" {
			return false
		}
	}
	return true
}

// compiled compiles schemas of a document once each.
type compiled struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

const address = "https://contract/openapi.json"

func newCompiled(document []byte, closed bool) (*compiled, error) {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	if closed {
		closeObjects(tree)
	}
	c := &compiled{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	return c, c.compiler.AddResource(address, tree)
}

// closeObjects lets objects have no other properties than those that are described. Callers
// must ignore others, but the server must not send them.
func closeObjects(node any) {
	switch node := node.(type) {
	case map[string]any:
		_, described := node["properties"].(map[string]any)
		_, open := node["additionalProperties"]
		if described && !open && node["type"] != nil {
			node["additionalProperties"] = false
		}
		for _, name := range slices.Sorted(maps.Keys(node)) {
			if name != "example" && name != "examples" {
				closeObjects(node[name])
			}
		}
	case []any:
		for _, item := range node {
			closeObjects(item)
		}
	}
}

// at returns the schema that a pointer of JSON points to.
func (c *compiled) at(pointer string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if schema := c.schemas[pointer]; schema != nil {
		return schema, nil
	}
	schema, err := c.compiler.Compile(address + pointer)
	if err == nil {
		c.schemas[pointer] = schema
	}
	return schema, err
}

// check checks a value of JSON against the schema at a pointer.
func (c *compiled) check(pointer string, value []byte) error {
	schema, err := c.at(pointer)
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	return schema.Validate(instance)
}

// pointer is a pointer of JSON to a member of a member … of the document.
func pointer(names ...string) string {
	var b strings.Builder
	b.WriteByte('#')
	for _, name := range names {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name))
	}
	return b.String()
}
