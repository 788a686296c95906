package html

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/extract/document"
	"parley/text/raised"

	nethtml "golang.org/x/net/html"
)

var (
	raisedStyle  = regexp.MustCompile(`(?i)vertical-align\s*:\s*super`)
	loweredStyle = regexp.MustCompile(`(?i)vertical-align\s*:\s*sub`)
	raisedClass  = regexp.MustCompile(`(?i)(?:^|\s)(?:sup|superscript)(?:$|\s)`)
	loweredClass = regexp.MustCompile(`(?i)(?:^|\s)(?:sub|subscript)(?:$|\s)`)
	twoDigits    = regexp.MustCompile(`^\d\d$`)
	priceBefore  = regexp.MustCompile(`[$€£¥₹]\s?\d[\d.,]*$`)
	priceAfter   = regexp.MustCompile(`^\s*(?:[$€£¥₹]|EUR|USD|CHF|GBP)`)
	hourBefore   = regexp.MustCompile(`(?:^|[^\d.,])[012]?\d$`)
	hourAfter    = regexp.MustCompile(`^\s*(?:Uhr|h\b|[ap]\.?m\b)`)
)

// isRaised and isLowered recognize superscripts and subscripts.
func isRaised(e *node) bool {
	return element(e, "sup") || inline(e) && (raisedStyle.MatchString(attr(e, "style")) || raisedClass.MatchString(attr(e, "class")))
}

func isLowered(e *node) bool {
	return element(e, "sub") || inline(e) && (loweredStyle.MatchString(attr(e, "style")) || loweredClass.MatchString(attr(e, "class")))
}

func inline(e *node) bool { return element(e, "span", "font", "small", "em", "i", "b") }

// shapeRaised writes a superscript or subscript in characters. One with a link is a
// reference to a note, and stays a link.
func shapeRaised(e *node) {
	text := document.Line(textOf(e))
	if text == "" || first(e, "a", "img") != nil {
		return
	}
	if isLowered(e) {
		replace(e, newText(raised.Sub(text)))
		return
	}
	before := textBefore(e)
	if stroke, below := denominator(e); below != nil {
		replace(e, newText(raised.Fraction(before, text, textOf(below))))
		remove(stroke)
		remove(below)
		return
	}
	replace(e, newText(superscript(before, text, textAfter(e))))
}

// denominator returns the stroke and the subscript that follow a numerator.
func denominator(e *node) (stroke, below *node) {
	stroke = e.NextSibling
	if stroke == nil || !isLowered(stroke.NextSibling) {
		return nil, nil
	}
	if sign := strings.TrimSpace(nodeText(stroke)); sign != "/" && sign != "⁄" && sign != "∕" {
		return nil, nil
	}
	return stroke, stroke.NextSibling
}

func nodeText(n *node) string {
	if n.Type == nethtml.TextNode {
		return n.Data
	}
	return textOf(n)
}

// superscript is the text of a superscript. Shops raise cents, and offices minutes.
func superscript(before, text, after string) string {
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case strings.EqualFold(text, "TM"):
		return "™"
	case strings.EqualFold(text, "SM"):
		return "℠"
	case strings.IndexFunc(text, isWord) < 0 || first == '.' || first == ',':
		return text
	case twoDigits.MatchString(text) && (priceBefore.MatchString(before) || priceAfter.MatchString(after) && !strings.HasSuffix(before, "10")):
		return "." + text
	case twoDigits.MatchString(text) && text < "60" && hourBefore.MatchString(before) && (first == '0' || hourAfter.MatchString(after)):
		return ":" + text
	}
	return raised.Super(before, text)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

const (
	// nearby is how many bytes of text textBefore and textAfter look at, and
	// maxSteps how many nodes they visit.
	nearby, maxSteps = 16, 100
)

var blocks = []string{
	"address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption",
	"figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section", "summary",
	"table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
}

func block(n *node) bool { return element(n, blocks...) }

// textBefore returns the end of the text that stands before a node in its line.
func textBefore(n *node) string {
	text := ""
	for step := 0; step < maxSteps && len(text) < nearby; step++ {
		if n.PrevSibling == nil {
			if n = n.Parent; n == nil || block(n) {
				break
			}
			continue
		}
		n = n.PrevSibling
		for n.LastChild != nil && !block(n) && step < maxSteps {
			n = n.LastChild
			step++
		}
		if block(n) {
			break
		}
		if n.Type == nethtml.TextNode {
			text = n.Data[max(0, len(n.Data)-nearby):] + text
		}
	}
	return text
}

// textAfter returns the start of the text that follows a node.
func textAfter(n *node) string {
	next := n.NextSibling
	for step := 0; next != nil && step < maxSteps; step++ {
		if next.Type == nethtml.TextNode {
			return next.Data[:min(len(next.Data), nearby)]
		}
		if block(next) {
			return ""
		}
		next = next.FirstChild
	}
	return ""
}

// shapeMath writes a formula in MathML as one line of text.
func shapeMath(math *node) {
	var b strings.Builder
	writeMath(&b, math)
	replace(math, newText(document.Line(b.String())))
}

func writeMath(b *strings.Builder, n *node) {
	if n.Type == nethtml.TextNode {
		b.WriteString(n.Data)
		return
	}
	var parts []string
	switch n.Data {
	case "annotation", "annotation-xml":
		return // the formula once more
	case "msup", "msub", "msubsup", "mfrac", "mroot":
		for e := range n.ChildNodes() {
			if e.Type == nethtml.ElementNode {
				var part strings.Builder
				writeMath(&part, e)
				parts = append(parts, document.Line(part.String()))
			}
		}
	}
	switch {
	case n.Data == "msqrt":
		b.WriteString("√(")
		defer b.WriteString(")")
	case n.Data == "msup" && len(parts) == 2:
		b.WriteString(parts[0] + raised.Super(parts[0], parts[1]))
		return
	case n.Data == "msub" && len(parts) == 2:
		b.WriteString(parts[0] + raised.Sub(parts[1]))
		return
	case n.Data == "msubsup" && len(parts) == 3:
		low := raised.Sub(parts[1])
		b.WriteString(parts[0] + low + raised.Super(low, parts[2]))
		return
	case n.Data == "mfrac" && len(parts) == 2:
		b.WriteString(raised.Fraction("", operand(parts[0]), operand(parts[1])))
		return
	case n.Data == "mroot" && len(parts) == 2:
		b.WriteString(raised.Super("", parts[1]) + "√(" + parts[0] + ")")
		return
	}
	for c := range n.ChildNodes() {
		writeMath(b, c)
	}
}

// operand is a part of a fraction, in parentheses unless it is one word.
func operand(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !isWord(r) && r != '.' && r != ',' }) < 0 {
		return text
	}
	return "(" + text + ")"
}

// shapeRuby writes a word with its reading in parentheses behind it, where the page
// shows it above.
func shapeRuby(ruby *node) {
	var word, reading strings.Builder
	writeRuby(&word, &reading, ruby, false)
	text := document.Line(word.String())
	if above := document.Line(reading.String()); above != "" {
		text += "（" + above + "）"
	}
	replace(ruby, newText(text))
}

func writeRuby(word, reading *strings.Builder, n *node, above bool) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == nethtml.TextNode && above:
			reading.WriteString(strings.TrimSpace(c.Data))
		case c.Type == nethtml.TextNode:
			word.WriteString(c.Data)
		case !element(c, "rp"):
			writeRuby(word, reading, c, above || element(c, "rt", "rtc"))
		}
	}
}
