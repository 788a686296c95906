package answers

import "testing"

// Pages of made-up businesses, and what their customers ask, as passages are encoded where
// nothing says otherwise. The questions were written before their answers were read. The
// mechanisms were chosen with the first four in view, and never with the others: nothing
// is to be mended by the answers for these four.
func TestAnswersForStrangers(t *testing.T) {
	t.Parallel()
	for _, c := range strangers {
		folder := "strangers/" + c.name
		asked := newEncodedBusiness(t, pagesIn(t, folder+"/*.md", folder+"/*.txt"))
		t.Run("questions are answered: "+c.name, func(t *testing.T) {
			asked.check(t, folder+"/questions", c.answered)
		})
		t.Run("questions that nobody can answer there get no answer: "+c.name, func(t *testing.T) {
			asked.check(t, folder+"/unanswerable", c.refused)
		})
	}
}

// strangers have what is reached, or one or two less.
var strangers = []struct {
	name              string
	answered, refused int
}{
	{"dental", 12, 6},
	{"hotel", 14, 4},
	{"saas", 10, 5},
	{"city", 15, 4},
	{"museum", 11, 6},
	{"energy", 13, 5},
	{"vet", 14, 3},
	{"cowork", 14, 4},
	{"bicycles", 14, 3},
	{"cars", 14, 3},
	{"escuela", 14, 3},
	{"garten", 14, 3},
	{"pharmacy", 14, 3},
	{"wedding", 14, 3},
}
