package suggest

import (
	"cmp"
	"slices"

	"parley/text/language"
)

const (
	// alike is the share of a question's stems that stand in another one which asks the
	// same.
	alike = 0.75
	// told is the share of a section's stems that stand in an answer which tells what is
	// in it, and leastTold how many they are at least.
	told, leastTold = 0.5, 3
)

// Near is what stands around a passage that an answer was made from.
type Near struct {
	Document
	// Ordinal is the passage's, and Cited says that the answer cites it.
	Ordinal int
	Cited   bool
}

// FollowUps are up to so many questions that what stands near an answer's passages
// answers, and that are neither among those asked, the latest last, nor told by the
// answer already. They are in the language of the latest question if anything near is.
func FollowUps(asked []string, answer string, near []Near, most int) []string {
	found := following(near)
	if len(asked) > 0 {
		found = inLanguage(found, language.Of(asked[len(asked)-1]))
	}
	var all chosen
	answers := map[language.Code]terms{}
	for _, c := range found {
		if len(all.questions) == most {
			break
		}
		if answers[c.in] == nil {
			answers[c.in] = termsOf(answer, c.in)
		}
		if !c.isAsked(asked) && !c.isTold(answers[c.in]) && !c.isAsked(all.questions) {
			all.add(c.candidate)
		}
	}
	return all.questions
}

// follower is a candidate with its distance from a passage.
type follower struct {
	candidate
	// rank is the place of the passage among the answer's passages.
	rank, distance int
}

// following are the questions of sections near passages, the best first: each kind by
// the distance, what comes after a passage before what comes before it.
func following(near []Near) []follower {
	documents := make([]Document, len(near))
	for i := range near {
		documents[i] = near[i].Document
	}
	read := Read(documents)
	var found []follower
	for rank, n := range near {
		for _, c := range read.documents[rank].candidates(read.wording) {
			empty := len(termsOf(c.section.body, c.in)) < leastTold // nothing answers it
			if empty || c.kind == ofTitle && n.Cited {
				continue
			}
			distance := 2 * (c.section.ordinal - n.Ordinal)
			if distance < 0 {
				distance = 1 - distance
			}
			found = append(found, follower{c, rank, distance})
		}
	}
	slices.SortStableFunc(found, func(a, b follower) int {
		return cmp.Or(cmp.Compare(max(a.kind, headingsThatAsk), max(b.kind, headingsThatAsk)), cmp.Compare(a.rank+a.distance, b.rank+b.distance))
	})
	return found
}

// inLanguage returns the followers in a language, or all of them if there are none.
func inLanguage(found []follower, in language.Code) []follower {
	same := slices.DeleteFunc(slices.Clone(found), func(f follower) bool { return f.in != in })
	if len(same) == 0 {
		return found
	}
	return same
}

// isAsked reports whether one of some questions asks the same.
func (f follower) isAsked(questions []string) bool {
	own, subject := termsOf(f.question, f.in), termsOf(f.subject, f.in)
	return slices.ContainsFunc(questions, func(question string) bool {
		other := termsOf(question, f.in)
		return own.equal(other) || subject.share(other) >= alike
	})
}

// isTold reports whether an answer with these terms tells what the section says.
func (f follower) isTold(answer terms) bool {
	return termsOf(f.section.body, f.in).share(answer) >= told
}
