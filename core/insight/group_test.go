package insight

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func groupsOf(gaps []Gap, vectors [][]float32) []Group {
	members, _ := membersOf(gaps, vectors)
	return groupsFrom(gaps, members)
}

// asked are gaps of questions, the first asked first.
func asked(questions ...string) []Gap {
	gaps := make([]Gap, len(questions))
	for i, question := range questions {
		gaps[len(gaps)-1-i] = Gap{ID: int64(i + 1), MessageID: int64(100 + i), Question: question, Reason: Unknown}
	}
	return gaps
}

// shape is how many questions each group has.
func shape(groups []Group) (sizes []int) {
	for _, group := range groups {
		sizes = append(sizes, len(group.Gaps))
	}
	return sizes
}

func TestAlikeQuestionsAreOneGroup(t *testing.T) {
	groups := groupsOf(asked(
		"Do you ship to Norway?",
		"Can I pay by invoice?",
		"do you ship to norway",
		"Is it possible to ship to Norway, please?",
		"Can I get an invoice to pay?",
		"What is the meaning of life?",
	), nil)
	if got := shape(groups); !reflect.DeepEqual(got, []int{3, 2, 1}) {
		t.Errorf("the groups have %v questions: %+v", got, groups)
	}
	if q := groups[0].Question(); q != "Is it possible to ship to Norway, please?" {
		t.Errorf("the first group is called %q", q)
	}
}

func TestQuestionsThatAreNotAlikeStayApart(t *testing.T) {
	groups := groupsOf(asked("Do you ship to Norway?", "Do you ship to Chile?", "Do you have vouchers?", "???", "!"), nil)
	if got := len(groups); got != 5 {
		t.Errorf("there are %d groups: %+v", got, groups)
	}
}

func TestVectorsJoinWhatWordsDoNot(t *testing.T) {
	gaps := asked("Where is my parcel?", "When does my package arrive?", "Who are you?")
	near := [][]float32{{0, 1}, {0.95, 0.3}, {1, 0}} // newest first
	if got := shape(groupsOf(gaps, near)); !reflect.DeepEqual(got, []int{2, 1}) {
		t.Errorf("the groups have %v questions", got)
	}
}

func TestGroupsAreTheSameEachTime(t *testing.T) {
	var questions []string
	for i := range GroupedAtMost {
		questions = append(questions, fmt.Sprintf("How do I change the %s of order %d?", []string{"address", "size", "date"}[i%3], i%17))
	}
	first := groupsOf(asked(questions...), nil)
	for range 3 {
		if !reflect.DeepEqual(first, groupsOf(asked(questions...), nil)) {
			t.Fatal("they differ")
		}
	}
}

func TestGroupsTakeLinearWork(t *testing.T) {
	for name, question := range map[string]func(i int) string{
		"of their own words": func(i int) string { return fmt.Sprintf("w%da w%db w%dc", i, i, i) },
		"in one another's neighborhood": func(i int) string {
			var words strings.Builder
			for n := range 40 {
				fmt.Fprintf(&words, "w%d ", i*5+n)
			}
			return words.String()
		},
	} {
		t.Run("questions "+name, func(t *testing.T) {
			met := func(n int) int {
				var questions []string
				for i := range n {
					questions = append(questions, question(i))
				}
				_, met := membersOf(asked(questions...), nil)
				return met
			}
			if few, many := met(GroupedAtMost/8), met(GroupedAtMost); many > 10*few {
				t.Errorf("%d questions meet %d terms, and 8 times as many %d", GroupedAtMost/8, few, many)
			}
		})
	}
}

// shelf has gaps.
type shelf struct {
	GapStore
	gaps []Gap
}

func (s *shelf) Gaps(_ context.Context, _, _ string, _ State, limit int) ([]Gap, error) {
	return s.gaps[:min(limit, len(s.gaps))], nil
}

// counting counts the questions that it makes vectors of.
type counting struct{ questions int }

func (c *counting) Questions(_ context.Context, texts []string) ([][]float32, error) {
	c.questions += len(texts)
	return make([][]float32, len(texts)), nil
}

func (*counting) Costly() bool   { return false }
func (*counting) Centered() bool { return true }

func TestGroupsAreMadeOnceForTheSameGaps(t *testing.T) {
	s, c := &shelf{gaps: asked("Do you ship to Norway?", "Do you ship to Norway", "Can I pay by invoice?")}, &counting{}
	g := NewGaps(s, nil, c, time.Now)
	view := func(what string, chatbot string, among, compared int, want ...int) {
		t.Helper()
		c.questions = 0
		groups, err := g.Newest(t.Context(), "ws_1", chatbot, among)
		if err != nil || c.questions != compared || !reflect.DeepEqual(shape(groups), want) {
			t.Errorf("%s: %d questions are compared, %v, and the groups have %v", what, c.questions, err, shape(groups))
		}
	}
	view("the first view", "cb_1", 10, 3, 2, 1)
	view("the second", "cb_1", 10, 0, 2, 1)
	view("of another chatbot", "cb_2", 10, 3, 2, 1)
	view("of fewer", "cb_1", 2, 2, 1, 1)
	s.gaps = asked("Do you ship to Norway?", "Do you ship to Norway", "Can I pay by invoice?", "Can I pay by invoice")
	view("with another gap", "cb_1", 10, 4, 2, 2)
	s.gaps = s.gaps[1:]
	view("with one less", "cb_1", 10, 3, 2, 1)
	for i := range 2 * keptAtMost {
		view("of many chatbots", fmt.Sprintf("cb_of_many_%d", i), 10, 3, 2, 1)
	}
	if n := len(g.kept.of); n > keptAtMost {
		t.Errorf("the groups of %d chatbots are kept", n)
	}
}

func BenchmarkGroups(b *testing.B) {
	var questions []string
	for i := range GroupedAtMost {
		questions = append(questions, fmt.Sprintf("Question %d about thing %d and matter %d of kind %d", i, i*7, i*13, i%50))
	}
	gaps := asked(questions...)
	for b.Loop() {
		groupsOf(gaps, nil)
	}
}
