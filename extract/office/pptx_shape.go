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
	case "title", "ctrTitle", "sldNum", "dt", "ftr", "hdr":
		return
	}
	s.listed = false
	body := sp.kid("txBody")
	if body == nil {
		return
	}
	for _, p := range body.kids {
		if p.name != "p" {
			continue
		}
		properties := p.kid("pPr")
		bullet := (kind == "body" || kind == "obj") && properties.kid("buNone") == nil ||
			properties.kid("buChar") != nil || properties.kid("buAutoNum") != nil
		level, _ := strconv.Atoi(properties.attr("lvl"))
		s.paragraph(s.text(p), bullet, level)
	}
}

func (s *slide) paragraph(text string, bullet bool, level int) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if !bullet {
		s.doc.Block(strings.TrimSpace(text))
		s.listed = false
		return
	}
	depth := 0
	if s.listed {
		depth = min(max(level, 0), s.depth+1)
	}
	text = strings.Repeat("    ", depth) + "- " + document.Line(text)
	if s.listed {
		s.doc.Follow(text)
	} else {
		s.doc.Block(text)
	}
	s.listed, s.depth = true, depth
}

// text returns a paragraph as Markdown, with its links.
func (s *slide) text(p *xmlNode) string {
	var b strings.Builder
	for _, k := range p.kids {
		switch k.name {
		case "r", "fld":
			t := k.kid("t")
			if t == nil {
				continue
			}
			text := document.EscapeAfter(b.String(), t.text)
			if click := k.kid("rPr", "hlinkClick"); click != nil {
				text = link(text, s.relations[click.attr("id")])
			}
			b.WriteString(text)
		case "br":
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// graphic writes a table or the texts of a diagram.
func (s *slide) graphic(data *xmlNode) error {
	s.listed = false
	if t := data.kid("tbl"); t != nil {
		s.doc.WriteTable(s.rows(t))
		return nil
	}
	ids := data.kid("relIds")
	if ids == nil {
		return nil
	}
	diagram, err := s.archive.tree(s.relations[ids.attr("dm")].target)
	if err != nil {
		return err
	}
	diagram.each("pt", func(point *xmlNode) {
		point.kid("t").each("p", func(p *xmlNode) { s.paragraph(document.Escape(plainText(p)), true, 0) })
	})
	return nil
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
			if at := len(cells); tc.attr("vMerge") == "1" && len(rows) > 0 && at < len(rows[len(rows)-1]) {
				text = rows[len(rows)-1][at]
			} else if tc.attr("hMerge") == "1" && at > 0 {
				text = cells[at-1]
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	return rows
}
