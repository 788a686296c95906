package bot

import (
	"cmp"
	"strings"

	"parley/core/knowledge"
	"parley/core/plan"
)

// noteNames are what a document may have that was not read, one and several of it.
var noteNames = map[knowledge.NoteKind][2]string{
	knowledge.NotePage: {"page without text", "pages without text"}, knowledge.NoteRow: {"row", "rows"},
	knowledge.NoteChart: {"chart", "charts"}, knowledge.NoteDiagram: {"diagram", "diagrams"}, knowledge.NoteDrawing: {"drawing or text box", "drawings or text boxes"},
	knowledge.NoteImage: {"image", "images"}, knowledge.NoteMedia: {"video or recording", "videos or recordings"},
	knowledge.NoteForm: {"form field", "form fields"}, knowledge.NoteFormula: {"formula", "formulas"}, knowledge.NoteComment: {"comment", "comments"},
	knowledge.NoteHeader: {"header or footer", "headers or footers"}, knowledge.NoteFrame: {"embedded page", "embedded pages"},
	knowledge.NoteEmbedded: {"embedded file", "embedded files"}, knowledge.NoteHidden: {"hidden sheet or slide", "hidden sheets or slides"},
	knowledge.NoteProperties: {"block of properties", "blocks of properties"}, knowledge.NotePart: {"other part", "other parts"},
}

// unreadText says what of a document was not read, or nothing: "3 charts and 1 form field were not read."
func unreadText(notes []knowledge.Note) string {
	var parts []string
	all := 0
	for _, note := range notes {
		name := noteNames[note.Kind][1]
		if note.Count == 1 {
			name = noteNames[note.Kind][0]
		}
		parts = append(parts, plan.Thousands(note.Count)+" "+cmp.Or(name, string(note.Kind)))
		all += note.Count
	}
	verb := " were not read."
	if all == 1 {
		verb = " was not read."
	}
	switch last := len(parts) - 1; last {
	case -1:
		return ""
	case 0:
		return parts[0] + verb
	default:
		return strings.Join(parts[:last], ", ") + " and " + parts[last] + verb
	}
}
