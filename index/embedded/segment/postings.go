package segment

import "encoding/binary"

// A posting is a varint: four times the distance from the previous passage (for the
// first one, the passage itself), plus the term's frequency less one. For a
// frequency of four or more, it adds three instead, and the frequency follows as
// another varint. Most postings take a byte, and reading the usual ones needs no
// branch that a processor cannot predict.
const (
	frequencyBits = 2
	often         = 1<<frequencyBits - 1
)

// postings is a list as it is written.
type postings struct {
	data []byte
	last int
}

func (p *postings) add(passage, frequency int) {
	gap := uint64(passage-p.last) << frequencyBits
	p.last = passage
	p.data = binary.AppendUvarint(p.data, gap|uint64(min(frequency-1, often)))
	if frequency > often {
		p.data = binary.AppendUvarint(p.data, uint64(frequency))
	}
}

// cursor reads a list.
type cursor struct {
	data []byte
	// passage and frequency belong to the posting last read.
	passage, frequency int
}

func (c *cursor) next() bool {
	if len(c.data) == 0 {
		return false
	}
	gap := c.uvarint()
	c.passage += gap >> frequencyBits
	c.frequency = gap&often + 1
	if c.frequency > often {
		c.frequency = c.uvarint()
	}
	return true
}

func (c *cursor) uvarint() int {
	if first := c.data[0]; first < 0x80 {
		c.data = c.data[1:]
		return int(first)
	}
	value, size := binary.Uvarint(c.data)
	c.data = c.data[size:]
	return int(value)
}

// postingsOf returns the list of a term, and how many it has.
func (t *termTable) postingsOf(term int) (list []byte, n int) {
	list = t.postings[le.Uint32(t.words[8*term+4:]):le.Uint32(t.words[8*term+12:])]
	value, size := binary.Uvarint(list)
	return list[size:], int(value)
}
