// Package office reads the files of office programs, which are archives of XML:
// DOCX, PPTX, XLSX and EPUB.
//
// It does not own the child process it runs in (package extract), nor how to read
// a chapter of a book (package html).
package office

import (
	"net/url"
	"path"
	"strings"

	"parley/extract/document"
)

// relation leads from a part of an office file to another part, or to an
// external address (ECMA-376, part 2, section 6.5).
type relation struct {
	// kind is the last element of the relation's type: styles, slide.
	kind     string
	target   string
	external bool
}

// relations returns the relations of a part by id. Targets within the file are
// names of entries.
func (a *archive) relations(part string) (map[string]relation, error) {
	body, err := a.read(path.Join(path.Dir(part), "_rels", path.Base(part)+".rels"))
	if err != nil {
		return nil, err
	}
	root, err := treeOf(body)
	if err != nil {
		return nil, document.Damaged(a.kind, err)
	}
	found := make(map[string]relation)
	root.each("Relationship", func(n *xmlNode) {
		r := relation{kind: path.Base(n.attr("Type")), target: n.attr("Target"), external: n.attr("TargetMode") == "External"}
		if !r.external {
			r.target = resolve(part, r.target)
		}
		if found[n.attr("Id")] = r; part != "" && len(a.related) < maxEntries {
			a.related = append(a.related, r)
		}
	})
	return found, nil
}

// resolve returns the entry that a part refers to.
func resolve(part, target string) string {
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	target = slashed(target)
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return strings.TrimPrefix(path.Join("/", path.Dir(part), target), "/")
}

// mainPart returns the part that holds the document itself.
func (a *archive) mainPart(usual string) (string, error) {
	found, err := a.relations("")
	if err != nil {
		return "", err
	}
	for _, r := range found {
		if r.kind == "officeDocument" && a.has(r.target) {
			return r.target, nil
		}
	}
	return usual, nil
}

// target returns the target of the first relation of a kind.
func target(relations map[string]relation, kind string) string {
	for _, r := range relations {
		if r.kind == kind && !r.external {
			return r.target
		}
	}
	return ""
}

// tree reads a part as a whole.
func (a *archive) tree(part string) (*xmlNode, error) {
	if part == "" {
		return nil, nil
	}
	body, err := a.read(part)
	if err != nil {
		return nil, err
	}
	root, err := treeOf(body)
	if err != nil {
		return nil, document.Damaged(a.kind, err)
	}
	return root, nil
}

// properTitle returns the title in a file's properties, unless a program invented it.
func (a *archive) properTitle() string {
	body, err := a.read("docProps/core.xml")
	if err != nil {
		return ""
	}
	root, err := treeOf(body)
	if err != nil || root.kid("title") == nil {
		return ""
	}
	title := document.Line(root.kid("title").text)
	for _, made := range []string{"PowerPoint", "Microsoft Word - ", "Untitled", "Slide 1"} {
		if strings.HasPrefix(title, made) {
			return ""
		}
	}
	return title
}

// link turns text into a link to an external address, if people can follow it. A telephone
// number stands behind the text.
func link(text string, r relation) string {
	core := strings.TrimSpace(text)
	to, err := url.Parse(strings.TrimSpace(r.target))
	if err != nil || !r.external || document.Line(text) == "" {
		return text
	}
	lead, rest, _ := strings.Cut(text, core)
	if to.Scheme == "" && strings.HasPrefix(strings.ToLower(to.Path), "www.") {
		to, err = url.Parse("http://" + strings.TrimSpace(r.target))
	}
	switch {
	case err != nil:
		return text
	case to.Scheme == "tel" || to.Scheme == "callto" || to.Scheme == "sms":
		if digitsOf(to.Opaque) == "" || strings.Contains(digitsOf(core), digitsOf(to.Opaque)) {
			return text
		}
		return lead + core + " (" + document.Escape(to.Opaque) + ")" + rest
	case to.Scheme != "http" && to.Scheme != "https" && to.Scheme != "mailto":
		return text
	}
	address := strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E").Replace(to.String())
	return lead + "[" + core + "](" + address + ")" + rest
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}
