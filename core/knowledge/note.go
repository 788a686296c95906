package knowledge

import (
	"cmp"
	"maps"
	"slices"
)

// Note says how many things of a kind in a file or page were not read: neither their text nor a
// form of it is in the document.
type Note struct {
	Kind  NoteKind `json:"kind"`
	Count int      `json:"count"`
}

// NoteKind is a kind of thing that a reader may leave out.
type NoteKind string

// The kinds of notes. What a reader has no name for is [NotePart].
const (
	NoteImage      NoteKind = "image"
	NoteChart      NoteKind = "chart"
	NoteDiagram    NoteKind = "diagram"
	NoteDrawing    NoteKind = "drawing"
	NoteMedia      NoteKind = "media"
	NoteEmbedded   NoteKind = "embedded_file"
	NoteForm       NoteKind = "form_field"
	NoteComment    NoteKind = "comment"
	NoteHeader     NoteKind = "header_or_footer"
	NoteFrame      NoteKind = "frame"
	NoteFormula    NoteKind = "formula"
	NoteHidden     NoteKind = "hidden_part"
	NotePage       NoteKind = "page"
	NoteRow        NoteKind = "row"
	NoteProperties NoteKind = "properties"
	NotePart       NoteKind = "part"
)

// noteKinds are all kinds, in the order in which people read of them.
var noteKinds = []NoteKind{
	NotePage, NoteRow, NoteChart, NoteDiagram, NoteDrawing, NoteImage, NoteMedia, NoteForm, NoteFormula, NoteComment, NoteHeader,
	NoteFrame, NoteEmbedded, NoteHidden, NoteProperties, NotePart,
}

// mostNoted is the highest count of a note.
const mostNoted = 1_000_000

// NotesOf returns counts as notes, in the order of their kinds. It leaves out kinds that are unknown.
func NotesOf(counts map[NoteKind]int) []Note {
	var notes []Note
	for _, kind := range slices.SortedFunc(maps.Keys(counts), func(a, b NoteKind) int {
		return cmp.Compare(slices.Index(noteKinds, a), slices.Index(noteKinds, b))
	}) {
		if slices.Contains(noteKinds, kind) && counts[kind] > 0 {
			notes = append(notes, Note{kind, min(counts[kind], mostNoted)})
		}
	}
	return notes
}
