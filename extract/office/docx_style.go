package office

import (
	"regexp"
	"strconv"
	"strings"
)

// wordStyle is a style of paragraphs or characters with what it inherits.
type wordStyle struct {
	id, name string
	// outline is the level of its heading from 1, or 0.
	outline int
	numID   string
	level   string
	// numbered is the style that numID comes from.
	numbered   string
	properties *xmlNode
	basedOn    string
	// runs are the properties of its characters that change what a text says.
	runs map[string]*xmlNode
	own  *xmlNode
}

// runNames are the properties in [wordStyle.runs].
var runNames = []string{"vertAlign", "strike", "dstrike", "vanish", "rFonts"}

func (s *wordStyle) run(name string) *xmlNode {
	if s == nil {
		return nil
	}
	return s.runs[name]
}

// headingName matches the names of heading styles: in English, or as programs
// other than Word translate them.
var headingName = regexp.MustCompile(`^(?i:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|nagłówek|nadpis|заголовок|otsikko|见出し|見出し|标题|標題) ?([1-9])$`)

func stylesOf(root *xmlNode) map[string]*wordStyle {
	styles := make(map[string]*wordStyle)
	root.each("style", func(n *xmlNode) {
		if kind := n.attr("type"); kind != "paragraph" && kind != "character" {
			return
		}
		styles[n.attr("styleId")] = &wordStyle{id: n.attr("styleId"), name: n.val("name"), basedOn: n.val("basedOn"), properties: n.kid("pPr"), own: n.kid("rPr")}
	})
	for _, id := range sorted(styles) {
		styles[id].inherit(styles)
	}
	return styles
}

// inherit fills in what a style takes from those it is based on. Styles may be
// based on one another in a cycle, so inherit counts the steps.
func (s *wordStyle) inherit(styles map[string]*wordStyle) {
	for from, steps := s, 0; from != nil && steps < 20; from, steps = styles[from.basedOn], steps+1 {
		for _, name := range runNames {
			if k := from.own.kid(name); k != nil && s.runs[name] == nil {
				if s.runs == nil {
					s.runs = make(map[string]*xmlNode)
				}
				s.runs[name] = k
			}
		}
		if s.outline == 0 {
			s.outline = outlineOf(from.properties)
		}
		if match := headingName.FindStringSubmatch(from.name); match != nil && s.outline == 0 {
			s.outline, _ = strconv.Atoi(match[1])
		}
		if s.numID == "" {
			if s.numID = from.properties.val("numPr", "numId"); s.numID != "" {
				s.numbered = from.id
			}
		}
		if s.level == "" {
			s.level = from.properties.val("numPr", "ilvl")
		}
	}
	if strings.EqualFold(s.name, "title") {
		s.outline = 1
	}
}

// outlineOf returns the level of a heading from 1, or 0. Level 9 is text
// (ECMA-376, part 1, section 17.3.1.20).
func outlineOf(properties *xmlNode) int {
	level, err := strconv.Atoi(properties.val("outlineLvl"))
	if err != nil || level < 0 || level > 8 {
		return 0
	}
	return level + 1
}

func (w *wordFile) level(properties *xmlNode, style *wordStyle) int {
	if level := outlineOf(properties); level > 0 || style == nil {
		return level
	}
	return style.outline
}

// isContents reports whether a paragraph belongs to a table of contents.
func (s *wordStyle) isContents() bool {
	if s == nil {
		return false
	}
	name := strings.ToLower(s.name)
	return strings.HasPrefix(name, "toc ") || name == "table of figures"
}
