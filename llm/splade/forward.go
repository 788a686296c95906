package splade

import "math"

// scratch is the memory of one text's pass through the model.
type scratch struct {
	states, query, key, value, mixed, next []float32
	inner                                  []float32
	scores, packed                         []float32
	hidden                                 []int16
}

// hidden returns the states of a text's positions before the vocabulary's matrix, as
// integers that stand for unit each; the last positions are repeated up to a multiple
// of four.
func (m *model) hidden(numbers []int32, s *scratch) (hidden []int16, unit float32) {
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
	y := m.transform.apply(resize(&s.next, rows*width), x)
	gelu(y)
	m.last.apply(y)
	for position := n; position < rows; position++ {
		copy(y[position*width:][:width], y[(n-1)*width:])
	}
	return asNumbers(y, &s.hidden)
}

// most is the largest of the integers that states become: no sum of products with a row
// leaves 32 bits.
const most = 1 << 13

func asNumbers(y []float32, into *[]int16) (numbers []int16, unit float32) {
	high := float32(0)
	for _, value := range y {
		high = max(high, value, -value)
	}
	if high == 0 {
		high = 1
	}
	unit = high / most
	numbers = resize(into, len(y))
	for i, value := range y {
		numbers[i] = int16(math.Round(float64(value / unit)))
	}
	return numbers, unit
}

func resize[T any](list *[]T, n int) []T {
	if cap(*list) < n {
		*list = make([]T, n)
	}
	*list = (*list)[:n]
	return *list
}

func (m *model) embed(into []float32, number int32, position int) {
	scale := m.scales[number]
	for i, value := range m.rows[int(number)*width:][:width] {
		into[i] = scale*float32(value) + m.positions[position*width+i]
	}
}

// apply returns the next states of n positions; those after them are of no account.
func (l *layer) apply(x []float32, n int, s *scratch) []float32 {
	query, key := l.query.apply(resize(&s.query, len(x)), x), l.key.apply(resize(&s.key, len(x)), x)
	value := l.value.apply(resize(&s.value, len(x)), x)
	mixed := resize(&s.mixed, len(x))
	for head := range heads {
		attend(mixed, query, key, value, head, n, s)
	}
	y := l.attended.apply(resize(&s.next, len(x)), mixed)
	add(y, x)
	l.afterAttention.apply(y)
	between := l.up.apply(resize(&s.inner, len(x)/width*inner), y)
	gelu(between)
	z := l.down.apply(resize(&s.states, len(x)), between)
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
	scores := resize(&s.scores, rows*wide)
	clear(scores)
	for block := 0; block < wide; block += columns {
		for row := 0; row < rows; row += together {
			addProduct(scores[row*wide+block:], wide, query[row*width+from:], width, packed[block*size:], size)
		}
	}
	for row := range rows {
		softmax(scores[row*wide:][:n], 1/math.Sqrt(size))
		clear(scores[row*wide+n : (row+1)*wide])
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
}

func softmax(scores []float32, factor float64) {
	high := scores[0]
	for _, score := range scores {
		high = max(high, score)
	}
	sum := float32(0)
	for i, score := range scores {
		scores[i] = float32(math.Exp(factor * float64(score-high)))
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

func add(to, x []float32) {
	for i, value := range x {
		to[i] += value
	}
}

func gelu(x []float32) {
	for i, value := range x {
		if value < -6 {
			x[i] = 0
			continue
		}
		x[i] = value * float32(0.5+0.5*math.Erf(float64(value)*(1/math.Sqrt2)))
	}
}

// apply normalizes rows.
func (n norm) apply(x []float32) {
	for ; len(x) > 0; x = x[width:] {
		sum, squares := 0.0, 0.0
		for _, value := range x[:width] {
			sum += float64(value)
		}
		mean := sum / width
		for _, value := range x[:width] {
			squares += (float64(value) - mean) * (float64(value) - mean)
		}
		factor := 1 / math.Sqrt(squares/width+1e-12)
		for i, value := range x[:width] {
			x[i] = float32((float64(value)-mean)*factor)*n.gain[i] + n.shift[i]
		}
	}
}
