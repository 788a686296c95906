package segment

import (
	"encoding/binary"
	"slices"
)

// writer gathers the sections of a new segment.
type writer struct {
	sections
	length  uint64
	spelled []string
	list    postings

	documentNames, sourceNames []string
	sourceNumbers              map[string]int
}

// addDocument begins a document, whose passages follow.
func (w *writer) addDocument(name, source string, sequence uint64) {
	number := 0
	if source != "" {
		if w.sourceNumbers == nil {
			w.sourceNumbers = map[string]int{}
		}
		if number = w.sourceNumbers[source]; number == 0 {
			w.sourceNames = append(w.sourceNames, source)
			number = len(w.sourceNames)
			w.sourceNumbers[source] = number
		}
	}
	w.documentNames = append(w.documentNames, name)
	w.records = le.AppendUint64(w.records, sequence)
	w.records = le.AppendUint32(w.records, uint32(w.passages))
	w.records = le.AppendUint32(w.records, uint32(number))
}

// beginPassage begins a passage, whose terms are then added to forward.
func (w *writer) beginPassage(id int64, length int) {
	w.ids = le.AppendUint64(w.ids, uint64(id))
	w.lengths = le.AppendUint32(w.lengths, uint32(length))
	w.forwardAt = le.AppendUint32(w.forwardAt, uint32(len(w.forward)))
	w.passages++
	w.length += uint64(length)
}

func (w *writer) beginTerm(term string, n int) {
	w.words = le.AppendUint32(w.words, uint32(len(w.spelling)))
	w.words = le.AppendUint32(w.words, uint32(len(w.postings)))
	w.spelling = append(w.spelling, term...)
	w.terms++
	w.list = postings{data: binary.AppendUvarint(w.postings, uint64(n))}
}

func (w *writer) endTerm() { w.postings = w.list.data }

func (w *writer) finish() []byte {
	w.forwardAt = le.AppendUint32(w.forwardAt, uint32(len(w.forward)))
	w.words = le.AppendUint32(w.words, uint32(len(w.spelling)))
	w.words = le.AppendUint32(w.words, uint32(len(w.postings)))
	w.finishNames()
	w.finishVectors()
	return w.encode(w.length)
}

func (w *writer) finishNames() {
	w.documents, w.sources = len(w.documentNames), len(w.sourceNames)
	order := make([]uint32, len(w.documentNames))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, compareNames(w.documentNames))
	for _, i := range order {
		w.byName = le.AppendUint32(w.byName, i)
	}
	for _, name := range slices.Concat(w.documentNames, w.sourceNames) {
		w.nameAt = le.AppendUint32(w.nameAt, uint32(len(w.names)))
		w.names = append(w.names, name...)
	}
	w.nameAt = le.AppendUint32(w.nameAt, uint32(len(w.names)))
}
