package markdown_test

import (
	"testing"

	"parley/text/markdown"
)

func addSeeds(f *testing.F) {
	for _, written := range hostileFiles(f) {
		f.Add(written)
	}
	for _, piece := range repeated {
		f.Add(piece + piece + " x " + piece)
	}
	f.Add(ordinary(1))
}

func FuzzHTML(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, written string) {
		checkHTML(t, markdown.Render(written, markdown.HTML, goodHosts))
	})
}

func FuzzPlainText(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, written string) {
		checkCharacters(t, markdown.Render(written, markdown.PlainText, goodHosts))
	})
}

func BenchmarkRender(b *testing.B) {
	written := ordinary(2 << 10)
	for _, to := range []markdown.Format{markdown.HTML, markdown.PlainText} {
		b.Run(string(to), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(written)))
			for b.Loop() {
				markdown.Render(written, to, goodHosts)
			}
		})
	}
}
