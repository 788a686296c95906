package document

import (
	"bytes"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"parley/core/fault"
)

// errEncoding refuses a text that Parley could only read by chance.
var errEncoding = fault.New(fault.Invalid, "Parley cannot tell in which encoding this text is saved. Save it as UTF-8 (in Excel as \"CSV UTF-8\", in an editor under Save as, Encoding), and add it again.")

// Decode returns text as UTF-8 without a byte order mark. The mark decides the
// encoding; without one, the content type or the text's own declaration does;
// without either it is UTF-8, or else what its letters say. Decode ignores a declaration
// that the bytes contradict.
func Decode(body []byte, contentType, declared string) (string, error) {
	if order := UTF16Order(body); order != nil {
		return decodeWith(order, body), nil
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	label := labelOf(contentType, declared)
	if mostlyUTF8(body) {
		if label == "" && isISO2022JP(body) {
			label = "iso-2022-jp"
		}
		if label != "iso-2022-jp" && label != "hz-gb-2312" {
			return strings.ToValidUTF8(string(body), "\ufffd"), nil
		}
	}
	if found, name := charset.Lookup(label); found != nil && name != "utf-8" && !strings.HasPrefix(name, "utf-16") {
		return decodeWith(found, body), nil
	}
	found := guess(body)
	if found == nil {
		return "", errEncoding
	}
	return decodeWith(found, body), nil
}

// isISO2022JP reports whether a text switches to Japanese characters as mails do.
func isISO2022JP(body []byte) bool {
	return bytes.Contains(body, []byte("\x1b$B")) || bytes.Contains(body, []byte("\x1b$@"))
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
// mark, or that the start holds zeros and control characters but, read in pairs, common
// characters.
func UTF16Order(body []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	start := body[:min(len(body), 1024)&^1]
	if len(start) < 8 || !slices.ContainsFunc(start, func(c byte) bool { return c < '\t' }) {
		return nil
	}
	var common [2]int // as little-endian and as big-endian
	for i := 0; i < len(start); i += 2 {
		if isCommon(start[i+1], start[i]) {
			common[0]++
		}
		if isCommon(start[i], start[i+1]) {
			common[1]++
		}
	}
	pairs := len(start) / 2
	switch {
	case common[0] >= pairs*19/20 && common[1] < common[0]:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case common[1] >= pairs*19/20 && common[0] < common[1]:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// isCommon reports whether a unit of UTF-16 is a character that texts have often. Units
// that end in a zero byte are hardly ever: they are ASCII in the other order.
func isCommon(high, low byte) bool {
	switch {
	case high == 0:
		return low >= ' ' && low != 0x7f || low == '\t' || low == '\n' || low == '\r'
	case low == 0:
		return high == 0x30 || high == 0x4e
	}
	return high <= 0x06 || high == 0x0e || high == 0x1e || high == 0x20 || high == 0x21 || high == 0x30 ||
		high >= 0x4e && high <= 0x9f || high >= 0xac && high <= 0xd7 || high >= 0xd8 && high <= 0xdf || high == 0xff
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
