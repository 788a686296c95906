package ground

import (
	"strconv"
	"strings"

	"parley/text/language"
)

// date is a day or a month. Zero stands for what is not said.
type date struct {
	year, month, day int
	// either says that day and month may be meant the other way round: "3/5/2024".
	either bool
}

// matches reports whether a date of a passage is the one that an answer says.
func (d date) matches(said date) bool {
	same := d.is(said)
	if !same && (d.either || said.either) {
		said.day, said.month = said.month, said.day
		same = d.is(said)
	}
	return same
}

func (d date) is(said date) bool {
	return (said.year == 0 || d.year == 0 || said.year == d.year) && said.month == d.month && (said.day == 0 || said.day == d.day)
}

// datesOf returns the dates of a text, and for each token whether it is part of one.
func datesOf(tokens []token, in language.Code) (dates []date, part []bool) {
	part = make([]bool, len(tokens))
	c := calendar{tokens, language.CuesIn(in)}
	for at := 0; at < len(tokens); {
		d, from, end := c.dateAt(at)
		if end == 0 {
			at++
			continue
		}
		dates = append(dates, d)
		for i := from; i < end; i++ {
			part[i] = true
		}
		at = end
	}
	return dates, part
}

type calendar struct {
	tokens []token
	cues   *language.Cues
}

// dateAt returns the date at a token, where it begins and where it ends: zero if there is
// none.
func (c calendar) dateAt(at int) (d date, from, end int) {
	if c.tokens[at].kind == numberToken {
		if d, end = c.figures(at); end > 0 {
			return d, at, end
		}
		if d, end = c.marked(at); end > 0 {
			return d, at, end
		}
		if month, next := c.monthAfter(at + 1); month > 0 {
			if day := c.number(at, 31); day > 0 {
				year, end := c.yearAfter(next)
				return date{year: year, month: month, day: day}, at, end
			}
		}
		return date{}, 0, 0
	}
	month := c.month(at)
	if month == 0 {
		return date{}, 0, 0
	}
	if year, next := c.yearAfter(at + 1); year > 0 {
		return date{year: year, month: month}, at, next
	}
	if day := c.number(at+1, 31); day > 0 {
		year, end := c.yearAfter(c.pastOrdinal(at + 2))
		return date{year: year, month: month, day: day}, at, end
	}
	return date{}, 0, 0
}

// figures reads "2024-05-03", "03.05.2024" and "3/5/2024".
func (c calendar) figures(at int) (d date, end int) {
	if parts := strings.Split(c.tokens[at].text, "."); len(parts) == 3 {
		d = date{year: intOf(parts[2]), month: intOf(parts[1]), day: intOf(parts[0])}
		return d, ifDate(d, at+1)
	}
	if at+4 >= len(c.tokens) || c.tokens[at+1].text != c.tokens[at+3].text || !c.tokens[at+1].glued || !c.tokens[at+2].glued {
		return d, 0
	}
	first, second, third := c.number(at, 9999), c.number(at+2, 31), c.number(at+4, 9999)
	switch c.tokens[at+1].text {
	case "-":
		d = date{year: first, month: second, day: third}
	case "/":
		d = date{year: third, month: first, day: second, either: true}
		if first > 12 {
			d.month, d.day = second, first
		}
	}
	return d, ifDate(d, at+5)
}

func ifDate(d date, end int) int {
	if d.year < 1 || d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31 || d.year > 99 && d.year < 1000 {
		return 0
	}
	return end
}

// marked reads "2024年5月3日" and "5月3日".
func (c calendar) marked(at int) (d date, end int) {
	if c.sign(at+1, "年", "년") {
		d.year = c.number(at, 9999)
		if at += 2; at >= len(c.tokens) {
			return d, 0
		}
	}
	if !c.sign(at+1, "月", "월") {
		return d, 0
	}
	d.month, d.day = c.number(at, 12), c.number(at+2, 31)
	if d.month == 0 {
		return d, 0
	}
	if d.day == 0 || !c.sign(at+3, "日", "일") {
		d.day = 0
		return d, at + 2
	}
	return d, at + 4
}

// sign reports whether a token begins with one of two letters.
func (c calendar) sign(at int, letters ...string) bool {
	if at >= len(c.tokens) {
		return false
	}
	return strings.HasPrefix(c.tokens[at].text, letters[0]) || strings.HasPrefix(c.tokens[at].text, letters[1])
}

// number is that at a token, or zero if it is above most or none.
func (c calendar) number(at, most int) int {
	if at >= len(c.tokens) || c.tokens[at].kind != numberToken {
		return 0
	}
	if n := intOf(c.tokens[at].text); n <= most {
		return n
	}
	return 0
}

func intOf(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (c calendar) month(at int) int {
	if at >= len(c.tokens) {
		return 0
	}
	switch t := c.tokens[at]; t.kind {
	case wordToken:
		return c.cues.Month(t.word)
	case runToken: // Thai
		return c.cues.Month(t.text)
	}
	return 0
}

// monthAfter returns the month behind a day, past what may stand between: "3rd of May",
// "3. Mai", "3 de mayo".
func (c calendar) monthAfter(at int) (month, next int) {
	for range 3 {
		if month := c.month(at); month > 0 {
			return month, at + 1
		}
		if at >= len(c.tokens) || !isBetween(c.tokens[at]) {
			return 0, 0
		}
		at++
	}
	return 0, 0
}

// pastOrdinal skips "st" and the like.
func (c calendar) pastOrdinal(at int) int {
	if at < len(c.tokens) && c.tokens[at].glued && c.tokens[at].kind == wordToken && isBetween(c.tokens[at]) {
		return at + 1
	}
	return at
}

// yearAfter returns the year behind a month or a day, past a comma or a short word.
func (c calendar) yearAfter(at int) (year, end int) {
	next := at
	if next < len(c.tokens) && (c.tokens[next].text == "," || isBetween(c.tokens[next])) {
		next++
	}
	if next < len(c.tokens) && len(c.tokens[next].text) == 4 {
		if year := c.number(next, 2999); year > 1000 {
			return year, next + 1
		}
	}
	return 0, at
}

func isBetween(t token) bool {
	switch t.text {
	case ".", "º", "ª", "de", "of", "st", "nd", "rd", "th", "er", "d", "del", "do", "ב", "ve":
		return true
	}
	return false
}
