package fetch

import (
	"net/url"
	"strings"
)

// A validator is what [Page.ETag] holds about a page: the entity tag that the
// server sent (RFC 9110, section 8.8.3) and, if redirects led to the page, a space
// and the address that sent it. Valid tags contain no space. If a server breaks
// that rule, its tag may be misread, and the page is fetched in full.
type validator struct {
	tag string
	// of is the address to which the tag and the date belong.
	of string
}

// maxValidator is the maximum length of a validator in bytes. Without a validator
// the page is fetched in full the next time.
const maxValidator = 1024

// validatorOf returns the validator of a request for an address.
func validatorOf(request Request, address *url.URL) validator {
	if at := strings.LastIndexByte(request.ETag, ' '); at >= 0 {
		if of, err := parseURL(request.ETag[at+1:]); err == nil {
			return validator{request.ETag[:at], of.String()}
		}
	}
	return validator{request.ETag, address.String()}
}

// text returns the validator that the caller keeps for a page requested at an
// address. It drops a text that is too long, together with the date, which says
// nothing about another address.
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
