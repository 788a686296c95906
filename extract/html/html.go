// Package html reads web pages and chapters of books: their main text, and what
// a page tells crawlers.
//
// It fetches nothing (package fetch does), and runs in the child process of
// package extract.
package html

import (
	"bytes"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"

	"parley/core/fault"
	"parley/extract/document"
)

// Read reads a web page: its main text, its title, and what it tells crawlers.
func Read(doc *document.Document, in document.Input) error {
	text, err := decodeHTML(in.Body, in.ContentType)
	if err != nil {
		return err
	}
	root, err := parseHTML(text)
	if err != nil {
		return err
	}
	base := baseOf(root, in.BaseURL)
	doc.Page = pageOf(root, base)
	doc.Title = textOf(first(root, "title"))
	doc.Notes.AddAll(unread(root))
	tidy(root, base, around)
	content := mainText(root, doc.Title)
	if h1 := all(content, "h1"); len(h1) == 1 && (doc.Title == "" || strings.Contains(doc.Title, textOf(h1[0]))) {
		doc.Title = textOf(h1[0]) // without the name of the site
	}
	markdown, err := markdownOf(content)
	if err != nil {
		return err
	}
	doc.Block(markdown)
	return nil
}

// errDeep refuses a page that nests more than 512 elements, the parser's limit.
var errDeep = fault.New(fault.Invalid, "The elements of this page are nested too deep to read. Simplify the page, and add it again.")

func parseHTML(text string) (*node, error) {
	root, err := parse(strings.NewReader(text))
	if err != nil {
		return nil, errDeep
	}
	revealMail(root)
	return root, nil
}

// xmlEncoding matches the encoding that an XML declaration names.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]{0,100}encoding=["']([A-Za-z0-9_-]{1,40})["']`)

// maxHead is how far into a page its head may reach.
const maxHead = 1 << 20

// decodeHTML returns a page as UTF-8. The content type declares its encoding; otherwise an
// XML declaration or a meta element does. Browsers heed a meta element wherever it stands in the head, if
// not as early as the HTML standard wants it (section 13.2.3.2).
func decodeHTML(body []byte, contentType string) (string, error) {
	start := body[:min(len(body), maxHead)]
	declared := ""
	if found := xmlEncoding.FindSubmatch(start[:min(len(start), 1024)]); found != nil {
		declared = string(found[1])
	} else {
		declared = metaCharset(start)
	}
	text, err := document.Decode(body, contentType, declared)
	if err != nil && isAlmostASCII(body) {
		return document.Decode(body, "", "windows-1252") // as browsers read it
	}
	return text, err
}

// isAlmostASCII reports whether one byte in two hundred at most is of no ASCII character.
func isAlmostASCII(body []byte) bool {
	foreign := 0
	for _, b := range body {
		if b >= utf8.RuneSelf {
			foreign++
		}
	}
	return 200*foreign <= len(body)
}

// metaCharset returns the encoding that a meta element of the head names.
func metaCharset(start []byte) string {
	tokens := nethtml.NewTokenizer(bytes.NewReader(start))
	tokens.SetMaxBuf(maxHead)
	for {
		switch tokens.Next() {
		case nethtml.ErrorToken:
			return ""
		case nethtml.EndTagToken:
			if name, _ := tokens.TagName(); string(name) == "head" {
				return ""
			}
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			name, more := tokens.TagName()
			if string(name) == "body" {
				return ""
			}
			if string(name) != "meta" {
				continue
			}
			attrs := map[string]string{}
			for more {
				var key, value []byte
				key, value, more = tokens.TagAttr()
				attrs[string(key)] = string(value)
			}
			if label := attrs["charset"]; label != "" {
				return label
			}
			if strings.EqualFold(attrs["http-equiv"], "content-type") {
				if found := contentCharset.FindStringSubmatch(attrs["content"]); found != nil {
					return found[1]
				}
			}
		}
	}
}

// contentCharset matches the encoding in what a meta element says for a content type.
var contentCharset = regexp.MustCompile(`(?i)charset\s*=\s*["']?([A-Za-z0-9_.:-]{1,40})`)

// baseOf returns the address against which the links of a page resolve.
func baseOf(root *node, address string) *url.URL {
	base, err := url.Parse(address)
	if err != nil {
		base = &url.URL{}
	}
	if element := first(root, "base"); element != nil {
		if own, err := base.Parse(strings.TrimSpace(attr(element, "href"))); err == nil {
			base = own
		}
	}
	return base
}

// maxLinks is how many links of a page Read returns.
const maxLinks = 10_000

func pageOf(root *node, base *url.URL) document.Page {
	var page document.Page
	for _, meta := range all(root, "meta") {
		if name := strings.ToLower(attr(meta, "name")); name == "robots" || name == "parleybot" {
			none := directs(meta, "none")
			page.NoIndex = page.NoIndex || none || directs(meta, "noindex")
			page.NoFollow = page.NoFollow || none || directs(meta, "nofollow")
		}
		if strings.EqualFold(attr(meta, "http-equiv"), "refresh") && page.Refresh == "" {
			page.Refresh = refreshOf(meta, base)
		}
	}
	for _, link := range all(root, "link") {
		if slices.Contains(strings.Fields(strings.ToLower(attr(link, "rel"))), "canonical") {
			page.Canonical, _ = absolute(base, attr(link, "href"))
			break
		}
	}
	seen := make(map[string]bool)
	for _, a := range all(root, "a", "area") {
		address, err := absolute(base, attr(a, "href"))
		if err != nil || seen[address] || strings.Contains(attr(a, "rel"), "nofollow") {
			continue
		}
		if seen[address] = true; len(page.Links) < maxLinks {
			page.Links = append(page.Links, address)
		}
	}
	return page
}

// directs reports whether a meta element has a directive, which has no value:
// "max-image-preview: none" is another.
func directs(meta *node, directive string) bool {
	for part := range strings.SplitSeq(strings.ToLower(attr(meta, "content")), ",") {
		if !strings.Contains(part, ":") && slices.Contains(strings.Fields(part), directive) {
			return true
		}
	}
	return false
}

// refreshWithin is the longest pause, in seconds, after which a page that sends its
// visitors on counts as a redirect. Those that wait longer are read meanwhile.
const refreshWithin = 10

// refreshing matches what a refresh says: a pause, and the address (HTML standard,
// section 4.2.5.3).
var refreshing = regexp.MustCompile(`(?is)^\s*(\d{0,9})(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=)?\s*(.+)$`)

// refreshOf returns the other page to which a meta element sends visitors, if any.
func refreshOf(meta *node, base *url.URL) string {
	said := refreshing.FindStringSubmatch(attr(meta, "content"))
	if said == nil {
		return ""
	}
	if seconds, err := strconv.Atoi(said[1]); err != nil && said[1] != "" || seconds > refreshWithin {
		return ""
	}
	link := strings.TrimSpace(said[2])
	if quoted := strings.TrimLeft(link, `"'`); quoted != link {
		link, _, _ = strings.Cut(quoted, link[:1])
	}
	address, err := absolute(base, link)
	own := *base
	own.Fragment, own.RawFragment = "", ""
	if err != nil || address == own.String() {
		return ""
	}
	return address
}

var errNoAddress = errors.New("not the address of a web page")

// absolute returns the address that a link leads to, without its fragment.
func absolute(base *url.URL, link string) (string, error) {
	link = strings.TrimSpace(link)
	if link == "" || link[0] == '#' || len(link) > 2_000 {
		return "", errNoAddress
	}
	to, err := base.Parse(link)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return "", errNoAddress
	}
	to.Fragment, to.RawFragment = "", ""
	return to.String(), nil
}
