package extract

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/text/split"
	"parley/text/tokens"
)

var sizes = split.Sizes{Aim: 100, Limit: 200, Count: tokens.Count}

func TestSplitInChild(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Übersicht\n\n| a | b |\n|---|---|\n" + strings.Repeat("| eins | zwei |\n", 300))
	for i := range 800 {
		fmt.Fprintf(&b, "## Abschnitt %d\n\n### Wie geht das %d?\n\nSo geht es, ganz genau, Schritt für Schritt: %s\n\n", i, i, strings.Repeat("weiter ", i%80))
	}
	text := "```go\n" + strings.Repeat("x := 1\n", 500) + "```\n\n" + b.String()
	for what, d := range map[string]split.Document{
		"Markdown":   {ID: "doc", Title: "T", Content: text, Places: []split.Place{{Name: "first"}, {Offset: 5000, Name: "second"}}},
		"plain text": {ID: "doc", Title: "T", Content: text, Plain: true},
		"pairs":      {ID: "doc", Title: "T", Content: text, Pairs: true},
	} {
		t.Run(what+" is split in the child as it is here", func(t *testing.T) {
			e := newExtractor(t, Limits{})
			children := 0
			e.began = func(int) { children++ }
			got, err := e.Split(t.Context(), d, sizes)
			if err != nil {
				t.Fatal(err)
			}
			if want := split.Split(d, sizes); !reflect.DeepEqual(got, want) {
				t.Errorf("there are %d passages, want %d", len(got), len(want))
			}
			if children != 1 {
				t.Errorf("%d children were started", children)
			}
		})
	}
}

func TestLargeDocumentsAreReadInChildren(t *testing.T) {
	for kind, unit := range map[knowledge.Kind]string{
		knowledge.CSV: "name,value\n", knowledge.Pairs: "", knowledge.Markdown: "- a line\n", knowledge.Text: "a line\n", knowledge.HTML: "<p>a</p>",
	} {
		body := strings.Repeat(unit, 6_000)
		if kind == knowledge.Pairs {
			body = "question,answer\n" + strings.Repeat("who,me\n", 6_000)
		}
		t.Run(string(kind)+" of more than 32 KiB", func(t *testing.T) {
			e := newExtractor(t, Limits{})
			children := 0
			e.began = func(int) { children++ }
			for _, declared := range []knowledge.Kind{"", kind} {
				in := Input{Kind: declared, Name: map[knowledge.Kind]string{knowledge.CSV: "a.csv", knowledge.Pairs: "a.csv", knowledge.Markdown: "a.md", knowledge.Text: "a.txt", knowledge.HTML: "a.html"}[kind], Body: []byte(body)}
				result, err := e.Extract(t.Context(), in)
				if err != nil || result.Kind != kind || len(result.Markdown) < small/2 {
					t.Errorf("it is %q with %d bytes, %v", result.Kind, len(result.Markdown), err)
				}
			}
			if children != 2 {
				t.Errorf("%d children were started for two documents", children)
			}
		})
	}
	t.Run("a small text takes no child", func(t *testing.T) {
		e := newExtractor(t, Limits{})
		e.began = func(int) { t.Error("a child was started") }
		if _, err := e.Extract(t.Context(), Input{Name: "a.md", Body: []byte("# Hello\n")}); err != nil {
			t.Error(err)
		}
		if _, err := e.Split(t.Context(), split.Document{Content: "# Hello\n\nYou.\n"}, sizes); err != nil {
			t.Error(err)
		}
	})
	t.Run("where no child can be confined, texts are read and split here, and nothing else is read", func(t *testing.T) {
		e := newExtractor(t, Limits{})
		e.program = child(e.program[2], "unconfined-child")
		text := strings.Repeat("- a line\n", 6_000)
		if _, err := e.Extract(t.Context(), Input{Name: "a.md", Body: []byte(text)}); err != nil {
			t.Error(err)
		}
		if passages, err := e.Split(t.Context(), split.Document{Content: text}, sizes); err != nil || len(passages) == 0 {
			t.Error(err)
		}
		if _, err := e.Extract(t.Context(), Input{Name: "a.html", Body: []byte(strings.Repeat("<p>a", 20_000))}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("a page gets %v", err)
		}
	})
}

// replies are what a child answers that a document has taken over.
var replies = map[string]func() string{
	"places":   func() string { return `{"result":{"Markdown":"x","Places":[` + many(`{}`) + `]}}` },
	"links":    func() string { return `{"result":{"Markdown":"x","Page":{"links":[` + many(`""`) + `]}}}` },
	"cuts":     func() string { return `{"cuts":[` + many(`{}`) + `]}` },
	"headings": func() string { return `{"headings":[` + many(`{}`) + `]}` },
	"frames":   func() string { return `{"frames":[` + many(`{}`) + `]}` },
	"overlap":  func() string { return `{"cuts":[{"s":0,"e":9},{"s":0,"e":9}]}` },
	"beyond":   func() string { return `{"cuts":[{"s":0,"e":99999999}]}` },
	"unknown":  func() string { return `{"cuts":[{"s":0,"e":9,"h":7}]}` },
	"deep": func() string {
		return `{"headings":[{"t":"a"},{"a":1,"t":"b"},{"a":2,"t":"c"},{"a":3,"t":"d"},{"a":4,"t":"e"},{"a":5,"t":"f"},{"a":6,"t":"g"}]}`
	},
	"frame": func() string {
		framed, _ := json.Marshal(strings.Repeat("f", 1<<20))
		cuts := make([]string, 100)
		for i := range cuts {
			cuts[i] = fmt.Sprintf(`{"s":%d,"e":%d,"f":1}`, i, i+1)
		}
		return `{"frames":[{"h":` + string(framed) + `}],"cuts":[` + strings.Join(cuts, ",") + `]}`
	},
}

func many(element string) string {
	return strings.TrimSuffix(strings.Repeat(element+",", 8<<20/(len(element)+1)), ",")
}

func TestRepliesAreBounded(t *testing.T) {
	text := strings.Repeat("words ", 20_000)
	for what := range replies {
		t.Run("a reply with "+what+" that no document has is refused", func(t *testing.T) {
			e := newExtractor(t, Limits{Time: time.Minute})
			e.beBad("replies:" + what)
			var err error
			if what == "places" || what == "links" {
				_, err = e.Extract(t.Context(), Input{Kind: knowledge.HTML, Body: []byte("<p>x")})
			} else {
				_, err = e.Split(t.Context(), split.Document{Content: text}, sizes)
			}
			if !fault.Is(err, fault.Invalid) || !strings.Contains(fault.As(err).Message, "could not read") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// mostOfSmall is how many bytes may be made of a small text, what is freed at once included.
const mostOfSmall = 16 << 20

func TestSmallTextsTakeLittle(t *testing.T) {
	for _, unit := range []string{"# a\n", "a\n\n", "- a\n", "## a\n\nb\n\n", "> a\n\n", "a ", "- - - - - a\n", "| a | b |\n", ",", "[a]: b\n", "<p>\n", "*a* "} {
		t.Run(fmt.Sprintf("%q, however often it stands in a small text", unit), func(t *testing.T) {
			text := strings.Repeat(unit, small/len(unit))
			var before, after runtime.MemStats
			tokens.Count("load the vocabulary")
			runtime.ReadMemStats(&before)
			if _, err := splitHere(split.Document{Content: text}, sizes); err != nil {
				t.Fatal(err)
			}
			if _, err := read(Input{Kind: knowledge.Markdown, Body: []byte(text)}, Limits{}.OrDefault()); err != nil {
				t.Fatal(err)
			}
			if _, err := read(Input{Kind: knowledge.Text, Body: []byte(text)}, Limits{}.OrDefault()); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			made := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d KiB are made", made>>10)
			if made > mostOfSmall {
				t.Errorf("%d MiB are made of %d KiB", made>>20, len(text)>>10)
			}
		})
	}
}

func TestPartsAreCounted(t *testing.T) {
	e := newExtractor(t, Limits{})
	for _, c := range []struct{ what, text, want string }{
		{"headings", strings.Repeat("# a\n", 100_001), "more than 100,000 headings"},
		{"paragraphs", strings.Repeat("a\n\n", 500_001), "more than 500,000 paragraphs"},
	} {
		t.Run("more "+c.what+" than a document may have are refused", func(t *testing.T) {
			_, err := e.Split(t.Context(), split.Document{Content: c.text}, sizes)
			if !fault.Is(err, fault.TooLarge) || !strings.Contains(fault.As(err).Message, c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("more questions than passages are refused", func(t *testing.T) {
		_, err := e.Split(t.Context(), split.Document{Pairs: true, Content: strings.Repeat("## a\n\nb\n\n", 50_001)}, sizes)
		if !fault.Is(err, fault.TooLarge) || !strings.Contains(fault.As(err).Message, "more than 50,000 passages") {
			t.Errorf("got %v", err)
		}
	})
}

// replyWith is a bad child that answers with one of the replies.
func replyWith(what string) {
	if _, err := os.Stdout.WriteString(replies[what]()); err != nil {
		os.Exit(1)
	}
}
