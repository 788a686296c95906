package document

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Decode returns text as UTF-8 without a byte order mark. The mark decides the
// encoding; without one, the content type or the text's own declaration does;
// without either it is UTF-8, or else windows-1252. Decode ignores a declaration
// that the bytes contradict.
func Decode(body []byte, contentType, declared string) string {
	if order := UTF16Order(body); order != nil {
		return decodeWith(order, body)
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if mostlyUTF8(body) {
		if label := labelOf(contentType, declared); label != "iso-2022-jp" && label != "hz-gb-2312" {
			return strings.ToValidUTF8(string(body), "\ufffd")
		}
	}
	if found, label := charset.Lookup(labelOf(contentType, declared)); found != nil && label != "utf-8" && !strings.HasPrefix(label, "utf-16") {
		return decodeWith(found, body)
	}
	return decodeWith(charmap.Windows1252, body)
}

func labelOf(contentType, declared string) string {
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		declared = params["charset"]
	}
	return strings.ToLower(strings.TrimSpace(declared))
}

func decodeWith(from encoding.Encoding, body []byte) string {
	text, err := from.NewDecoder().Bytes(body)
	if err != nil {
		return strings.ToValidUTF8(string(body), "\ufffd")
	}
	return string(text)
}

// UTF16Order returns the encoding of text in UTF-16. It recognizes the byte order
// mark, or that every other byte at the start is zero, as in Latin text.
func UTF16Order(body []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	start := body[:min(len(body), 512)&^1]
	if len(start) < 16 {
		return nil
	}
	var zeros [2]int
	for i, c := range start {
		if c == 0 {
			zeros[i%2]++
		}
	}
	most := len(start) / 2 * 9 / 10
	switch {
	case zeros[1] >= most && zeros[0] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case zeros[0] >= most && zeros[1] == 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// mostlyUTF8 reports whether text is UTF-8 with fewer broken characters than
// good ones. Text in a legacy encoding hardly ever contains a valid multi-byte
// sequence.
func mostlyUTF8(body []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, width := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && width == 1 {
			bad++
		} else {
			good++
		}
		i += width
	}
	return bad == 0 || good > 10*bad
}
