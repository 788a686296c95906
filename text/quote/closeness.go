package quote

const (
	// nearby is the closeness from which a section may answer without a word of the question.
	nearby = 0.6
	// tellsMuch is the share of what the question tells from which its words choose among
	// the rows of a table and the items of a list. Below it all are quoted.
	tellsMuch = 0.6
)

// measureCloseness says how close the section's units are: each has the closeness of the
// part of the passage that it stands in or, where that is not known, of the passage.
func (s *section) measureCloseness(passage Passage) {
	if passage.Closeness == 0 {
		return
	}
	s.close = make([]float64, len(s.units))
	for u, unit := range s.units {
		s.close[u] = passage.Closeness
		for _, part := range passage.Parts {
			if at := int(unit.at); part.Start <= at && at < part.End {
				s.close[u] = part.Closeness
			}
		}
		s.closeness = max(s.closeness, s.close[u])
	}
}

// compareCloseness says how much closer than the mean each section is.
func compareCloseness(sections []section) {
	sum, known := 0.0, 0
	for i := range sections {
		if sections[i].closeness != 0 {
			sum += sections[i].closeness
			known++
		}
	}
	for i := range sections {
		if sections[i].closeness != 0 {
			sections[i].closer = sections[i].closeness - sum/float64(known)
		}
	}
}

// isClose reports whether the part that the unit at u stands in is close: it is the part,
// and not the one sentence, that speaks for it.
func (s *section) isClose(u int) bool { return s.close != nil && s.close[u] >= nearby }
