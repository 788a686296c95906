package html

import (
	"slices"
	"strconv"
	"strings"

	"parley/core/knowledge"
	"parley/extract/document"
)

// unread counts what the content of a page shows and no rule reads. It looks at the page as it came.
func unread(root *node) document.Notes {
	var notes document.Notes
	body := first(root, "body")
	if body == nil {
		return nil
	}
	if main := markedMain(body); main != nil {
		body = main
	}
	countUnread(body, &notes)
	return notes
}

// aroundContent are elements around a page's content, or without any.
var aroundContent = []string{"nav", "header", "footer", "aside", "template", "noscript", "dialog", "menu", "head", "script", "style", "button"}

// entries are the inputs into which visitors write or by which they choose.
var entries = []string{"", "text", "email", "tel", "url", "number", "date", "datetime-local", "month", "week", "time", "range", "color", "file", "radio", "checkbox"}

func countUnread(n *node, notes *document.Notes) {
	for c := range n.ChildNodes() {
		role := strings.ToLower(attr(c, "role"))
		if element(c, aroundContent...) || element(c, "div", "section", "ul", "form", "img", "svg", "iframe") && (isHidden(c) || slices.Contains(aroundRoles, role)) {
			continue
		}
		kind, whole := unreadKind(c, role)
		if kind != "" {
			notes.Add(kind, 1)
		}
		if !whole {
			countUnread(c, notes)
		}
	}
}

// unreadKind says what an element is that is not read, or nothing, and whether all within belongs to it.
func unreadKind(e *node, role string) (kind knowledge.NoteKind, whole bool) {
	if !element(e, "iframe", "frame", "object", "embed", "video", "audio", "canvas", "svg", "math-renderer", "select", "textarea", "input", "img") {
		return "", false
	}
	switch e.Data {
	case "iframe", "frame":
		if attr(e, "src") != "" && !tiny(e) || attr(e, "srcdoc") != "" {
			kind = knowledge.NoteFrame
		}
	case "object", "embed":
		kind = knowledge.NoteEmbedded
	case "video", "audio":
		kind = knowledge.NoteMedia
	case "canvas":
		kind = knowledge.NoteDrawing
	case "svg":
		if textOf(first(e, "text")) != "" { // else an icon
			kind = knowledge.NoteDiagram
		}
	case "math-renderer":
		kind = knowledge.NoteFormula
	case "select", "textarea":
		kind = knowledge.NoteForm
	case "input":
		if slices.Contains(entries, strings.ToLower(attr(e, "type"))) && role != "search" && cellOf(e) == nil {
			kind = knowledge.NoteForm
		}
	case "img":
		if silent(e, role) {
			kind = knowledge.NoteImage
		}
	}
	return kind, true
}

// silent reports whether an image says something that its description does not. An empty
// description says that it only decorates.
func silent(img *node, role string) bool {
	decorates := hasAttr(img, "alt") && strings.TrimSpace(attr(img, "alt")) == "" || role == "presentation" || role == "none"
	sourced := attr(img, "src") != "" || attr(img, "srcset") != "" || attr(img, "data-src") != ""
	return sourced && !decorates && !tiny(img) && imageText(img) == "" && cellOf(img) == nil
}

// tiny reports whether an element is as small as an icon or a pixel that counts visits.
func tiny(e *node) bool {
	for _, side := range []string{"width", "height"} {
		if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(attr(e, side)), "px")); err == nil && n <= 32 {
			return true
		}
	}
	return false
}
