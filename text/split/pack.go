package split

// unit is a stretch of the source that is not cut: src[start:end]. The units
// of a section adjoin.
type unit struct {
	start, end, tokens int
	// frame is the frame of the cut table or code block that the unit belongs to.
	frame *frame
}

// run is units next to each other that make a passage.
type run struct{ from, to, tokens int }

// pack makes passages of the blocks of one section: neighbors together up to
// the aim, a block that is too long in pieces.
func (s *splitter) pack(path []string, blocks []block) {
	units := s.units(make([]unit, 0, len(blocks)), blocks)
	for _, r := range s.runs(units) {
		first, last := units[r.from], units[r.to-1]
		head, foot := "", ""
		if first.continues() {
			head = first.frame.head
		}
		if last.frame != nil && last.end < last.frame.end {
			foot = last.frame.foot
		}
		s.add(path, first.start, last.end, head, foot)
	}
}

// runs joins units up to the aim. A small rest at the end goes with what is
// before it, if both are within the limit.
func (s *splitter) runs(units []unit) []run {
	var runs []run
	for i, u := range units {
		if n := len(runs); n > 0 {
			if last := &runs[n-1]; s.joins(last.tokens, last.tokens+u.added(units[i-1].frame)) {
				last.to, last.tokens = i+1, last.tokens+u.added(units[i-1].frame)
				continue
			}
		}
		runs = append(runs, run{i, i + 1, s.opening(u)})
	}
	n := len(runs)
	if n > 1 && runs[n-1].tokens <= s.small && runs[n-2].tokens+runs[n-1].tokens <= s.limit {
		runs[n-2].to = runs[n-1].to
		runs = runs[:n-1]
	}
	return runs
}

// joins reports whether a unit goes with what is gathered: within the aim, or
// within the limit for a short introduction to something long.
func (s *splitter) joins(gathered, sum int) bool {
	return sum <= s.aim || gathered <= s.small && sum <= s.limit
}

// units appends the blocks as units, and cuts those that are too long. It recurses as deep
// as lists and quotes nest: see maxDepth.
func (s *splitter) units(dst []unit, blocks []block) []unit {
	for _, b := range blocks {
		switch {
		case b.tokens <= s.limit:
			dst = append(dst, unit{start: b.start, end: b.end, tokens: b.tokens})
		case len(b.inner) > 0:
			dst = s.units(dst, b.inner)
		case b.shape == table || b.shape == code:
			dst = s.framed(dst, b)
		default:
			dst = s.cut(dst, b.start, b.end, proseCuts, s.limit-joint, nil)
		}
	}
	return dst
}

// opening is the size of the unit at the start of a passage.
func (s *splitter) opening(u unit) int {
	tokens := u.tokens
	if u.start > 0 && s.src[u.start-1] != '\n' {
		tokens += joint
	}
	switch {
	case u.frame == nil:
		return tokens
	case u.continues():
		return tokens + u.frame.tokens
	}
	return tokens + u.frame.footTokens
}

// added is the size of the unit behind one of the given frame.
func (u unit) added(before *frame) int {
	if u.frame == nil || u.frame == before {
		return u.tokens
	}
	return u.tokens + u.frame.footTokens
}

// continues reports whether the unit is of a cut block that began before it.
func (u unit) continues() bool { return u.frame != nil && u.start > u.frame.start }
