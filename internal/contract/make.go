package contract

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
)

// Maker makes up requests, the same ones from the same seed.
type Maker struct {
	*rand.Rand
	// Known has values for what a schema cannot know, such as identifiers, by the names of
	// parameters and properties.
	Known map[string][]string
}

// Made is a request that was made up.
type Made struct {
	Method string
	// Target is the path with the query.
	Target string
	Header http.Header
	// Body is JSON, or nearly.
	Body string
	// Wrong says what is wrong with it, and is empty for a request that is as described.
	Wrong string
}

// Right makes a request as an operation describes it.
func (m *Maker) Right(o *Operation) Made {
	made := Made{Method: o.Method, Header: http.Header{}}
	path, query := slices.Clone(o.segments), url.Values{}
	for _, p := range o.parameters {
		if !p.Required && m.IntN(3) > 0 {
			continue
		}
		value := m.text(p)
		switch p.In {
		case openapi3.ParameterInPath:
			path[slices.Index(path, "{"+p.Name+"}")] = url.PathEscape(value)
		case openapi3.ParameterInQuery:
			query.Set(p.Name, value)
		case openapi3.ParameterInHeader:
			if isHeader(value) {
				made.Header.Set(p.Name, value)
			}
		}
	}
	made.Target = strings.Join(path, "/")
	if len(query) > 0 {
		made.Target += "?" + query.Encode()
	}
	if schema := o.asks(); schema != nil && (o.RequestBody.Value.Required || m.IntN(4) > 0) {
		made.Body = written(m.value("", schema))
	} else if schema == nil && o.RequestBody != nil && o.RequestBody.Value.Required {
		// It takes a form with files alone: an empty one is refused in order.
		made.Header.Set("Content-Type", "multipart/form-data; boundary=border")
		made.Body = "--border--\r\n"
	}
	return made
}

// asks is the schema of the JSON that an operation takes, or nil.
func (o *Operation) asks() *openapi3.Schema {
	if o.RequestBody == nil || o.RequestBody.Value.Content["application/json"] == nil {
		return nil
	}
	return o.RequestBody.Value.Content["application/json"].Schema.Value
}

// text is a value of a parameter, as a path, a query or a header has it.
func (m *Maker) text(p parameter) string {
	switch value := m.value(p.Name, p.Schema.Value).(type) {
	case string:
		return value
	case []any:
		var items []string
		for _, item := range value {
			items = append(items, item.(string))
		}
		return strings.Join(items, ",")
	default:
		return written(value)
	}
}

// isHeader reports whether a text can stand in a header as it is.
func isHeader(text string) bool {
	return text == strings.TrimSpace(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func written(value any) string {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic(err) // values are of plain types
	}
	return string(text)
}
