// Package html reads web pages and chapters of books: their main text, and what
// a page tells crawlers.
//
// It fetches nothing (package fetch does), and runs in the child process of
// package extract.
package html

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"

	"parley/core/fault"
	"parley/extract/document"
)

// Read reads a web page: its main text, its title, and what it tells crawlers.
func Read(doc *document.Document, in document.Input) error {
	root, err := parseHTML(decodeHTML(in.Body, in.ContentType))
	if err != nil {
		return err
	}
	base := baseOf(root, in.BaseURL)
	doc.Page = pageOf(root, base)
	doc.Title = textOf(first(root, "title"))
	tidy(root, base)
	content := mainText(root)
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
	return root, nil
}

// xmlEncoding matches the encoding that an XML declaration names.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]{0,100}encoding=["']([A-Za-z0-9_-]{1,40})["']`)

// decodeHTML returns a page as UTF-8. The content type declares its encoding;
// otherwise a meta element in the first 1,024 bytes does (HTML standard, section
// 13.2.3.2), or an XML declaration.
func decodeHTML(body []byte, contentType string) string {
	start := body[:min(len(body), 1024)]
	_, declared, _ := charset.DetermineEncoding(start, "")
	if found := xmlEncoding.FindSubmatch(start); found != nil {
		declared = string(found[1])
	}
	return document.Decode(body, contentType, declared)
}

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
			content := strings.ToLower(attr(meta, "content"))
			none := strings.Contains(content, "none")
			page.NoIndex = page.NoIndex || none || strings.Contains(content, "noindex")
			page.NoFollow = page.NoFollow || none || strings.Contains(content, "nofollow")
		}
	}
	for _, link := range all(root, "link") {
		if strings.EqualFold(attr(link, "rel"), "canonical") {
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
