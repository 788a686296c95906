package stats

import (
	"cmp"
	"maps"
	"slices"

	"parley/core/chat"
)

// sum is what records of one chatbot and day add.
type sum struct {
	workspaceID, chatbotID string
	day                    Day
	documents, topics      map[string]int
	// unknown are the answers that said that they do not know.
	unknown []int64
}

// fold sums records up, in the order of chatbots and days: all rollers lock rows
// in it.
func fold(records []Record) []*sum {
	type key struct{ chatbotID, date string }
	sums := map[key]*sum{}
	for i := range records {
		r := &records[i]
		if !r.Counts {
			continue
		}
		k := key{r.ChatbotID, dateOf(r.At)}
		s := sums[k]
		if s == nil {
			s = &sum{workspaceID: r.WorkspaceID, chatbotID: r.ChatbotID, day: Day{Date: k.date}, documents: map[string]int{}, topics: map[string]int{}}
			sums[k] = s
		}
		s.count(r)
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b *sum) int {
		return cmp.Or(cmp.Compare(a.chatbotID, b.chatbotID), cmp.Compare(a.day.Date, b.day.Date))
	})
}

func (s *sum) count(r *Record) {
	s.day.count(r)
	if r.Outcome == chat.NoAnswer {
		s.unknown = append(s.unknown, r.MessageID)
		return
	}
	for _, document := range r.documents() {
		s.documents[document]++
	}
	if topic := r.topic(); topic != "" {
		s.topics[topic]++
	}
}

// tallies are the counts of the day, and of its month.
func (s *sum) tallies() (all []Tally) {
	for _, period := range []string{s.day.Date, monthOf(s.day.Date)} {
		if len(s.documents) > 0 {
			all = append(all, Tally{period, Documents, s.documents})
		}
		if len(s.topics) > 0 {
			all = append(all, Tally{period, Topics, s.topics})
		}
	}
	return all
}
