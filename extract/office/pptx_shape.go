package office

import (
	"strconv"
	"strings"

	"parley/extract/document"
)

// shapes writes the text of a slide's shapes in order.
func (s *slide) shapes(tree *xmlNode) error {
	if tree == nil {
		return nil
	}
	for _, k := range tree.kids {
		switch k.name {
		case "sp":
			s.shape(k)
		case "grpSp", "AlternateContent", "Choice":
			if err := s.shapes(k); err != nil {
				return err
			}
		case "graphicFrame":
			if err := s.graphic(k.kid("graphic", "graphicData")); err != nil {
				return err
			}
		}
	}
	return nil
}

// shape writes the paragraphs of a shape. In the layout's body, paragraphs are bullets
// unless they say otherwise; in a text box they are text unless they have a bullet.
func (s *slide) shape(sp *xmlNode) {
	kind := placeholder(sp)
	switch kind {
	case "sldNum", "dt", "ftr", "hdr":
		return
	}
	if sp == s.title {
		return
	}
	s.listed = false
	numbers := &bulletNumbers{}
	body := sp.kid("txBody")
	if body == nil {
		return
	}
	for _, p := range body.kids {
		if p.name != "p" {
			continue
		}
		properties := p.kid("pPr")
		level, _ := strconv.Atoi(properties.attr("lvl"))
		text, mark := s.text(p), ""
		switch auto := properties.kid("buAutoNum"); {
		case strings.TrimSpace(text) == "":
		case auto != nil:
			mark = numbers.next(level, auto)
		default:
			numbers.end(level)
			if (kind == "body" || kind == "obj") && properties.kid("buNone") == nil || properties.kid("buChar") != nil {
				mark = "-"
				if sign := bulletSign(properties); sign != "" {
					mark += " " + sign
				}
			}
		}
		s.paragraph(text, mark, level)
	}
}

// bulletSign returns the check mark of a bullet. Other bullets say nothing.
func bulletSign(properties *xmlNode) string {
	sign := symbols(properties.kid("buFont").attr("typeface"), "", properties.kid("buChar").attr("char"))
	if sign != "" && strings.Contains(checkMarks, sign) {
		return sign
	}
	return ""
}

// bulletNumbers counts the numbered paragraphs of a shape.
type bulletNumbers struct {
	kinds  [9]string
	counts [9]int
}

// next returns the mark of the next paragraph: "3.", or "- b)" for what Markdown does not have.
func (n *bulletNumbers) next(level int, auto *xmlNode) string {
	level = min(max(level, 0), 8)
	n.end(level + 1)
	kind := auto.attr("type") + auto.attr("startAt")
	if n.kinds[level] != kind {
		start, err := strconv.Atoi(auto.attr("startAt"))
		if err != nil {
			start = 1
		}
		n.kinds[level], n.counts[level] = kind, start-1
	}
	n.counts[level]++
	return drawnNumeral(auto.attr("type"), n.counts[level])
}

// end begins anew at a level and below it.
func (n *bulletNumbers) end(level int) {
	for i := max(level, 0); i < len(n.kinds); i++ {
		n.kinds[i] = ""
	}
}

// drawnNumeral writes a mark in a scheme (ECMA-376, part 1, section 20.1.10.61).
func drawnNumeral(scheme string, n int) string {
	format := "decimal"
	for prefix, of := range map[string]string{"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman", "circleNum": "decimalEnclosedCircle"} {
		if strings.HasPrefix(scheme, prefix) {
			format = of
		}
	}
	text := document.Numeral(n, format)
	if format == "decimal" && !strings.HasSuffix(scheme, "ParenBoth") && n >= 0 && n < 1e9 {
		return text + "."
	}
	switch {
	case strings.HasSuffix(scheme, "ParenBoth"):
		text = "(" + text + ")"
	case strings.HasSuffix(scheme, "ParenR"):
		text += ")"
	case strings.HasSuffix(scheme, "Period"):
		text += "."
	}
	return "- " + document.Escape(text)
}

// paragraph writes a paragraph, with the mark of a list if it has one.
func (s *slide) paragraph(text, mark string, level int) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if mark == "" {
		s.doc.Block(strings.TrimSpace(text))
		s.listed = false
		return
	}
	depth := 0
	if s.listed {
		depth = min(max(level, 0), s.depth+1)
	}
	text = strings.Repeat("    ", depth) + mark + " " + document.Line(text)
	dashed := strings.HasPrefix(mark, "-")
	if s.listed && (depth > 0 || dashed == s.dashed) {
		s.doc.Follow(text)
	} else {
		s.doc.Block(text)
	}
	if depth == 0 {
		s.dashed = dashed
	}
	s.listed, s.depth = true, depth
}

// text returns a paragraph as Markdown, with its links.
func (s *slide) text(p *xmlNode) string { return drawn(p, s.relations).markdown() }

// graphic writes a table, a chart or the texts of a diagram.
func (s *slide) graphic(data *xmlNode) error {
	s.listed = false
	if t := data.kid("tbl"); t != nil {
		s.doc.WriteTable(s.rows(t))
		return nil
	}
	title, rows, err := s.archive.chart(s.relations, data)
	if err != nil {
		return err
	}
	s.doc.Block(document.Escape(title))
	s.doc.WriteTable(rows)
	texts, err := s.archive.diagram(s.relations, data)
	if err == nil {
		noteGraphic(data, rows, texts, &s.doc.Notes)
	}
	for _, text := range texts {
		s.paragraph(text, "-", 0)
	}
	return err
}

// rows returns the cells of a table. A merged cell repeats the one that it is
// merged into.
func (s *slide) rows(t *xmlNode) [][]string {
	var rows [][]string
	for _, tr := range t.kids {
		if tr.name != "tr" {
			continue
		}
		var cells []string
		for _, tc := range tr.kids {
			if tc.name != "tc" || len(cells) > document.MaxColumns {
				continue
			}
			var parts []string
			tc.kid("txBody").each("p", func(p *xmlNode) { parts = append(parts, s.text(p)) })
			text := document.Line(strings.Join(parts, " "))
			if at := len(cells); isOn(tc.attr("vMerge")) && len(rows) > 0 && at < len(rows[len(rows)-1]) {
				text = rows[len(rows)-1][at]
			} else if isOn(tc.attr("hMerge")) && at > 0 {
				text = cells[at-1]
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	return rows
}

func isOn(value string) bool { return value == "1" || value == "true" }
