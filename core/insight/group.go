package insight

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"parley/internal/plain"
	"parley/text/lexical"
)

// Embedder is the port to vectors of questions; see retrieval.Embedder.
type Embedder interface {
	Questions(ctx context.Context, texts []string) ([][]float32, error)
	Costly() bool
	Centered() bool
}

// Group is questions that are alike.
type Group struct {
	// Gaps are the gaps in the group, newest first.
	Gaps []Gap
}

// Question is the newest of the group.
func (g Group) Question() string { return g.Gaps[0].Question }

// Disliked counts the answers of the group that got a thumb down.
func (g Group) Disliked() (n int) {
	for _, gap := range g.Gaps {
		if gap.Reason == Disliked {
			n++
		}
	}
	return n
}

// Questions are the different questions of the group, newest first, at most a
// number of them.
func (g Group) Questions(limit int) (texts []string) {
	for _, gap := range g.Gaps {
		if text := strings.TrimSpace(gap.Question); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		if len(texts) == limit {
			break
		}
	}
	return texts
}

func (g Group) ids() []int64 {
	ids := make([]int64, len(g.Gaps))
	for i, gap := range g.Gaps {
		ids[i] = gap.ID
	}
	return ids
}

const (
	// Two questions are alike if the cosine of their weighted terms is at least
	// alikeByWords, or the cosine of their vectors is at least alikeByMeaning.
	alikeByWords   = 0.6
	alikeByMeaning = 0.8
)

// vectors returns the vectors of the gaps' questions, or nil without an embedder that
// makes centered vectors for free: a page is not worth what another would cost.
func (g *Gaps) vectors(ctx context.Context, gaps []Gap) [][]float32 {
	if g.embedder == nil || g.embedder.Costly() || !g.embedder.Centered() || len(gaps) == 0 {
		return nil
	}
	texts := make([]string, len(gaps))
	for i, gap := range gaps {
		texts[i] = compared(gap)
	}
	vectors, err := g.embedder.Questions(ctx, texts)
	if err != nil || len(vectors) != len(texts) {
		return nil // words tell, too
	}
	return vectors
}

// compared is the beginning of a question.
func compared(gap Gap) string { return plain.Shorten(gap.Question, ListedChars) }

// keptAtMost is of how many chatbots groups are kept.
const keptAtMost = 256

// kept has groups until their gaps change, so that a view of a page does not compare all
// questions again. It has no texts.
type kept struct {
	mu sync.Mutex
	of map[place]*keptGroups
}

// place is whose gaps are grouped, and how many.
type place struct {
	workspaceID, chatbotID string
	among                  int
}

type keptGroups struct {
	// mu is held while they are made: of views at the same time one makes them.
	mu      sync.Mutex
	ids     []int64
	members [][]int
}

// at returns the groups of a place, which may be of other gaps by now.
func (k *kept) at(p place) *keptGroups {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of[p] == nil {
		for other := range k.of {
			if len(k.of) >= keptAtMost {
				delete(k.of, other)
			}
		}
		k.of[p] = &keptGroups{}
	}
	return k.of[p]
}

// grouped returns the groups of gaps, which come newest first.
func (g *Gaps) grouped(ctx context.Context, p place, gaps []Gap) []Group {
	ids := Group{gaps}.ids()
	kept := g.kept.at(p)
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if !slices.Equal(ids, kept.ids) {
		members, _ := membersOf(gaps, g.vectors(ctx, gaps))
		if ctx.Err() != nil {
			return groupsFrom(gaps, members) // perhaps without vectors
		}
		kept.ids, kept.members = ids, members
	}
	return groupsFrom(gaps, kept.members)
}

// membersOf groups gaps, which come newest first, by their places. The oldest question
// begins the first group; each other joins the group to whose first question it is most
// alike, or begins one. The same gaps always make the same groups. Met is how many terms of
// questions were found among those that begin a group.
func membersOf(gaps []Gap, vectors [][]float32) (members [][]int, met int) {
	words := weigh(gaps)
	var firsts []int // the gaps that began the groups
	groupsWith := map[int][]groupWith{}
	for i := len(gaps) - 1; i >= 0; i-- {
		cosines := make([]float64, len(firsts))
		for _, own := range words[i] {
			met += len(groupsWith[own.term])
			for _, in := range groupsWith[own.term] {
				cosines[in.group] += own.weight * in.weight
			}
		}
		best, likeness := -1, 0.0
		for group, first := range firsts {
			by := cosines[group] / alikeByWords
			if vectors != nil {
				by = max(by, dot(vectors[i], vectors[first])/alikeByMeaning)
			}
			if by >= 1 && by > likeness {
				best, likeness = group, by
			}
		}
		if best >= 0 {
			members[best] = append(members[best], i)
			continue
		}
		for _, own := range words[i] {
			groupsWith[own.term] = append(groupsWith[own.term], groupWith{len(firsts), own.weight})
		}
		firsts, members = append(firsts, i), append(members, []int{i})
	}
	for _, member := range members {
		slices.Sort(member) // newest first
	}
	return members, met
}

// groupsFrom are the groups with some members. The largest come first, and among them those
// with the newest question.
func groupsFrom(gaps []Gap, members [][]int) []Group {
	groups := make([]Group, len(members))
	for i, member := range members {
		for _, at := range member {
			groups[i].Gaps = append(groups[i].Gaps, gaps[at])
		}
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Gaps), len(a.Gaps)), cmp.Compare(b.Gaps[0].ID, a.Gaps[0].ID))
	})
	return groups
}

// weighted is a question's terms with their weights, in the order of the terms,
// scaled to length one.
type weighted []weightedTerm

type weightedTerm struct {
	term   int
	weight float64
}

// groupWith is a group whose first question has a term, with its weight there.
type groupWith struct {
	group  int
	weight float64
}

// weigh weighs the terms of questions: as lexical does, and less the more
// questions have them.
func weigh(gaps []Gap) []weighted {
	numbers, in := map[string]int{}, []int{}
	terms := make([][]lexical.Term, len(gaps))
	for i, gap := range gaps {
		terms[i] = lexical.Question(compared(gap), nil)
		for _, t := range terms[i] {
			n, known := numbers[t.Text]
			if !known {
				n = len(in)
				numbers[t.Text], in = n, append(in, 0)
			}
			in[n]++
		}
	}
	all := make([]weighted, len(gaps))
	for i := range gaps {
		length := 0.0
		for _, t := range terms[i] {
			n := numbers[t.Text]
			rarity := 1 + math.Log(float64(len(gaps)+1)/float64(in[n]+1))
			weight := float64(t.Weight) / lexical.Unit * rarity
			length += weight * weight
			all[i] = append(all[i], weightedTerm{n, weight})
		}
		for j := range all[i] {
			all[i][j].weight /= math.Sqrt(length)
		}
		slices.SortFunc(all[i], func(a, b weightedTerm) int { return cmp.Compare(a.term, b.term) })
	}
	return all
}

func dot(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
