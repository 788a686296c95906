package language

import (
	"embed"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// All that Parley knows about a language stands in its file: sections such as [words], of
// lines that are words or "name = text".
//
//go:embed data/*.txt
var data embed.FS

// sections has the lines of each section of each language.
var sections = sync.OnceValue(func() map[Code]map[string][]string {
	all := map[Code]map[string][]string{}
	files, _ := data.ReadDir("data") // it is embedded
	for _, file := range files {
		text, _ := data.ReadFile("data/" + file.Name())
		section, lines := "", map[string][]string{}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if name, begins := strings.CutPrefix(line, "["); begins {
				section = strings.TrimSuffix(name, "]")
			} else if line != "" {
				lines[section] = append(lines[section], line)
			}
		}
		all[Code(strings.TrimSuffix(file.Name(), ".txt"))] = lines
	}
	return all
})

// Codes are the languages that have a file, in alphabetical order.
func Codes() []Code { return slices.Sorted(maps.Keys(sections())) }

// OrEnglish is the language, or English for a language without a file.
func (c Code) OrEnglish() Code {
	if sections()[c] == nil {
		return English
	}
	return c
}

// Lines are the lines of a section of the language's file. It may have none.
func (c Code) Lines(section string) []string { return sections()[c][section] }

// Words are all words of a section.
func (c Code) Words(section string) []string {
	return strings.Fields(strings.Join(c.Lines(section), " "))
}

// Set has the words of a section.
func (c Code) Set(section string) map[string]bool { return setOf(c.Words(section)) }

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}

// List has the words of a line of the section [lists], or the phrases between its bars.
func (c Code) List(name string) map[string]bool {
	text := maps.Collect(c.Named("lists"))[name]
	items := strings.Fields(text)
	if strings.Contains(text, "|") {
		items = strings.Split(text, "|")
	}
	return setOf(items)
}

// InAny has the words or phrases of such a line in any language.
func InAny(name string) map[string]bool {
	set := map[string]bool{}
	for _, code := range Codes() {
		maps.Copy(set, code.List(name))
	}
	return set
}

// Named are the lines "name = text" of a section, in order.
func (c Code) Named(section string) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for _, line := range c.Lines(section) {
			name, text, _ := strings.Cut(line, "=")
			if !yield(strings.TrimSpace(name), strings.TrimSpace(text)) {
				return
			}
		}
	}
}

// Once calls a function once for each language, when its result is first asked for.
func Once[T any](read func(Code) T) func(Code) T {
	var results sync.Map
	return func(c Code) T {
		if known, ok := results.Load(c); ok {
			return known.(T)
		}
		known, _ := results.LoadOrStore(c, read(c))
		return known.(T)
	}
}
