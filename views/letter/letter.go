// Package letter owns what mails look like: one page around what a letter says, which
// mail programs show without a stylesheet, a script or a picture from elsewhere.
//
// It does not own what a letter says (the packages under core that write it), or its
// text for programs that show no HTML (package core/outbox).
package letter

import (
	"context"
	"net/url"
	"strings"

	"github.com/a-h/templ"
)

// Letter is what the page shows.
type Letter struct {
	Subject string
	// Says and Then are the paragraphs before and after the button.
	Says, Then []string
	// Button is where the reader can go on; without an address there is none.
	Button Button
	// Home is the address of the server that sends the mail.
	Home string
}

// Button is a link that looks like one.
type Button struct{ Text, URL string }

// HTML returns the page. What a letter says is text, whatever it looks like.
func HTML(l Letter) (string, error) {
	var page strings.Builder
	err := document(l).Render(context.Background(), &page)
	return page.String(), err
}

// isAddress reports whether a paragraph is nothing but the address of a page.
func isAddress(paragraph string) bool {
	u, err := url.Parse(paragraph)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && !strings.ContainsAny(paragraph, " \t\r\n")
}

// host is what people call the server.
func (l Letter) host() string {
	if u, err := url.Parse(l.Home); err == nil {
		return u.Host
	}
	return ""
}

// link is the address of a page, or none if it is anything else.
func link(address string) templ.SafeURL {
	if !isAddress(address) {
		return ""
	}
	return templ.SafeURL(address)
}
