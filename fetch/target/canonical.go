// Package target compares request targets, the path and query of a URL, with patterns from
// robots.txt or from an owner's rules.
//
// It does not know whose patterns they are, or what a match means.
package target

import "strings"

// Canonical unifies percent-encoding (RFC 3986, sections 6.2.2.1 and 6.2.2.2): it
// decodes unreserved characters, encodes what a URL cannot hold, and writes
// hexadecimal digits in upper case. A percent sign that encodes nothing becomes
// %25. It leaves delimiters alone, so it accepts a whole URL as well as a part of
// one. It is idempotent.
func Canonical(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '%' || mustEncode(byte(min(r, 0x80))) }) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '%' {
			write(&b, c)
			continue
		}
		octet, ok := decode(s[i+1:])
		if !ok {
			b.WriteString("%25")
			continue
		}
		i += 2
		if unreserved(octet) {
			b.WriteByte(octet)
		} else {
			encode(&b, octet)
		}
	}
	return b.String()
}

func write(b *strings.Builder, c byte) {
	if mustEncode(c) {
		encode(b, c)
		return
	}
	b.WriteByte(c)
}

func encode(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(digits[c>>4])
	b.WriteByte(digits[c&15])
}

// decode reads two hexadecimal digits.
func decode(s string) (octet byte, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	high, ok1 := digit(s[0])
	low, ok2 := digit(s[1])
	return high<<4 | low, ok1 && ok2
}

func digit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

// mustEncode reports whether a URL cannot hold the octet unencoded.
func mustEncode(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0
}
