package markdown

import (
	"bytes"
	"regexp"

	"parley/text/fence"
)

// mostAdded bounds how many columns a table gets beyond those that it has a header for.
const mostAdded = 64

// rule matches the line below a table's header, which is no item of a list.
var rule = regexp.MustCompile(`^[ \t>]*(?:\|[ \t]*:?-+|:-+|-[|:-]+):?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

// widened gives tables a column for each cell of their longest row. GitHub's Markdown leaves
// out the cells of a row that has more than the header.
func widened(source []byte) []byte {
	if !bytes.Contains(source, []byte("|")) {
		return source
	}
	lines := bytes.Split(source, []byte("\n"))
	var code fence.Lines
	changed := false
	for i, end := 0, 0; i < len(lines); i++ {
		if code.Code(string(lines[i])) || i == 0 || i < end || !bytes.Contains(lines[i], []byte("|")) || !rule.Match(lines[i]) {
			continue
		}
		columns := cells(lines[i])
		if cells(lines[i-1]) != columns {
			continue
		}
		longest, rows := longestOf(lines[i+1:])
		end = i + 1 + rows
		if added := longest - columns; added > 0 && added <= mostAdded {
			lines[i-1] = append(closed(lines[i-1]), bytes.Repeat([]byte(" |"), added)...)
			lines[i] = append(closed(lines[i]), bytes.Repeat([]byte("-|"), added)...)
			changed = true
		}
	}
	if !changed {
		return source
	}
	return bytes.Join(lines, []byte("\n"))
}

// longestOf returns how many rows lines begin with, and how many cells the longest of them has.
func longestOf(lines [][]byte) (longest, rows int) {
	for _, line := range lines {
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		longest, rows = max(longest, cells(line)), rows+1
	}
	return longest, rows
}

// closed returns a row with a bar at its end, in memory of its own.
func closed(row []byte) []byte {
	row = bytes.Clone(bytes.TrimRight(row, " \t"))
	if !endsInBar(row) {
		row = append(row, '|')
	}
	return row
}

// cells returns how many cells a row has.
func cells(row []byte) int {
	row = bytes.Trim(row, " \t>")
	if len(row) == 0 {
		return 0
	}
	bars := 0
	for i, b := range row {
		if b == '|' && (i == 0 || row[i-1] != '\\') {
			bars++
		}
	}
	if row[0] == '|' {
		bars--
	}
	if len(row) > 1 && endsInBar(row) {
		bars--
	}
	return bars + 1
}

func endsInBar(row []byte) bool {
	return bytes.HasSuffix(row, []byte("|")) && !bytes.HasSuffix(row, []byte(`\|`))
}
