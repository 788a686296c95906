package upstream

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

const (
	// maxWholeBytes bounds an answer including its envelope and escapes.
	maxWholeBytes = 8 << 20
	// shortJSON is how many bytes of JSON gjson checks.
	shortJSON = 4 << 10
)

// IsStream reports whether a server answers with a stream, whatever the request
// said.
func IsStream(response *http.Response) bool {
	return !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
}

// ReadWhole reads an answer without a stream, and trims white space. An answer of
// 8 MiB or more is an error.
func ReadWhole(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxWholeBytes))
	if err != nil {
		return nil, err
	}
	if len(data) == maxWholeBytes {
		return nil, errTooLong
	}
	return bytes.TrimSpace(data), nil
}

// IsObject reports whether data is a JSON object with nothing before it. Call it
// before reading data with gjson, which does not check its input.
func IsObject(data []byte) bool {
	return len(data) > 0 && data[0] == '{' && isJSON(data)
}

// isJSON reports whether data is JSON. gjson is fast at that, but recurses as deep
// as its input, so a few megabytes of brackets exhaust the stack of the whole
// process. encoding/json stops at a depth of 10,000.
func isJSON(data []byte) bool {
	if len(data) <= shortJSON {
		return gjson.ValidBytes(data)
	}
	return json.Valid(data)
}
