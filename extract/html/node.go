package html

import (
	"io"
	"iter"
	"slices"
	"strings"

	"parley/extract/document"

	nethtml "golang.org/x/net/html"
)

// node is an element or a text of a page. The parser limits trees to a depth of
// 512, so functions that walk them may recurse.
type node = nethtml.Node

func parse(r io.Reader) (*node, error) { return nethtml.Parse(r) }

func element(n *node, names ...string) bool {
	return n != nil && n.Type == nethtml.ElementNode && slices.Contains(names, n.Data)
}

func attr(n *node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a nethtml.Attribute) bool { return a.Key == name })
}

// children returns a snapshot of the child nodes, so that a caller may move them
// while it iterates.
func children(n *node) []*node {
	return slices.Collect(n.ChildNodes())
}

// elements iterates over all elements below n, in the order of the page. The
// caller must not move them meanwhile.
func elements(n *node) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for d := range n.Descendants() {
			if d.Type == nethtml.ElementNode && !yield(d) {
				return
			}
		}
	}
}

// all returns the elements of the given names below n.
func all(n *node, names ...string) []*node {
	var found []*node
	if n == nil {
		return nil
	}
	for e := range elements(n) {
		if slices.Contains(names, e.Data) {
			found = append(found, e)
		}
	}
	return found
}

func first(n *node, names ...string) *node {
	for e := range elements(n) {
		if slices.Contains(names, e.Data) {
			return e
		}
	}
	return nil
}

// within reports whether an ancestor of n has one of the names.
func within(n *node, names ...string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if element(p, names...) {
			return true
		}
	}
	return false
}

// textOf returns the text of an element as one line.
func textOf(n *node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	writeText(&b, n)
	return document.Line(b.String())
}

func writeText(b *strings.Builder, n *node) {
	if n.Type == nethtml.TextNode {
		b.WriteString(n.Data)
	}
	for c := range n.ChildNodes() {
		writeText(b, c)
	}
}

// lengthOf estimates how many bytes of text an element shows.
func lengthOf(n *node) int {
	length := 0
	for d := range n.Descendants() {
		if d.Type == nethtml.TextNode {
			length += len(strings.TrimSpace(d.Data))
		}
	}
	return length
}

func remove(n *node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// unwrap replaces an element with its children.
func unwrap(n *node) {
	for _, c := range children(n) {
		n.RemoveChild(c)
		n.Parent.InsertBefore(c, n)
	}
	remove(n)
}

// replace puts other nodes in the place of an element.
func replace(n *node, others ...*node) {
	for _, other := range others {
		n.Parent.InsertBefore(other, n)
	}
	remove(n)
}

// detached takes the children of an element away from it.
func detached(n *node) []*node {
	below := children(n)
	for _, c := range below {
		n.RemoveChild(c)
	}
	return below
}

func newText(text string) *node { return &node{Type: nethtml.TextNode, Data: text} }

func newElement(name string, below ...*node) *node {
	n := &node{Type: nethtml.ElementNode, Data: name}
	for _, c := range below {
		if c.Parent != nil {
			c.Parent.RemoveChild(c)
		}
		n.AppendChild(c)
	}
	return n
}

// mergeText joins the texts that stand side by side, in linear time: the converter
// would take quadratic time.
func mergeText(n *node) {
	var run []*node
	join := func() {
		if len(run) > 1 {
			var b strings.Builder
			for _, text := range run {
				b.WriteString(text.Data)
			}
			run[0].Data = b.String()
			for _, text := range run[1:] {
				n.RemoveChild(text)
			}
		}
		run = nil
	}
	for _, c := range children(n) {
		if c.Type == nethtml.TextNode {
			run = append(run, c)
			continue
		}
		join()
		mergeText(c)
	}
	join()
}
