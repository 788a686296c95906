package segment

import "slices"

// admit fills admitted.
func (s *search) admit() {
	s.admitted = resize(s.admitted, len(s.views))
	for i, v := range s.views {
		s.admitted[i] = v.admitted(s.query.Filter.Documents, s.query.Filter.Sources)
	}
}

// admitted returns the live passages of the documents and sources, or nil for
// all passages.
func (v View) admitted(documents, sources []string) passageSet {
	if len(documents) == 0 && len(sources) == 0 {
		if v.Dead == nil {
			return nil
		}
		return v.Dead.live
	}
	set := newPassageSet(v.passages)
	from := v.sourcesNamed(sources)
	for _, i := range v.documentsNamed(documents) {
		d := v.document(i)
		if len(sources) > 0 && !from[d.source] {
			continue
		}
		for passage := d.first; passage < v.end(i); passage++ {
			set.add(passage)
		}
	}
	if v.Dead != nil {
		for i, word := range v.Dead.live {
			set[i] &= word
		}
	}
	return set
}

// documentsNamed returns the numbers of the documents with the names, and of
// all without any.
func (t *documentTable) documentsNamed(names []string) []int {
	var numbers []int
	if len(names) == 0 {
		for i := range t.documents {
			numbers = append(numbers, i)
		}
	}
	for _, name := range names {
		numbers = append(numbers, t.find(name)...)
	}
	return numbers
}

// sourcesNamed says of each source, numbered as in [document], whether it has
// one of the names.
func (t *documentTable) sourcesNamed(names []string) []bool {
	named := make([]bool, t.sources+1)
	for source := 1; source <= t.sources; source++ {
		named[source] = slices.Contains(names, t.sourceName(source))
	}
	return named
}

// sourceName returns the name of a source, and nothing for none.
func (t *documentTable) sourceName(source int) string {
	if source == 0 {
		return ""
	}
	return t.name(t.documents + source - 1)
}
