package bge

import "math"

// scratch is the memory of one text's pass through the model.
type scratch struct {
	states, query, key, value, mixed, next, inner []float32
	scores, packed, shares                        []float32
	lines                                         lines
}

// read returns what stands for a text: the state of its first position after all layers.
// It is valid until the next use of the scratch.
func (m *model) read(numbers []int32, s *scratch) []float32 {
	n := len(numbers)
	rows := (n + together - 1) / together * together
	x := resize(&s.states, rows*width)
	for position := range rows {
		m.embed(x[position*width:][:width], numbers[min(position, n-1)], min(position, n-1))
	}
	m.first.apply(x)
	for i := range m.layers {
		x = m.layers[i].apply(x, n, s)
	}
	if m.last == nil {
		return x[:width]
	}
	return m.last.apply(resize(&s.query, together*width), x[:together*width], s)[:width]
}

func resize[T any](list *[]T, n int) []T {
	if cap(*list) < n {
		*list = make([]T, n)
	}
	*list = (*list)[:n]
	return *list
}

func (m *model) embed(into []float32, number int32, position int) {
	for i, value := range m.rows[int(number)*width:][:width] {
		into[i] = m.scale*float32(value) + m.positions[position*width+i]
	}
}

// apply returns the next states of n positions; those after them are of no account.
func (l *layer) apply(x []float32, n int, s *scratch) []float32 {
	numbers := s.asNumbers(x, width)
	query := l.query.images(resize(&s.query, len(x)), numbers)
	key := l.key.images(resize(&s.key, len(x)), numbers)
	value := l.value.images(resize(&s.value, len(x)), numbers)
	mixed := resize(&s.mixed, len(x))
	for head := range heads {
		attend(mixed, query, key, value, head, n, s)
	}
	y := l.attended.apply(resize(&s.next, len(x)), mixed, s)
	add(y, x)
	l.afterAttention.apply(y)
	between := l.up.apply(resize(&s.inner, len(x)/width*inner), y, s)
	gelu(between)
	z := l.down.apply(resize(&s.states, len(x)), between, s)
	add(z, y)
	l.afterInner.apply(z)
	return z
}

// attend fills the part of mixed that belongs to a head.
func attend(mixed, query, key, value []float32, head, n int, s *scratch) {
	const size = width / heads
	rows, from := len(mixed)/width, head*size
	wide := (n + columns - 1) / columns * columns
	packed := resize(&s.packed, wide*size)
	clear(packed)
	for position := range n {
		for i, x := range key[position*width+from:][:size] {
			packed[(position/columns*size+i)*columns+position%columns] = x
		}
	}
	resize(&s.shares, rows)
	scores := resize(&s.scores, rows*wide)
	clear(scores)
	for block := 0; block < wide; block += columns {
		for row := 0; row < rows; row += together {
			addProduct(scores[row*wide+block:], wide, query[row*width+from:], width, packed[block*size:], size)
		}
	}
	for row := range rows {
		s.shares[row] = powers(scores[row*wide:][:wide], n, 0.17677669529663687) // 1 / √size
	}
	clear(packed)
	for position := range n {
		for i := 0; i < size; i += columns {
			copy(packed[(i/columns*wide+position)*columns:][:columns], value[position*width+from+i:])
		}
	}
	for row := range rows {
		clear(mixed[row*width+from:][:size])
	}
	for block := 0; block < size; block += columns {
		for row := 0; row < rows; row += together {
			addProduct(mixed[row*width+from+block:], width, scores[row*wide:], wide, packed[block*wide:], wide)
		}
	}
	for row, share := range s.shares {
		part := mixed[row*width+from:][:size]
		for i := range part {
			part[i] *= share
		}
	}
}

// powers makes of each of the first n scores e to its power, and next to nothing of the
// others, and returns what makes shares of them: one over their sum.
func powers(scores []float32, n int, factor float32) float32 {
	for i := n; i < len(scores); i++ {
		scores[i] = lowest
	}
	return 1 / expAll(scores, largest(scores), factor)
}

// largestGo returns the largest of the numbers.
func largestGo(x []float32) float32 {
	high := x[0]
	for _, value := range x {
		high = max(high, value)
	}
	return high
}

// lowest is a score that counts nothing.
const lowest = -1e30

// expAllGo makes of each x e to the power of factor times how much it is above high, which
// is none, and returns their sum.
func expAllGo(x []float32, high, factor float32) float32 {
	sum := float32(0)
	for i, value := range x {
		x[i] = exp(factor * (value - high))
		sum += x[i]
	}
	return sum
}

// exp returns e to the power of x, which is at most zero, to within 0.0002 of it: two to
// a whole power, in the bits of a float, times two to the rest by a polynomial.
func exp(x float32) float32 {
	x = max(x*math.Log2E, -126)
	whole := int32(x - 0.5) // the nearest
	rest := x - float32(whole)
	power := 1 + rest*(0.69314718+rest*(0.24022651+rest*(0.05550411+rest*0.00961813)))
	return math.Float32frombits(uint32(whole+127)<<23) * power
}

func add(to, x []float32) {
	for i, value := range x {
		to[i] += value
	}
}

const (
	// geluReach is beyond what values gelu is zero, or the value itself.
	geluReach = 6
	geluSteps = 256 // for each one
)

// curve has the values of gelu from -geluReach to geluReach.
var curve = func() (values [2*geluReach*geluSteps + 2]float32) {
	for i := range values {
		x := float64(i)/geluSteps - geluReach
		values[i] = float32(x * (0.5 + 0.5*math.Erf(x/math.Sqrt2)))
	}
	return values
}()

// geluGo puts the values of the curve x · Φ(x) in the place of numbers.
func geluGo(x []float32) {
	for i, value := range x {
		switch {
		case value <= -geluReach:
			x[i] = 0
		case value < geluReach:
			at := (value + geluReach) * geluSteps
			step := int(at)
			x[i] = curve[step] + (at-float32(step))*(curve[step+1]-curve[step])
		}
	}
}

// apply normalizes rows.
func (n norm) apply(x []float32) {
	for ; len(x) > 0; x = x[width:] {
		sum, squares := float32(0), float32(0)
		for _, value := range x[:width] {
			sum += value
		}
		mean := sum / width
		for _, value := range x[:width] {
			squares += (value - mean) * (value - mean)
		}
		factor := float32(1 / math.Sqrt(float64(squares)/width+1e-12))
		gain, shift := n.gain[:width], n.shift[:width]
		for i, value := range x[:width] {
			x[i] = (value-mean)*factor*gain[i] + shift[i]
		}
	}
}
