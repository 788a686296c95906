package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The handbook is what Parley answers from: always the same, so that figures of
// different days and programs can be compared.
const (
	handbookDocuments = 24
	handbookSections  = 12
	sectionSentences  = 9
)

// handbookWords are what it speaks of, the commonest first. The question's
// words are among them.
var handbookWords = strings.Fields(`
	token chatbot answer question document workspace plan owner request key server page message passage model stream
	API conversation knowledge account email invitation revoke create change delete upload crawl index search read write
	store count limit month price invoice receipt card payment refund customer member role permission session password
	address domain header status error retry timeout queue worker lease lock backup restore migrate deploy replica cluster
	database table column row file folder image heading paragraph sentence word language title link source version hash
	setting option default secret log metric alarm report export import schedule calendar holiday office region country
	currency tax discount coupon trial upgrade downgrade cancel renew expire rotate encrypt sign verify audit policy
	delivery parcel courier warehouse return exchange warranty repair battery charger cable screen keyboard printer
	kitchen garden window ladder bicycle engine bridge harbour valley mountain river forest weather thunder morning`)

// writeHandbook writes the handbook's documents and returns their paths.
func writeHandbook(dir string) ([]string, error) {
	random := rand.New(rand.NewPCG(1, 2))
	paths := make([]string, handbookDocuments)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprintf("handbook-%02d.md", i+1))
		if err := os.WriteFile(paths[i], []byte(handbookDocument(random, i+1)), 0o600); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

func handbookDocument(random *rand.Rand, number int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Handbook, part %d\n", number)
	for range handbookSections {
		fmt.Fprintf(&b, "\n## The %s of a %s\n\n", handbookWord(random), handbookWord(random))
		for range sectionSentences {
			fmt.Fprintf(&b, "To %s the %s of a %s, first look at its %s and then at the %s, which a %s may %s once in a %s. ",
				handbookWord(random), handbookWord(random), handbookWord(random), handbookWord(random),
				handbookWord(random), handbookWord(random), handbookWord(random), handbookWord(random))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// handbookWord draws a word, the common ones more often.
func handbookWord(random *rand.Rand) string {
	return handbookWords[int(float64(len(handbookWords))*math.Pow(random.Float64(), 2))]
}
