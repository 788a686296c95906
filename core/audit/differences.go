package audit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Differences returns the fields of after whose values differ from the fields of the
// same names in before. It looks into nested structs; an embedded struct adds no name
// of its own. Of a withheld field it says only that it has changed.
func Differences(before, after any, withheld ...string) []Change {
	return differences("", reflect.ValueOf(before), reflect.ValueOf(after), withheld)
}

func differences(prefix string, before, after reflect.Value, withheld []string) (changes []Change) {
	for i := range after.NumField() {
		field := after.Type().Field(i)
		old, now := before.FieldByName(field.Name), after.Field(i)
		if !field.IsExported() || !old.IsValid() || reflect.DeepEqual(old.Interface(), now.Interface()) {
			continue
		}
		name := prefix + snake(field.Name)
		switch {
		case field.Anonymous:
			changes = append(changes, differences(prefix, old, now, withheld)...)
		case now.Kind() == reflect.Struct:
			changes = append(changes, differences(name+".", old, now, withheld)...)
		case slices.Contains(withheld, field.Name):
			changes = append(changes, Change{Field: name})
		case written(old) != written(now): // nil and empty are written alike
			changes = append(changes, Change{Field: name, Old: written(old), New: written(now)})
		}
	}
	return changes
}

// written is a value as people read it, with nothing for none.
func written(value reflect.Value) string {
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return ""
		}
		return written(value.Elem())
	case reflect.Slice:
		parts := make([]string, value.Len())
		for i := range parts {
			parts[i] = written(value.Index(i))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(value.Interface())
}

// snake is a Go name such as MaxAnswerTokens or ProviderID as max_answer_tokens
// or provider_id.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		begins := i > 0 && unicode.IsUpper(r) &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
