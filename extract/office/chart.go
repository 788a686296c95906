package office

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"parley/extract/document"
)

// chart reads the chart that a drawing names: its titles, and as a table what its series hold.
// Programs store the values of its formulas in it (ECMA-376, part 1, section 21.2).
func (a *archive) chart(relations map[string]relation, data *xmlNode) (title string, rows [][]string, err error) {
	root, err := a.tree(relations[data.kid("chart").attr("id")].target)
	if err != nil || root == nil {
		return "", nil, err
	}
	chart := root.kid("chart")
	title = titleText(chart.kid("title"))
	c := &chartTable{date1904: root.on("date1904")}
	area := chart.kid("plotArea")
	for _, axis := range []string{"catAx", "dateAx", "serAx"} {
		if text := titleText(area.kid(axis, "title")); text != "" && c.category == "" {
			c.category = text
		}
	}
	title = withAxis(title, titleText(area.kid("valAx", "title")))
	if datas := root.kid("chartData"); datas != nil {
		c.extended(datas, area)
	} else {
		area.each("ser", c.read)
	}
	return title, c.rows(), nil
}

func withAxis(title, axis string) string {
	switch {
	case axis == "":
		return title
	case title == "":
		return axis
	}
	return title + " (" + axis + ")"
}

// titleText returns the text of a title, written there or taken from a cell.
func titleText(title *xmlNode) string {
	tx := title.kid("tx")
	var parts []string
	tx.each("p", func(p *xmlNode) { parts = append(parts, plainText(p)) })
	if len(parts) == 0 {
		tx.each("v", func(v *xmlNode) { parts = append(parts, v.text) })
	}
	return document.Line(strings.Join(parts, " "))
}

// maxLevels is how many levels of categories count.
const maxLevels = 8

// chartTable collects the series of a chart.
type chartTable struct {
	category string
	date1904 bool
	labels   map[int]string
	series   []chartSeries
	// points says that the series have coordinates in place of categories.
	points bool
}

type chartSeries struct {
	name             string
	x, values, sizes map[int]string
}

func (c *chartTable) read(ser *xmlNode) {
	s := chartSeries{name: titleText(ser), values: c.cached(ser.kid("val"))}
	if ser.kid("yVal") != nil {
		c.points = true
		s.x, s.values, s.sizes = c.cached(ser.kid("xVal")), c.cached(ser.kid("yVal")), c.cached(ser.kid("bubbleSize"))
	} else if labels := c.cached(ser.kid("cat")); len(c.labels) == 0 {
		c.labels = labels
	}
	if len(s.values) > 0 {
		c.series = append(c.series, s)
	}
}

// extended reads the series of a chart of Office 2016, which refer to data beside them.
func (c *chartTable) extended(datas, area *xmlNode) {
	byID := make(map[string]*xmlNode)
	datas.each("data", func(d *xmlNode) { byID[d.attr("id")] = d })
	area.each("series", func(n *xmlNode) {
		d := byID[n.kid("dataId").attr("val")]
		s := chartSeries{name: titleText(n), values: c.cached(d.kid("numDim"))}
		if len(c.labels) == 0 {
			c.labels = c.cached(d.kid("strDim"))
		}
		if len(s.values) > 0 {
			c.series = append(c.series, s)
		}
	})
}

// cached returns the stored values of a reference by their index. Outer categories stand
// before inner ones.
func (c *chartTable) cached(n *xmlNode) map[int]string {
	var levels []map[int]string
	var read func(n *xmlNode, format string)
	read = func(n *xmlNode, format string) {
		if own := n.kid("formatCode"); own != nil {
			format = own.text
		}
		if own := n.attr("formatCode"); own != "" {
			format = own
		}
		points := make(map[int]string)
		for _, k := range n.kids {
			if k.name != "pt" {
				read(k, format)
				continue
			}
			text := k.text
			if v := k.kid("v"); v != nil {
				text = v.text
			}
			own := format
			if of := k.attr("formatCode"); of != "" {
				own = of
			}
			if i, err := strconv.Atoi(k.attr("idx")); err == nil && document.Line(text) != "" {
				points[i] = formatted(document.Line(text), own, c.date1904)
			}
		}
		if len(points) > 0 {
			levels = append(levels, points)
		}
	}
	if n == nil {
		return nil
	}
	read(n, "")
	if len(levels) == 0 {
		return nil
	}
	found := levels[0]
	for _, outer := range levels[1:min(len(levels), maxLevels)] {
		last := ""
		for _, i := range union(found, outer) {
			last = cmp.Or(outer[i], last)
			if _, ok := found[i]; ok && last != "" {
				found[i] = last + ", " + found[i]
			}
		}
	}
	return found
}

func union(of ...map[int]string) []int {
	all := make(map[int]bool)
	for _, m := range of {
		for i := range m {
			all[i] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func (c *chartTable) rows() [][]string {
	if len(c.series) == 0 {
		return nil
	}
	if c.points {
		return c.pointRows()
	}
	head, indexes := []string{c.category}, []map[int]string{}
	for _, s := range c.series {
		head, indexes = append(head, s.name), append(indexes, s.values)
	}
	rows := [][]string{head}
	for _, i := range union(indexes...) {
		label, named := c.labels[i]
		if !named {
			label = strconv.Itoa(i + 1)
		}
		row := []string{label}
		for _, s := range c.series {
			row = append(row, s.values[i])
		}
		rows = append(rows, row)
	}
	return escaped(rows)
}

func (c *chartTable) pointRows() [][]string {
	rows := [][]string{{c.category, "x", "y"}}
	for _, s := range c.series {
		if s.sizes != nil {
			rows[0] = []string{c.category, "x", "y", "size"}
		}
		for _, i := range union(s.values) {
			row := []string{s.name, s.x[i], s.values[i]}
			if size, ok := s.sizes[i]; ok {
				row = append(row, size)
			}
			rows = append(rows, row)
		}
	}
	return escaped(rows)
}

func escaped(rows [][]string) [][]string {
	for _, row := range rows {
		for i := range row {
			row[i] = document.Escape(row[i])
		}
	}
	return rows
}

// formatted returns a number as its format shows it: as a percentage or date, or with its
// currency.
func formatted(text, format string, date1904 bool) string {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return text
	}
	format, _, _ = strings.Cut(format, ";")
	before, pattern, after := literals(format)
	if date := dateLayout(pattern); date != "" {
		if at, err := excelize.ExcelDateToTime(value, date1904); err == nil {
			return at.Format(date)
		}
	}
	if strings.Contains(pattern, "%") {
		value *= 100
		after = "%" + after
	}
	// Sums of fractions end in 0.000000001.
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 15, 64), 64)
	if math.Abs(rounded) >= 1e15 {
		return text
	}
	return strings.TrimSpace(before + strconv.FormatFloat(rounded, 'f', -1, 64) + after)
}

// literals splits a number format into the text before the number, its pattern, and the text
// after.
func literals(format string) (before, pattern, after string) {
	if strings.EqualFold(format, "general") || len(format) > 200 {
		return "", "", ""
	}
	var parts [3]strings.Builder // before, pattern, after
	at := 0
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '"':
			end := strings.IndexByte(format[i+1:], '"')
			if end < 0 {
				end = len(format) - i - 1
			}
			parts[at].WriteString(format[i+1 : i+1+end])
			i += end + 1
		case c == '[':
			end := strings.IndexByte(format[i:], ']')
			if end < 0 {
				return "", format, ""
			}
			if sign, ok := strings.CutPrefix(format[i:i+end], "[$"); ok {
				sign, _, _ = strings.Cut(sign, "-")
				parts[at].WriteString(sign)
			}
			i += end
		case c == '\\' && i+1 < len(format):
			i++
			parts[at].WriteByte(format[i])
		case c == '_' || c == '*':
			i++ // as wide as the next character, or filled with it
		case c == ' ' || c == '$' || c >= 0x80:
			parts[at].WriteByte(c)
		default:
			at = 2
			parts[1].WriteByte(c)
		}
	}
	return parts[0].String(), parts[1].String(), parts[2].String()
}

// dateLayout returns how to write the dates and times of a format, or nothing for numbers.
func dateLayout(pattern string) string {
	pattern = strings.ToLower(pattern)
	if strings.ContainsAny(pattern, "0#?%") {
		return ""
	}
	day, month, year, hour := strings.Contains(pattern, "d"), strings.Contains(pattern, "m"), strings.Contains(pattern, "y"), strings.Contains(pattern, "h")
	switch {
	case year && month && day && hour:
		return "2006-01-02 15:04"
	case year && month && day, day && month && !hour:
		return "2006-01-02"
	case year && month:
		return "2006-01"
	case year:
		return "2006"
	case hour:
		return "15:04"
	case month:
		return "January"
	}
	return ""
}

// diagram returns the texts of the diagram that a drawing names.
func (a *archive) diagram(relations map[string]relation, data *xmlNode) ([]string, error) {
	ids := data.kid("relIds")
	if ids == nil {
		return nil, nil
	}
	root, err := a.tree(relations[ids.attr("dm")].target)
	if err != nil {
		return nil, err
	}
	var texts []string
	root.each("pt", func(point *xmlNode) {
		point.kid("t").each("p", func(p *xmlNode) {
			if text := document.Line(plainText(p)); text != "" {
				texts = append(texts, document.Escape(text))
			}
		})
	})
	return texts, nil
}
