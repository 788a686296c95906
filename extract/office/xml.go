package office

import (
	"bytes"
	stdxml "encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html/charset"

	"parley/extract/document"
)

// maxDepth is how deep the XML of an office file may nest. Word writes about
// 60 levels for a table in a table in a text box.
const maxDepth = 256

// errXML refuses XML that no office program writes.
var errXML = errors.New("the XML is nested wrongly or too deep, or declares entities")

// xmlNode is an element of office XML. It drops namespaces: within one part the
// local names do not clash.
type xmlNode struct {
	name  string
	attrs []stdxml.Attr
	// text is the text directly in the element.
	text string
	kids []*xmlNode
}

func (n *xmlNode) attr(name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// kid follows a path of names to an element, or returns nil.
func (n *xmlNode) kid(path ...string) *xmlNode {
	for _, name := range path {
		if n == nil {
			return nil
		}
		var next *xmlNode
		for _, k := range n.kids {
			if k.name == name {
				next = k
				break
			}
		}
		n = next
	}
	return n
}

// val returns the attribute val of the element at a path.
func (n *xmlNode) val(path ...string) string { return n.kid(path...).attr("val") }

// on reports whether a switch such as <w:b/> is present and not off.
func (n *xmlNode) on(path ...string) bool {
	k := n.kid(path...)
	if k == nil {
		return false
	}
	v := k.attr("val")
	return v != "0" && v != "false" && v != "off" && v != "none"
}

// each calls f for all elements of a name below n, in order.
func (n *xmlNode) each(name string, f func(*xmlNode)) {
	if n == nil {
		return
	}
	for _, k := range n.kids {
		if k.name == name {
			f(k)
		}
		k.each(name, f)
	}
}

// verdict decides what to do with an element while scanning XML.
type verdict int

const (
	// enter continues with the elements inside it.
	enter verdict = iota
	// skip ignores it and everything inside.
	skip
	// take returns it with everything inside.
	take
)

// scanXML reads XML and passes on the elements to take, one at a time, so that a
// large part is never in memory as a whole. A document type may name itself, but declare no
// entities. Those of HTML, which old books use, are single characters.
func scanXML(body []byte, decide func(name string) verdict, taken func(*xmlNode) error) error {
	decoder := stdxml.NewDecoder(bytes.NewReader(body))
	decoder.CharsetReader = charset.NewReaderLabel
	if order := document.UTF16Order(body); order != nil {
		decoder = stdxml.NewDecoder(order.NewDecoder().Reader(bytes.NewReader(body)))
		decoder.CharsetReader = func(_ string, decoded io.Reader) (io.Reader, error) { return decoded, nil }
	}
	decoder.Entity = stdxml.HTMLEntity
	depth, skipped := 0, 0
	var open []*xmlNode
	var texts [][]byte // of the open elements
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) && depth == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case stdxml.Directive:
			if depth > 0 || !harmless(token) {
				return errXML
			}
		case stdxml.StartElement:
			if depth++; depth > maxDepth {
				return errXML
			}
			choice := take
			if len(open) == 0 && skipped == 0 {
				choice = decide(token.Name.Local)
			}
			switch {
			case skipped > 0 || choice == skip:
				skipped++
			case choice == take:
				open, texts = push(open, token), append(texts, nil)
			}
		case stdxml.CharData:
			if n := len(open); n > 0 && skipped == 0 {
				texts[n-1] = append(texts[n-1], token...)
			}
		case stdxml.EndElement:
			if depth--; depth < 0 {
				return errXML
			}
			switch n := len(open); {
			case skipped > 0:
				skipped--
			case n > 0:
				open[n-1].text = string(texts[n-1])
				texts = texts[:n-1]
				if n > 1 {
					open = open[:n-1]
					continue
				}
				if err := taken(open[0]); err != nil {
					return err
				}
				open = open[:0]
			}
		}
	}
}

// harmless reports whether a directive only names the type of the document.
func harmless(directive []byte) bool {
	return bytes.HasPrefix(bytes.ToUpper(directive[:min(len(directive), 7)]), []byte("DOCTYPE")) &&
		!bytes.Contains(bytes.ToUpper(directive), []byte("ENTITY"))
}

func push(open []*xmlNode, start stdxml.StartElement) []*xmlNode {
	n := &xmlNode{name: strings.Clone(start.Name.Local), attrs: start.Copy().Attr}
	if len(open) > 0 {
		parent := open[len(open)-1]
		parent.kids = append(parent.kids, n)
	}
	return append(open, n)
}

// treeOf parses a small part as a whole. For a missing part it returns nil.
func treeOf(body []byte) (*xmlNode, error) {
	var root *xmlNode
	err := scanXML(body, func(string) verdict { return take }, func(n *xmlNode) error {
		root = n
		return nil
	})
	return root, err
}
