package office

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/extract/document"
)

// numbering counts the items of a document's lists (ECMA-376, part 1, section
// 17.9).
type numbering struct {
	// lists maps the ids of instances to their levels.
	lists map[string]*numberedList
	// restarts are the levels at which an instance begins anew.
	restarts map[string]map[int]bool
}

// numberedList is an instance of a list. Instances of one definition count together.
type numberedList struct {
	levels *[9]numberLevel
	counts *counts
}

type counts struct {
	at   [9]int
	used [9]bool
}

type numberLevel struct {
	format, text, style string
	start               int
	// after is the level, from 1, after whose items this one begins anew: 0 means never, and
	// -1 after all above.
	after int
	// plain writes all numbers of the label in digits.
	plain bool
}

// number is what precedes a paragraph.
type number struct {
	listed bool
	level  int
	// mark is Markdown's mark: "-" or "3.".
	mark string
	// label is the number as Word shows it: "3.1" or "b)". Bullets have none.
	label string
}

func numberingOf(root, styles *xmlNode) *numbering {
	n := &numbering{lists: make(map[string]*numberedList), restarts: make(map[string]map[int]bool)}
	definitions, linked := make(map[string]*xmlNode), make(map[string]*xmlNode)
	instances, byStyle := make(map[string]*xmlNode), make(map[string]string)
	root.each("abstractNum", func(d *xmlNode) {
		definitions[d.attr("abstractNumId")] = d
		if style := d.val("styleLink"); style != "" && d.val("numStyleLink") == "" {
			linked[style] = d
		}
	})
	root.each("num", func(i *xmlNode) { instances[i.attr("numId")] = i })
	styles.each("style", func(s *xmlNode) {
		if id := s.val("pPr", "numPr", "numId"); s.attr("type") == "numbering" && id != "" {
			byStyle[s.attr("styleId")] = id
		}
	})
	// definitionOf follows the links of list styles, which may be a circle.
	definitionOf := func(instance *xmlNode) *xmlNode {
		d := definitions[instance.val("abstractNumId")]
		for range 10 {
			style := d.val("numStyleLink")
			if style == "" {
				break
			}
			if next := linked[style]; next != nil {
				return next
			}
			d = definitions[instances[byStyle[style]].val("abstractNumId")]
		}
		return d
	}
	read, count := make(map[*xmlNode]*numberedList), make(map[*xmlNode]*counts)
	for _, id := range sorted(instances) {
		d := definitionOf(instances[id])
		if d == nil {
			continue
		}
		if read[d] == nil {
			read[d], count[d] = listOf(d), &counts{}
		}
		list := &numberedList{read[d].levels, count[d]}
		n.lists[id] = list
		n.override(id, list, instances[id])
	}
	return n
}

func listOf(definition *xmlNode) *numberedList {
	list := &numberedList{levels: &[9]numberLevel{}}
	definition.each("lvl", func(l *xmlNode) {
		if i, ok := levelOf(l); ok {
			list.levels[i] = numberLevelOf(l)
		}
	})
	return list
}

// override applies what an instance changes of its definition.
func (n *numbering) override(id string, list *numberedList, instance *xmlNode) {
	instance.each("lvlOverride", func(o *xmlNode) {
		i, ok := levelOf(o)
		if !ok {
			return
		}
		own := *list.levels
		list.levels = &own
		if l := o.kid("lvl"); l != nil {
			list.levels[i] = numberLevelOf(l)
		}
		if start, err := strconv.Atoi(o.val("startOverride")); err == nil {
			list.levels[i].start = start
			if n.restarts[id] == nil {
				n.restarts[id] = make(map[int]bool)
			}
			n.restarts[id][i] = true
		}
	})
}

func levelOf(n *xmlNode) (int, bool) {
	i, err := strconv.Atoi(n.attr("ilvl"))
	return i, err == nil && i >= 0 && i < 9
}

func numberLevelOf(l *xmlNode) numberLevel {
	level := numberLevel{text: l.val("lvlText"), style: l.val("pStyle"), after: -1, plain: l.on("isLgl")}
	level.start, _ = strconv.Atoi(l.val("start"))
	if restart, err := strconv.Atoi(l.val("lvlRestart")); err == nil {
		level.after = restart
	}
	l.each("numFmt", func(format *xmlNode) { // the choice of a newer format stands before its fallback
		if level.format != "" {
			return
		}
		if level.format = format.attr("val"); level.format == "custom" {
			first, _, _ := strings.Cut(format.attr("format"), ",")
			level.format = "custom:" + document.Clip(first, 20)
		}
	})
	if level.format == "" && strings.Contains(level.text, "%") {
		level.format = "decimal"
	}
	if level.format == "bullet" {
		level.text = bulletText(l, level.text)
	}
	return level
}

const checkMarks = "✓✔✗✘☐☑☒✕✖❌✅"

// bulletText returns the words or the check mark of a bullet. Other bullets say nothing.
func bulletText(l *xmlNode, text string) string {
	text = document.Line(symbols(l.kid("rPr", "rFonts").attr("ascii"), "", text))
	if strings.Contains(checkMarks, text) || utf8.RuneCountInString(text) > 1 && strings.ContainsFunc(text, unicode.IsLetter) {
		return text
	}
	return ""
}

// next counts a paragraph and returns its number.
func (n *numbering) next(properties *xmlNode, style *wordStyle) number {
	id, at := properties.val("numPr", "numId"), properties.val("numPr", "ilvl")
	byStyle := style != nil && id == ""
	if byStyle {
		id = style.numID
	}
	list := n.lists[id]
	if list == nil {
		return number{}
	}
	if style != nil && at == "" {
		if at = style.level; byStyle && at == "" {
			at = list.levelOfStyle(style)
		}
	}
	level, _ := strconv.Atoi(at)
	if level < 0 || level > 8 {
		return number{}
	}
	c := list.counts
	switch {
	case n.restarts[id][level]:
		c.at[level] = list.levels[level].start
		delete(n.restarts[id], level)
	case !c.used[level]:
		c.at[level] = list.levels[level].start
	default:
		c.at[level]++
	}
	c.used[level] = true
	for deeper := level + 1; deeper < 9; deeper++ {
		if after := list.levels[deeper].after; after < 0 || level < after {
			c.used[deeper] = false
		}
	}
	return list.number(level)
}

// levelOfStyle returns the level that names a style or the one its number comes from.
func (l *numberedList) levelOfStyle(style *wordStyle) string {
	for i, level := range l.levels {
		if level.style != "" && (level.style == style.id || level.style == style.numbered) {
			return strconv.Itoa(i)
		}
	}
	return ""
}

// number returns the current number of a level. Markdown has only plain numbers,
// so others, such as 3.1 or (b), become text after a dash.
func (l *numberedList) number(level int) number {
	own := l.levels[level]
	if own.format == "bullet" || own.format == "" || own.format == "none" && own.text == "" {
		mark := "-"
		if own.text != "" {
			mark += " " + document.Escape(own.text)
		}
		return number{listed: true, level: level, mark: mark}
	}
	label := own.text
	for i := range level + 1 {
		format, count := l.levels[i].format, l.levels[i].start
		if own.plain && format != "none" {
			format = "decimal"
		}
		if l.counts.used[i] {
			count = l.counts.at[i]
		}
		label = strings.ReplaceAll(label, "%"+strconv.Itoa(i+1), document.Numeral(count, format))
	}
	label = document.Line(label)
	plain := "%" + strconv.Itoa(level+1)
	if count := l.counts.at[level]; own.format == "decimal" && count >= 0 && count < 1e9 && (own.text == plain+"." || own.text == plain+")" || own.text == plain) {
		return number{true, level, strconv.Itoa(count) + ".", label}
	}
	return number{true, level, strings.TrimSpace("- " + document.Escape(label)), label}
}
