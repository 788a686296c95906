package archive

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendRow appends a row and a line feed. A row is a JSON array with a value for each column:
//
//	text     a string; one that is not UTF-8, which SQLite may hold, is {"base64": "…"}
//	integer  a number, exact in 64 bits
//	real     a number, or the string NaN, +Inf or -Inf
//	boolean  true or false
//	time     a string as in RFC 3339, in UTC, in microseconds, which both databases keep
//	bytes    a string in base64
//	json     a string that holds the JSON, its names sorted and without white space
//
// and null where there is no value.
func AppendRow(to []byte, columns []Column, values []any) ([]byte, error) {
	if len(values) != len(columns) {
		return nil, fmt.Errorf("the row has %d values for %d columns", len(values), len(columns))
	}
	begin := len(to)
	to = append(to, '[')
	for i, value := range values {
		if i > 0 {
			to = append(to, ',')
		}
		var ok bool
		if to, ok = appendValue(to, columns[i].Type, value); !ok {
			return nil, fmt.Errorf("the column %s has a %T that is no %s", columns[i].Name, value, columns[i].Type)
		}
	}
	if len(to)-begin > maxRow-2 {
		return nil, fmt.Errorf("a row is longer than %d MiB", maxRow>>20)
	}
	return append(to, "]\n"...), nil
}

func appendValue(to []byte, kind Type, value any) (_ []byte, ok bool) {
	switch v := value.(type) {
	case nil:
		return append(to, "null"...), true
	case string:
		switch kind {
		case Text:
			return appendText(to, v), true
		case JSON:
			return appendText(to, sorted(v)), true
		}
	case int64:
		return strconv.AppendInt(to, v, 10), kind == Integer
	case float64:
		return appendReal(to, v), kind == Real
	case bool:
		return strconv.AppendBool(to, v), kind == Boolean
	case time.Time:
		to = append(to, '"')
		to = v.UTC().Truncate(time.Microsecond).AppendFormat(to, time.RFC3339Nano)
		year := v.UTC().Year()
		return append(to, '"'), kind == Time && year >= 0 && year <= 9999
	case []byte:
		to = append(to, '"')
		to = base64.StdEncoding.AppendEncode(to, v)
		return append(to, '"'), kind == Bytes
	}
	return to, false
}

func appendText(to []byte, text string) []byte {
	if !utf8.ValidString(text) {
		to = append(to, `{"base64":"`...)
		to = base64.StdEncoding.AppendEncode(to, []byte(text))
		return append(to, `"}`...)
	}
	quoted, _ := jsontext.AppendQuote(to, text) // fails for what is not UTF-8
	return quoted
}

func appendReal(to []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.AppendQuote(to, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strconv.AppendFloat(to, v, 'g', -1, 64)
}

// sorted is the form of JSON in which both databases' agree. What is not JSON stays as it is.
func sorted(text string) string {
	value := jsontext.Value(text)
	err := value.Format(jsontext.ReorderRawObjects(true), jsontext.AllowDuplicateNames(true),
		jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if err != nil {
		return text
	}
	return string(value)
}

var errNoRow = errors.New("it is no array of its columns")

// parseRow reads a line. The values are of the types of their columns.
func parseRow(line []byte, columns []Column) ([]any, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '[' {
		return nil, errNoRow
	}
	values := make([]any, len(columns))
	for i, column := range columns {
		value, ok := parseValue(d, column.Type)
		if !ok {
			return nil, fmt.Errorf("the column %s has no %s", column.Name, column.Type)
		}
		values[i] = value
	}
	if token, err := d.ReadToken(); err != nil || token.Kind() != ']' {
		return nil, errNoRow
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errNoRow
	}
	return values, nil
}

func parseValue(d *jsontext.Decoder, kind Type) (any, bool) {
	if d.PeekKind() == '{' {
		return parseBase64(d, kind)
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, false
	}
	switch token.Kind() {
	case 'n':
		return nil, true
	case 't', 'f':
		return token.Bool(), kind == Boolean
	case '0':
		return parseNumber(token.String(), kind)
	case '"':
		return parseString(token.String(), kind)
	}
	return nil, false
}

func parseNumber(text string, kind Type) (any, bool) {
	switch kind {
	case Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	case Real:
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil
	}
	return nil, false
}

func parseString(text string, kind Type) (any, bool) {
	switch kind {
	case Text, JSON:
		return text, true
	case Time:
		at, err := time.Parse(time.RFC3339Nano, text)
		return at.UTC(), err == nil
	case Bytes:
		content, err := base64.StdEncoding.DecodeString(text)
		return content, err == nil
	case Real:
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil && (math.IsNaN(n) || math.IsInf(n, 0))
	}
	return nil, false
}

// parseBase64 reads a text that is not UTF-8.
func parseBase64(d *jsontext.Decoder, kind Type) (any, bool) {
	if kind != Text && kind != JSON {
		return nil, false
	}
	var parts [4]jsontext.Token
	var texts [4]string
	for i := range parts {
		token, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		parts[i], texts[i] = token.Clone(), token.String()
	}
	if parts[1].Kind() != '"' || texts[1] != "base64" || parts[2].Kind() != '"' || parts[3].Kind() != '}' {
		return nil, false
	}
	text, err := base64.StdEncoding.DecodeString(texts[2])
	return string(text), err == nil
}
