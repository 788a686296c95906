package bot

import (
	"testing"

	"parley/core/knowledge"
)

func TestUnreadText(t *testing.T) {
	t.Parallel()
	for want, counts := range map[string]map[knowledge.NoteKind]int{
		"":                          nil,
		"1 image was not read.":     {knowledge.NoteImage: 1},
		"2,000 rows were not read.": {knowledge.NoteRow: 2_000},
		"3 charts and 1 form field were not read.":            {knowledge.NoteForm: 1, knowledge.NoteChart: 3},
		"1 chart, 2 comments and 1 other part were not read.": {knowledge.NotePart: 1, knowledge.NoteChart: 1, knowledge.NoteComment: 2},
	} {
		t.Run("says "+want, func(t *testing.T) {
			t.Parallel()
			if got := unreadText(knowledge.NotesOf(counts)); got != want {
				t.Errorf("got %q", got)
			}
		})
	}
}
