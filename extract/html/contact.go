package html

import (
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// revealMail decodes the mail addresses that Cloudflare hides from programs: an attribute
// or the end of a link has them, with their first byte as the key.
func revealMail(root *node) {
	for _, e := range slices.Collect(elements(root)) {
		if address := decodeMail(attr(e, "data-cfemail")); address != "" {
			for _, c := range children(e) {
				e.RemoveChild(c)
			}
			e.AppendChild(newText(address))
			if !element(e, "a") {
				continue
			}
			setAttr(e, "href", "mailto:"+address)
		}
		if _, code, found := strings.Cut(attr(e, "href"), "/cdn-cgi/l/email-protection"); found {
			if address := decodeMail(strings.TrimPrefix(code, "#")); address != "" {
				setAttr(e, "href", "mailto:"+address)
			}
		}
	}
}

func decodeMail(code string) string {
	bytes, err := hex.DecodeString(code)
	if err != nil || len(bytes) < 4 || len(bytes) > 400 {
		return ""
	}
	for i := range bytes[1:] {
		bytes[i+1] ^= bytes[0]
	}
	address, _, _ := strings.Cut(string(bytes[1:]), "?")
	if !strings.Contains(address, "@") {
		return ""
	}
	return address
}

func setAttr(e *node, name, value string) {
	for i := range e.Attr {
		if e.Attr[i].Key == name && e.Attr[i].Namespace == "" {
			e.Attr[i].Val = value
			return
		}
	}
	e.Attr = append(e.Attr, attribute{Key: name, Val: value})
}

// contactOf returns the mail address or phone number that a link leads to, or nothing.
func contactOf(link string) string {
	scheme, rest, _ := strings.Cut(link, ":")
	rest, query, _ := strings.Cut(rest, "?")
	text, err := url.PathUnescape(strings.TrimSpace(rest))
	if err != nil || len(text) > 200 {
		return ""
	}
	switch strings.ToLower(scheme) {
	case "mailto":
		if text == "" {
			values, _ := url.ParseQuery(query)
			text = values.Get("to")
		}
		if strings.Contains(text, "@") {
			return text
		}
	case "tel", "sms", "callto", "fax":
		if number, _, _ := strings.Cut(strings.TrimLeft(text, "/"), ";"); digits(number) != "" {
			return strings.TrimSpace(number)
		}
	case "whatsapp":
		values, _ := url.ParseQuery(query)
		if number := values.Get("phone"); digits(number) != "" {
			return number
		}
	}
	return ""
}

// says reports whether a text has a contact already, in whatever groups its digits are.
func says(text, contact string) bool {
	if strings.Contains(contact, "@") {
		return strings.Contains(strings.ToLower(text), strings.ToLower(contact))
	}
	own := strings.TrimLeft(digits(text), "0")
	return len(own) >= 5 && (strings.HasSuffix(digits(contact), own) || strings.HasSuffix(own, digits(contact)))
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// shapeContact writes a mail address or phone number behind the text of its link.
func shapeContact(a *node, contact string) {
	switch text := textOf(a); {
	case text == "":
		a.AppendChild(newText(contact))
	case !says(text, contact):
		a.AppendChild(newText(" (" + contact + ")"))
	}
	unwrap(a)
}
