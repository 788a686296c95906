package idf

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/retrieval"
)

func termsOf(texts ...string) (list []retrieval.Term) {
	for _, text := range texts {
		list = append(list, retrieval.Term{Text: text, Weight: 1})
	}
	return list
}

func TestCounts(t *testing.T) {
	t.Run("counts are known until the tenant changes", func(t *testing.T) {
		c := NewCounts()
		known := c.Of("a")
		if missing := known.Missing(termsOf("x")); len(missing) != 2 {
			t.Errorf("missing are %q", missing)
		}
		known.Put("", 10)
		known.Put("x", 4)
		c.Of("b").Put("", 3)
		if missing := c.Of("a").Missing(termsOf("x")); len(missing) != 0 {
			t.Errorf("missing are %q", missing)
		}
		got, err := c.Of("a").IDF(termsOf("x"))
		if err != nil || math.Abs(got[0]-math.Log(1+6.5/4.5)) > 1e-12 {
			t.Errorf("the idf is %v (%v)", got, err)
		}
		c.Forget("a")
		known.Put("x", 5) // counted before the change
		if missing := c.Of("a").Missing(termsOf("x")); len(missing) != 2 {
			t.Errorf("after a change missing are %q", missing)
		}
		if missing := c.Of("b").Missing(nil); len(missing) != 0 {
			t.Errorf("of another tenant missing are %q", missing)
		}
		c.ForgetAll()
		if missing := c.Of("b").Missing(nil); len(missing) != 1 {
			t.Errorf("after a rebuild missing are %q", missing)
		}
	})
	t.Run("counts expire after a while", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := NewCounts()
			c.Of("a").Put("", 10)
			<-time.After(countsKept - 1)
			if len(c.Of("a").Missing(nil)) != 0 {
				t.Error("they are forgotten too soon")
			}
			<-time.After(1)
			if len(c.Of("a").Missing(nil)) != 1 {
				t.Error("they are kept too long")
			}
		})
	})
	t.Run("memory is bounded in tenants and terms, and the last used ones are kept", func(t *testing.T) {
		c := NewCounts()
		c.Of("first").Put("", 1)
		for i := range 2 * countedTenants {
			c.Of(fmt.Sprint("tenant ", i)).Put("", 1)
			c.Of("first")
		}
		if c.tenants.Len() != countedTenants {
			t.Errorf("%d tenants are kept", c.tenants.Len())
		}
		first := c.Of("first")
		if len(first.Missing(nil)) != 0 {
			t.Error("the tenant used last is forgotten")
		}
		for i := range 2*countedTerms + 1 {
			first.Put(fmt.Sprint("term ", i), 1)
		}
		if first.terms.Len() > countedTerms || len(first.Missing(nil)) != 0 {
			t.Errorf("%d terms are kept", first.terms.Len())
		}
	})
}

func TestGuessedIDF(t *testing.T) {
	t.Run("terms that most hits have count as common", func(t *testing.T) {
		at := func(terms ...int32) (hit retrieval.Hit) {
			for i, term := range terms {
				hit.Occurrences = append(hit.Occurrences, retrieval.Occurrence{Term: term, At: int32(i)})
			}
			return hit
		}
		got := Guess(termsOf("common", "rare", "unknown"), []retrieval.Hit{at(0, 0, 1), at(0), at(0, 0)})
		if !(0 < got[0] && got[0] < got[1] && got[1] < got[2]) {
			t.Errorf("the guesses are %v", got)
		}
	})
}
