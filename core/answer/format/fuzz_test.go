package format_test

import (
	"testing"

	"parley/core/answer/format"
)

func addSeeds(f *testing.F) {
	for _, markdown := range hostileFiles(f) {
		f.Add(markdown)
	}
	for _, piece := range repeated {
		f.Add(piece + piece + " x " + piece)
	}
	f.Add(ordinary(1))
}

func FuzzHTML(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, markdown string) {
		checkHTML(t, format.Render(markdown, format.HTML, goodHosts))
	})
}

func FuzzPlainText(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, markdown string) {
		checkCharacters(t, format.Render(markdown, format.PlainText, goodHosts))
	})
}

func BenchmarkRender(b *testing.B) {
	markdown := ordinary(2 << 10)
	for _, to := range []format.Format{format.HTML, format.PlainText} {
		b.Run(string(to), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(markdown)))
			for b.Loop() {
				format.Render(markdown, to, goodHosts)
			}
		})
	}
}
