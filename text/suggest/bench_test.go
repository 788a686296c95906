package suggest

import (
	"fmt"
	"strings"
	"testing"
)

// asLarge are as many documents as are read for a chatbot of any size, of passages as
// large as they get.
func asLarge(heading string) []Document {
	var all []Document
	for d := range 12 {
		var texts []string
		for p := range 8 {
			var b strings.Builder
			for i := 0; b.Len() < 8000; i++ {
				if strings.Contains(heading, "%d") {
					fmt.Fprintf(&b, heading, d*10000+p*1000+i)
				} else if i == 0 {
					b.WriteString(heading)
				}
				b.WriteString("We sell the bikes of many makers to all of you.\n")
			}
			texts = append(texts, b.String())
		}
		all = append(all, sample(headed, fmt.Sprintf("Document %d about bikes", d), texts...))
	}
	return all
}

func BenchmarkGreeting(b *testing.B) {
	for name, heading := range map[string]string{
		"usual":                  "## Selling the bikes\n\n",
		"thousands of headings":  "## Selling bike %d\n\n",
		"thousands of questions": "## Can I sell the %d?\n\n",
	} {
		documents := asLarge(heading)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				library := Read(documents)
				library.Welcome("Harbor")
				library.Questions(4)
			}
		})
	}
}
