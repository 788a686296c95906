package insight

import (
	"fmt"
	"reflect"
	"testing"
)

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
