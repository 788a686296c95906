package tokens

import (
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"
)

const prose = "The router's light blinks orange, e.g. while it starts.\n\n" +
	"- Press the button for 10 seconds.\n- Wait; it restarts.\n\n```go\nfunc main() {\n\tfmt.Println(\"hi\")\n}\n```\n" +
	"Größe: 1234,5 m². Привет, мир! 你好,世界。 これはテストです。 👩‍👩‍👧 🎉\r\nWe'll see: it's A/B-tested.\n"

func TestCount(t *testing.T) {
	t.Run("known texts have the counts that the encoding's authors publish", func(t *testing.T) {
		for text, want := range map[string]int{"": 0, "hello world": 2, "tiktoken is great!": 6} {
			if got := Count(text); got != want {
				t.Errorf("Count(%q) = %d, want %d", text, got, want)
			}
		}
	})
	t.Run("counting by words equals tokenizing the whole text", func(t *testing.T) {
		for _, counter := range []*Counter{o200k, cl100k} {
			assertSameAsWhole(t, counter, prose)
		}
	})
	t.Run("counting by words is exact for any mixture of letters, spaces and signs", func(t *testing.T) {
		letters := []rune("aB'sé中ß1٣<=@~ \t\n\r\u00a0\u3000/.,!\"#`-_😀\u0301\u200d(")
		rapid.Check(t, func(t *rapid.T) {
			text := string(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 60).Draw(t, "text"))
			for _, counter := range []*Counter{o200k, cl100k} {
				assertSameAsWhole(t, counter, text)
			}
		})
	})
	t.Run("bytes that are not UTF-8 are counted, not refused", func(t *testing.T) {
		if got := Count("a \xff\xfe b \xe4\xbd"); got < 3 {
			t.Errorf("Count = %d, want at least 3", got)
		}
	})
	t.Run("a text past the exact limit is extrapolated from its start", func(t *testing.T) {
		part := strings.Repeat("seven words are in this short line\n", exactBytes/35)
		one, four := Count(part), Count(strings.Repeat(part, 4))
		if low, high := one*39/10, one*41/10; four < low || four > high {
			t.Errorf("four times the text has %d tokens, want %d to %d", four, low, high)
		}
	})
	t.Run("a word too long to be counted at once is counted in parts", func(t *testing.T) {
		word := strings.Repeat("x", 10*longWord)
		if got, want := Count(word), 10*Count(word[:longWord]); got != want {
			t.Errorf("Count = %d, want %d", got, want)
		}
	})
	t.Run("concurrent counts agree", func(t *testing.T) {
		counter := newCounter(codec.NewO200kBase)
		want := Count(prose)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got := counter.Count(prose); got != want {
					t.Errorf("Count = %d, want %d", got, want)
				}
			})
		}
		all.Wait()
	})
}

func TestFor(t *testing.T) {
	t.Run("older models count in cl100k_base, all others in o200k_base", func(t *testing.T) {
		for model, want := range map[string]*Counter{
			"gpt-4": cl100k, "gpt-4-turbo": cl100k, "gpt-3.5-turbo-0125": cl100k, "openai/gpt-4-0613": cl100k,
			"ft:gpt-3.5-turbo:acme::1": cl100k, "ft:gpt-4:acme": cl100k, "ft:gpt-4o:acme": o200k,
			"gpt-4o": o200k, "gpt-4.1-mini": o200k, "o3": o200k, "llama3.2:3b": o200k, "": o200k, "models/": o200k,
		} {
			if For(model) != want {
				t.Errorf("For(%q) is the wrong encoding", model)
			}
		}
	})
}

func assertSameAsWhole(t interface {
	Helper()
	Errorf(string, ...any)
}, counter *Counter, text string,
) {
	t.Helper()
	want, err := counter.codec().Count(text)
	if err != nil {
		t.Errorf("counting %q whole: %v", text, err)
	}
	if got := counter.Count(text); got != want {
		t.Errorf("%s: Count(%q) = %d, want %d", counter.codec().GetName(), text, got, want)
	}
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat(prose, 10)
	b.Run("by words", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			Count(text)
		}
	})
	b.Run("whole", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := o200k.codec().Count(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
