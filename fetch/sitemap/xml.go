package sitemap

import (
	"encoding/xml"
	"io"
	"strings"
)

// readXML reads the tokens one by one, so that a file is never in memory as a
// tree. The root element says which of the two forms it is.
func readXML(body io.Reader) (File, error) {
	decoder := xml.NewDecoder(body)
	decoder.Strict = false
	// Addresses are ASCII in every encoding that sites wrongly use.
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var w walk
	for {
		token, err := decoder.RawToken()
		if err == io.EOF {
			return w.end()
		}
		if err != nil {
			return w.file, err
		}
		if err := w.token(token); err != nil {
			return w.file, err
		}
	}
}

// walk is a position in a document.
type walk struct {
	file    File
	root    string
	path    []string
	address string
	text    strings.Builder
}

func (w *walk) token(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		return w.start(token.Name.Local)
	case xml.EndElement:
		return w.close(token.Name.Local)
	case xml.CharData:
		// A longer text is no address.
		if len(w.path) == 3 && w.text.Len()+len(token) <= 2*maxAddress {
			w.text.Write(token)
		}
	}
	return nil
}

func (w *walk) start(name string) error {
	name = strings.ToLower(name)
	if len(w.path) == 0 {
		if name != "urlset" && name != "sitemapindex" {
			return ErrNone
		}
		w.root = name
	}
	if len(w.path) == maxDepth {
		return ErrNone
	}
	w.path = append(w.path, name)
	w.text.Reset()
	if len(w.path) == 2 {
		w.address = ""
	}
	return nil
}

// close ends an element. It ignores an end tag without a start tag.
func (w *walk) close(name string) error {
	if len(w.path) == 0 || !strings.EqualFold(w.path[len(w.path)-1], name) {
		return nil
	}
	depth := len(w.path)
	w.path = w.path[:depth-1]
	switch {
	case depth == 3 && strings.EqualFold(name, "loc"):
		w.address = strings.TrimSpace(w.text.String())
	case depth == 2:
		return w.add(strings.ToLower(name))
	}
	return nil
}

func (w *walk) add(element string) error {
	if !isWeb(w.address) {
		return nil
	}
	if len(w.file.Pages)+len(w.file.Sitemaps) == MaxAddresses {
		return ErrTooLarge
	}
	switch {
	case w.root == "urlset" && element == "url":
		w.file.Pages = append(w.file.Pages, w.address)
	case w.root == "sitemapindex" && element == "sitemap":
		w.file.Sitemaps = append(w.file.Sitemaps, w.address)
	}
	return nil
}

// end distinguishes a complete document from a truncated one.
func (w *walk) end() (File, error) {
	switch {
	case w.root == "":
		return File{}, ErrNone
	case len(w.path) > 0:
		return w.file, io.ErrUnexpectedEOF
	}
	return w.file, nil
}
