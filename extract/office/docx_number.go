package office

import (
	"strconv"
	"strings"

	"parley/extract/document"
)

// numbering counts the items of a document's lists (ECMA-376, part 1, section
// 17.9).
type numbering struct {
	// lists maps the ids of instances to their abstract definitions.
	lists    map[string]*numberedList
	restarts map[string]map[int]int
}

type numberedList struct {
	levels [9]numberLevel
	counts [9]int
}

type numberLevel struct {
	format, text string
	start        int
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

func numberingOf(root *xmlNode) *numbering {
	n := &numbering{lists: make(map[string]*numberedList), restarts: make(map[string]map[int]int)}
	abstract := make(map[string]*numberedList)
	root.each("abstractNum", func(definition *xmlNode) {
		list := &numberedList{}
		definition.each("lvl", func(l *xmlNode) {
			if i, err := strconv.Atoi(l.attr("ilvl")); err == nil && i >= 0 && i < 9 {
				start, _ := strconv.Atoi(l.val("start"))
				list.levels[i] = numberLevel{format: l.val("numFmt"), text: l.val("lvlText"), start: start}
			}
		})
		abstract[definition.attr("abstractNumId")] = list
	})
	root.each("num", func(instance *xmlNode) {
		id := instance.attr("numId")
		n.lists[id] = abstract[instance.val("abstractNumId")]
		instance.each("lvlOverride", func(o *xmlNode) {
			level, err := strconv.Atoi(o.attr("ilvl"))
			start, wrong := strconv.Atoi(o.val("startOverride"))
			if err == nil && wrong == nil && level >= 0 && level < 9 {
				if n.restarts[id] == nil {
					n.restarts[id] = make(map[int]int)
				}
				n.restarts[id][level] = start
			}
		})
	})
	return n
}

// next counts a paragraph and returns its number.
func (n *numbering) next(properties *xmlNode, style *wordStyle) number {
	id, at := properties.val("numPr", "numId"), properties.val("numPr", "ilvl")
	if style != nil && id == "" {
		id = style.numID
	}
	if style != nil && at == "" {
		at = style.level
	}
	level, _ := strconv.Atoi(at)
	list := n.lists[id]
	if list == nil || level < 0 || level > 8 {
		return number{}
	}
	if start, again := n.restarts[id][level]; again {
		list.counts[level] = start - 1
		delete(n.restarts[id], level)
	} else if list.counts[level] == 0 {
		list.counts[level] = list.levels[level].start - 1
	}
	list.counts[level]++
	for deeper := level + 1; deeper < 9; deeper++ {
		list.counts[deeper] = 0
	}
	return list.number(level)
}

// number returns the current number of a level. Markdown has only plain numbers,
// so others, such as 3.1 or (b), become text after a dash.
func (l *numberedList) number(level int) number {
	own := l.levels[level]
	if own.format == "bullet" || own.format == "none" || own.format == "" {
		return number{listed: true, level: level, mark: "-"}
	}
	label := own.text
	for i := range level + 1 {
		label = strings.ReplaceAll(label, "%"+strconv.Itoa(i+1), numeral(max(l.counts[i], 1), l.levels[i].format))
	}
	label = document.Line(label)
	plain := "%" + strconv.Itoa(level+1)
	if own.format == "decimal" && (own.text == plain+"." || own.text == plain+")" || own.text == plain) {
		return number{true, level, strconv.Itoa(l.counts[level]) + ".", label}
	}
	return number{true, level, strings.TrimSpace("- " + document.Escape(label)), label}
}

// numeral writes a number in a numbering format.
func numeral(n int, format string) string {
	switch {
	case format == "lowerLetter" && n <= 26:
		return string(rune('a' + n - 1))
	case format == "upperLetter" && n <= 26:
		return string(rune('A' + n - 1))
	case format == "lowerRoman":
		return strings.ToLower(roman(n))
	case format == "upperRoman":
		return roman(n)
	}
	return strconv.Itoa(n)
}

func roman(n int) string {
	if n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, digit := range []struct {
		value int
		text  string
	}{
		{1000, "M"},
		{900, "CM"},
		{500, "D"},
		{400, "CD"},
		{100, "C"},
		{90, "XC"},
		{50, "L"},
		{40, "XL"},
		{10, "X"},
		{9, "IX"},
		{5, "V"},
		{4, "IV"},
		{1, "I"},
	} {
		for ; n >= digit.value; n -= digit.value {
			b.WriteString(digit.text)
		}
	}
	return b.String()
}
