package citation

import (
	"strconv"
	"strings"
)

// marker passes on what holds of a marker. A number does not stand twice in a
// row, as it would where the marker before was corrected to it.
func (c *scanner) marker(spaces string, m marker) {
	numbers := c.given(m)
	if quote, ok := c.quoted.before(m.next); ok && len(numbers) > 0 {
		numbers = c.verified(quote, numbers)
	}
	if len(numbers) == 0 {
		c.carried = c.out.removed(spaces, m.next)
		return
	}
	before := c.out.number
	for _, n := range numbers {
		c.marked[n] = true
		if n == before && (spaces == "" || c.quoted.corrected && !strings.HasSuffix(spaces, "(")) {
			continue
		}
		c.out.write(spaces + "[" + strconv.Itoa(n) + "]")
		c.out.number, before, spaces = n, n, ""
	}
	if m.foreign && m.next == '(' { // it must not become a link
		c.out.write(" ")
	}
}

// given are the numbers of a marker that were in the prompt, each once.
func (c *scanner) given(m marker) []int {
	var numbers []int
	seen := map[int]bool{}
	for _, r := range m.ranges {
		if r.first < 1 || r.last > len(c.sources.found) {
			c.refuted++
		}
		for n := max(1, r.first); n <= min(r.last, len(c.sources.found)); n++ {
			if !seen[n] {
				seen[n] = true
				numbers = append(numbers, n)
			}
		}
	}
	if len(m.ranges) == 0 {
		c.refuted++
	}
	return numbers
}

// verified are the numbers that a marker behind a quotation is to have.
func (c *scanner) verified(quote string, numbers []int) []int {
	if c.quoted.settled {
		return numbers
	}
	at := c.sources.with(quote, numbers)
	for _, n := range numbers {
		if n == at {
			c.quoted.settled = true
			return numbers
		}
	}
	c.refuted += len(numbers)
	c.quoted.corrected = at > 0
	if at == 0 {
		return nil
	}
	return []int{at}
}
