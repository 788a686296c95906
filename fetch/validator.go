package fetch

import (
	"net/url"
	"strings"
)

// A validator is what [Page.ETag] tells of a page: the entity tag that the
// server sent (RFC 9110, section 8.8.3) and, when redirects led to the page, a
// space and the address that said so. No tag has a space in it, but for those
// of servers that break the rule, and they may be misread: then the page is
// fetched whole.
type validator struct {
	tag string
	// of is the address that the tag and the date are of.
	of string
}

// maxValidator is the length up to which a validator is told, in bytes. Without
// one, a page is fetched whole the next time.
const maxValidator = 1024

// validatorOf returns that of a request for an address.
func validatorOf(request Request, address *url.URL) validator {
	if at := strings.LastIndexByte(request.ETag, ' '); at >= 0 {
		if of, err := parseURL(request.ETag[at+1:]); err == nil {
			return validator{request.ETag[:at], of.String()}
		}
	}
	return validator{request.ETag, address.String()}
}

// text returns the validator that the caller keeps of a page that it asked for at
// an address. It leaves out a text that is too long, and the date with it: the
// date says nothing about another address.
func (v validator) text(asked, date string) (etag, lastModified string) {
	text := v.tag
	if v.of != asked && v.tag+date != "" {
		text += " " + v.of
	}
	if len(text) > maxValidator {
		return "", ""
	}
	return text, date
}
