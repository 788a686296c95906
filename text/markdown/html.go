package markdown

import (
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

var htmlRenderer = renderer.NewRenderer(renderer.WithNodeRenderers(
	util.Prioritized(safeNodes{}, 100),
	util.Prioritized(extension.NewTableHTMLRenderer(
		extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
	util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
	util.Prioritized(extension.NewTaskCheckBoxHTMLRenderer(), 500),
	util.Prioritized(goldhtml.NewRenderer(), 1000),
))

func toHTML(markdown string, allow Hosts) string {
	source := widened([]byte(markdown))
	doc := parse(source)
	if doc == nil {
		return verbatim(markdown)
	}
	withholdImages(doc, source, allow)
	var out bytes.Buffer
	if err := htmlRenderer.Render(&out, source, doc); err != nil {
		return verbatim(markdown)
	}
	// References such as &#7; have become characters: clean them once more,
	// before the policy, which has the last word.
	return strings.TrimRight(policy.Sanitize(clean(out.String())), "\n")
}

// verbatim shows Markdown as it was written.
func verbatim(markdown string) string {
	return "<pre>" + html.EscapeString(markdown) + "</pre>"
}

// withholdImages replaces the images that may not be fetched by their
// alternative text. The renderer and the policy are the same for all chatbots,
// so this is the one place that knows the allowed hosts.
func withholdImages(doc ast.Node, source []byte, allow Hosts) {
	var withheld []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		image, ok := n.(*ast.Image)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		if target := linkTarget(image.Destination); target == nil || !allow.allow(target) {
			withheld = append(withheld, image)
		}
		return ast.WalkSkipChildren, nil
	})
	for _, image := range withheld {
		alt := ast.NewString([]byte(inlineText(image, source)))
		alt.SetRaw(true)
		image.Parent().ReplaceChild(image.Parent(), image, alt)
	}
}

// safeNodes renders what can lead out of the page.
type safeNodes struct{}

// RegisterFuncs takes these nodes over from goldmark's own renderer.
func (safeNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindAutoLink, renderAutoLink)
	r.Register(ast.KindImage, renderImage)
	r.Register(ast.KindRawHTML, renderRawHTML)
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
}

func renderLink(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	link := n.(*ast.Link)
	target := linkTarget(link.Destination)
	switch {
	case target == nil:
	case entering:
		openLink(w, target.String(), link.Title)
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func renderAutoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := n.(*ast.AutoLink)
	label := util.EscapeHTML(link.Label(source))
	target := autoLinkTarget(link, source)
	if target == nil {
		_, _ = w.Write(label)
		return ast.WalkContinue, nil
	}
	openLink(w, target.String(), nil)
	_, _ = w.Write(label)
	_, _ = w.WriteString("</a>")
	return ast.WalkContinue, nil
}

func openLink(w util.BufWriter, href string, title []byte) {
	_, _ = w.WriteString(`<a href="` + html.EscapeString(href) + `"`)
	writeTitle(w, title)
	_, _ = w.WriteString(` rel="` + linkRel + `">`)
}

func renderImage(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	image := n.(*ast.Image)
	if target := linkTarget(image.Destination); target != nil {
		_, _ = w.WriteString(`<img src="` + html.EscapeString(target.String()) + `"`)
		_, _ = w.WriteString(` alt="` + html.EscapeString(inlineText(image, source)) + `"`)
		writeTitle(w, image.Title)
		_, _ = w.WriteString(">")
	}
	return ast.WalkSkipChildren, nil
}

func writeTitle(w util.BufWriter, title []byte) {
	if len(title) == 0 {
		return
	}
	_, _ = w.WriteString(` title="`)
	goldhtml.DefaultWriter.Write(w, title)
	_, _ = w.WriteString(`"`)
}

func renderRawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	tag := n.(*ast.RawHTML)
	switch written := strings.ToLower(string(tag.Segments.Value(source))); {
	case written == "<sup>", written == "</sup>", written == "<sub>", written == "</sub>":
		_, _ = w.WriteString(written)
	case breaksLine(tag, source):
		_, _ = w.WriteString("<br>\n")
	default:
		_, _ = w.WriteString(html.EscapeString(altOf(tag.Segments.Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

func renderHTMLBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	if text := textOfHTML(n.(*ast.HTMLBlock), source); text != "" {
		_, _ = w.WriteString("<p>" + html.EscapeString(text) + "</p>\n")
	}
	return ast.WalkContinue, nil
}
