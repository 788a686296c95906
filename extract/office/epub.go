package office

import (
	"slices"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
	"parley/extract/html"
)

// ReadEPUB reads a book (EPUB 3.3): each chapter of its spine once.
func ReadEPUB(doc *document.Document, in document.Input) error {
	a, err := openArchive(in, doc.Limits)
	if err != nil {
		return err
	}
	container, err := a.tree("META-INF/container.xml")
	if err != nil {
		return err
	}
	part := ""
	container.each("rootfile", func(n *xmlNode) {
		if part == "" {
			part = resolve("", n.attr("full-path"))
		}
	})
	book, err := a.tree(part)
	if err != nil {
		return err
	}
	if book == nil {
		return document.NotOfKind(in, knowledge.EPUB, nil)
	}
	if err := locked(a); err != nil {
		return err
	}
	if title := book.kid("metadata", "title"); title != nil {
		doc.Title = title.text
	}
	chapters, others := spine(book, part)
	doc.Notes.Add(knowledge.NotePage, others)
	for i, chapter := range chapters {
		if err := readChapter(doc, a, i+1, chapter); err != nil {
			return err
		}
	}
	return nil
}

// spine returns the entries of the chapters in order, each once, and how many entries are no text.
func spine(book *xmlNode, part string) (chapters []string, others int) {
	items := make(map[string]*xmlNode)
	book.kid("manifest").each("item", func(n *xmlNode) { items[n.attr("id")] = n })
	seen := make(map[*xmlNode]bool)
	book.kid("spine").each("itemref", func(n *xmlNode) {
		item := items[n.attr("idref")]
		if item == nil || seen[item] || slices.Contains(strings.Fields(item.attr("properties")), "nav") {
			return
		}
		seen[item] = true
		if !strings.Contains(item.attr("media-type"), "html") {
			others++
			return
		}
		chapters = append(chapters, resolve(part, item.attr("href")))
	})
	return chapters, others
}

// obfuscations lists the algorithms that obfuscate fonts and nothing else.
var obfuscations = []string{"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}

// locked returns a failure if the chapters are encrypted.
func locked(a *archive) error {
	encryption, err := a.tree("META-INF/encryption.xml")
	if err != nil {
		return err
	}
	found := false
	encryption.each("EncryptedData", func(n *xmlNode) {
		found = found || !slices.Contains(obfuscations, n.kid("EncryptionMethod").attr("Algorithm"))
	})
	if found {
		return fault.New(fault.Invalid, "This EPUB is protected against copying (DRM). Add a copy without protection.")
	}
	return nil
}

func readChapter(doc *document.Document, a *archive, number int, part string) error {
	body, err := a.read(part)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		doc.Notes.Add(knowledge.NotePage, 1)
		return nil
	}
	name, markdown, err := html.Chapter(body, &doc.Notes)
	if err != nil {
		return err
	}
	doc.At(number, name)
	doc.Block(markdown)
	return doc.Err
}
