package office

import (
	"strconv"
	"strings"

	"parley/extract/document"
)

// rtfSkipped are the destinations without text of the document (RTF 1.9.1).
var rtfSkipped = map[string]bool{
	"fonttbl": true, "colortbl": true, "stylesheet": true, "info": true, "pict": true, "object": true, "themedata": true,
	"colorschememapping": true, "listtable": true, "listoverridetable": true, "header": true, "footer": true, "headerl": true,
	"headerr": true, "footerl": true, "footerr": true, "rsidtbl": true, "generator": true, "xmlnstbl": true, "datastore": true,
	"latentstyles": true, "fldinst": true, "pntext": false, "bkmkstart": true, "bkmkend": true, "annotation": true, "nonshppict": true,
}

var rtfSigns = map[string]string{
	"par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "cell": " ", "tab": "\t", "emdash": "—", "endash": "–",
	"lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•", "~": "\u00a0", "_": "-",
}

// rtfText returns the text of an RTF file as Markdown: its paragraphs without their form. It
// reads each byte once, and letters outside Unicode escapes as windows-1252.
func rtfText(body []byte) string {
	type group struct {
		skipped bool
		// after is how many characters stand in for a Unicode escape.
		after int
	}
	var out strings.Builder
	groups := []group{{after: 1}}
	skip := 0
	write := func(text string) {
		if !groups[len(groups)-1].skipped {
			out.WriteString(text)
		}
	}
	letter := func(c byte) {
		if skip > 0 {
			skip--
			return
		}
		if c < 0x80 {
			write(string(rune(c)))
			return
		}
		if text, err := document.Decode([]byte{c}, "", "windows-1252"); err == nil {
			write(text)
		}
	}
	for i := 0; i < len(body); {
		c := body[i]
		i++
		top := &groups[len(groups)-1]
		switch {
		case c == '{':
			if len(groups) > 10_000 {
				return ""
			}
			groups, skip = append(groups, *top), 0
		case c == '}':
			if skip = 0; len(groups) > 1 {
				groups = groups[:len(groups)-1]
			}
		case c == '\r' || c == '\n':
		case c != '\\':
			letter(c)
		default:
			word, value, has, next := rtfWord(body, i)
			i = next
			switch {
			case word == "'":
				letter(byte(value))
			case word == "*":
				top.skipped = true
			case word == "\\" || word == "{" || word == "}":
				letter(word[0])
			case word == "uc" && has:
				top.after = max(value, 0)
			case word == "u" && has:
				if value < 0 {
					value += 1 << 16
				}
				write(string(rune(value)))
				skip = top.after
			case word == "v" && (!has || value != 0):
				top.skipped = true
			case word == "bin" && has:
				i += max(0, min(value, len(body)-i))
			case rtfSkipped[word]:
				top.skipped = true
			default:
				write(rtfSigns[word])
			}
		}
	}
	return plainBlocks(out.String())
}

// rtfWord reads a control word with its number behind a backslash.
func rtfWord(body []byte, at int) (word string, value int, has bool, next int) {
	if at >= len(body) {
		return "", 0, false, at
	}
	if body[at] == '\'' && at+3 <= len(body) {
		n, _ := strconv.ParseUint(string(body[at+1:at+3]), 16, 8)
		return "'", int(n), true, at + 3
	}
	end := at
	for end < len(body) && body[end]|0x20 >= 'a' && body[end]|0x20 <= 'z' && end-at < 40 {
		end++
	}
	if end == at {
		return string(body[at : at+1]), 0, false, at + 1
	}
	word, number := string(body[at:end]), end
	for end < len(body) && (body[end] >= '0' && body[end] <= '9' || body[end] == '-' && end == number) && end-number < 12 {
		end++
	}
	value, err := strconv.Atoi(string(body[number:end]))
	if end < len(body) && body[end] == ' ' {
		end++
	}
	return word, value, err == nil, end
}
