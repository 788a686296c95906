// Package sunset reads from the description of the API what of it is deprecated, and
// says so in the headers of answers: Deprecation (RFC 9745), Sunset (RFC 8594) and Link.
//
// It does not own what is deprecated, which stands in the description alone, nor how
// long that must stay (docs/api-policy.md), of which it checks what can be checked.
package sunset

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// The marks of an operation, a parameter or a property, beside deprecated: true. Their
// values are days, such as 2027-01-31.
const (
	mark  = "deprecated"
	since = "x-deprecated-since"
	until = "x-sunset"
)

// leastMonths is how many months lie between the two days at least.
const leastMonths = 12

// Notice has the values of the headers of a deprecated endpoint.
type Notice struct{ Deprecation, Sunset, Link string }

// Read returns the notices of a description, by method and path, such as
// "GET /api/v1/conversations/:conversation_id". An endpoint has one if it is deprecated
// itself, or has a parameter or a property that is; the earliest days count. Docs is
// the address of the documentation, for endpoints that name no other as their
// externalDocs.
func Read(description, docs string) (map[string]Notice, error) {
	if !strings.Contains(description, mark+": true") { // nothing is: there is no need to understand it
		return nil, nil
	}
	var root map[string]any
	if err := yaml.Unmarshal([]byte(description), &root); err != nil {
		return nil, fmt.Errorf("cannot read the description of the API: %w", err)
	}
	notices := map[string]Notice{}
	for path, item := range object(root["paths"]) {
		for method, operation := range object(item) {
			if !isMethod(method) {
				continue
			}
			name := strings.ToUpper(method) + " " + strings.NewReplacer("{", ":", "}", "").Replace(path)
			w := walk{root: root, seen: map[string]bool{}}
			if err := w.visit(operation); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if err := w.visit(object(item)["parameters"]); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if w.since.IsZero() {
				continue
			}
			link := docs
			if own, named := object(object(operation)["externalDocs"])["url"].(string); named {
				link = own
			}
			notices[name] = Notice{
				Deprecation: "@" + strconv.FormatInt(w.since.Unix(), 10), Sunset: w.until.Format(http.TimeFormat),
				Link: "<" + link + `>; rel="deprecation"; type="text/html"`,
			}
		}
	}
	return notices, nil
}

// isMethod reports whether a key of a path is an operation.
func isMethod(key string) bool {
	switch key {
	case "get", "post", "put", "patch", "delete":
		return true
	}
	return false
}

func object(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}

// walk looks for marks in all that an operation is described by.
type walk struct {
	root map[string]any
	// seen are the references that were followed.
	seen map[string]bool
	// since and until are the earliest days.
	since, until time.Time
}

func (w *walk) visit(value any) error {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if err := w.visit(item); err != nil {
				return err
			}
		}
	case map[string]any:
		if marked, _ := value[mark].(bool); marked {
			if err := w.readDays(value); err != nil {
				return err
			}
		}
		if reference, ok := value["$ref"].(string); ok {
			return w.follow(reference)
		}
		for key, field := range value {
			if key == "example" || key == "examples" { // what stands there is no description
				continue
			}
			if err := w.visit(field); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) follow(reference string) error {
	path, local := strings.CutPrefix(reference, "#/")
	if !local || w.seen[reference] {
		return nil
	}
	w.seen[reference] = true
	var target any = w.root
	for key := range strings.SplitSeq(path, "/") {
		target = object(target)[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	return w.visit(target)
}

// readDays reads the two days of a deprecation mark.
func (w *walk) readDays(marked map[string]any) error {
	from, err := day(marked, since)
	if err != nil {
		return err
	}
	to, err := day(marked, until)
	if err != nil {
		return err
	}
	if to.Before(from.AddDate(0, leastMonths, 0)) {
		return fmt.Errorf("less than %d months lie between %s and %s", leastMonths, since, until)
	}
	if w.since.IsZero() || from.Before(w.since) {
		w.since = from
	}
	if w.until.IsZero() || to.Before(w.until) {
		w.until = to
	}
	return nil
}

func day(marked map[string]any, name string) (time.Time, error) {
	switch value := marked[name].(type) {
	case time.Time: // which YAML makes of a day without quotation marks
		return value.UTC(), nil
	case string:
		if at, err := time.Parse(time.DateOnly, value); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("what is deprecated needs %s, a day such as 2027-01-31", name)
}
