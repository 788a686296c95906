package retrieval

import (
	"context"
	"slices"
	"strings"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/text/block"
	"parley/text/sentence"
)

const (
	// bytesAToken is about what a token has. To count tokens would take longer
	// than to search.
	bytesAToken = 4
	// roomEach is how long the texts found may be together, for each passage
	// wanted: what passages of the largest size would have. Below shortText a
	// passage is short. The sizes are the default ones, whatever the chatbot's:
	// to look those up would cost every question.
	roomEach  = bytesAToken * chatbot.DefaultPassageLimit
	shortText = bytesAToken * chatbot.DefaultPassageAim / 2
	// widened is how many of the best passages are widened.
	widened = 10
)

// widen extends the best passages with the texts of their neighbors: one on each
// side, from the same document and under the same headings. It does so for passages
// that are short, unless they answer a question as in an FAQ, and for passages with
// a neighbor that was found, too. No text appears twice. widen leaves out a neighbor
// that cannot be read now: the passages answer without it.
func (s *Searcher) widen(ctx context.Context, scope Scope, found []Result, limit int) {
	room := roomEach * limit
	held := make(map[Position]bool, len(found))
	for _, f := range found {
		held[f.at(0)] = true
		room -= len(f.Text)
	}
	found = found[:min(widened, len(found))]
	beside := missingNeighbors(found, held)
	if room <= 0 || len(beside) == 0 {
		return
	}
	neighbors, err := s.passages.LivePassagesAt(ctx, scope.WorkspaceID, scope.ChatbotID, beside)
	if err != nil {
		s.log.Log(ctx, fault.Level(err), "neighbors of passages not read", "error", err)
		return
	}
	for i := range found {
		for _, side := range []int{1, -1} {
			at := slices.IndexFunc(neighbors, func(p Passage) bool { return p.at(0) == found[i].at(side) })
			if at < 0 || len(neighbors[at].Text) > room || !adjoins(found[i].Passage, neighbors[at]) {
				continue
			}
			room -= len(neighbors[at].Text)
			found[i].join(neighbors[at], side)
			neighbors = slices.Delete(neighbors, at, at+1)
		}
	}
}

// missingNeighbors returns the positions of the wanted neighbors that held lacks.
func missingNeighbors(found []Result, held map[Position]bool) []Position {
	var beside []Position
	for _, f := range found {
		before, after := f.at(-1), f.at(1)
		if (len(f.Text) >= shortText || f.answers()) && !held[before] && !held[after] {
			continue
		}
		for _, at := range []Position{before, after} {
			if at.Ordinal >= 0 && !held[at] && !slices.Contains(beside, at) {
				beside = append(beside, at)
			}
		}
	}
	return beside
}

// answers reports whether the passage stands under a question, as in an FAQ: what stands
// beside it answers another.
func (p Passage) answers() bool {
	last := len(p.HeadingPath) - 1
	return last >= 0 && sentence.Asks(p.HeadingPath[last])
}

// at is the place of a passage, or of one so many places behind it.
func (p Passage) at(behind int) Position {
	return Position{DocumentID: p.DocumentID, Version: p.Version, Ordinal: p.Ordinal + behind}
}

// adjoins reports whether no heading stands between two neighbors.
func adjoins(a, b Passage) bool {
	later := a
	if b.Ordinal > a.Ordinal {
		later = b
	}
	return slices.Equal(a.HeadingPath, b.HeadingPath) && !block.StartsWithHeading(later.Text)
}

// join puts a neighbor's text beside the passage's.
func (f *Result) join(neighbor Passage, side int) {
	f.Start, f.End = span(f.Passage, neighbor)
	if side < 0 {
		before := len(f.Text)
		f.Text = joined(neighbor.Text, f.Text)
		f.move(len(f.Text) - before)
		return
	}
	f.Text = joined(f.Text, neighbor.Text)
}

// move says that the parts begin so many bytes later.
func (f *Result) move(by int) {
	f.Parts = slices.Clone(f.Parts)
	for i := range f.Parts {
		f.Parts[i].Start += by
		f.Parts[i].End += by
	}
}

// span is where two neighbors stand together, or zeros if that was not kept of
// one of them.
func span(a, b Passage) (start, end int) {
	if a.End == 0 || b.End == 0 {
		return 0, 0
	}
	return min(a.Start, b.Start), max(a.End, b.End)
}

// joined is a text with the one that follows it. Each piece of a cut table
// repeats its header, which is left out where the table continues.
func joined(text, next string) string {
	first := block.LineEnd(next, 0)
	body := block.LineEnd(next, first)
	if first < body && body < len(next) && block.IsDelimiter(next[first:body]) && strings.Contains(text, next[:body]) {
		return text + "\n" + next[body:]
	}
	return text + "\n\n" + next
}
