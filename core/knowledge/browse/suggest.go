package browse

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/core/knowledge"
	"parley/core/retrieval"
)

const (
	// suggestions is how many questions are suggested.
	suggestions = 3
	// sampledDocuments is how many documents they are taken from, and
	// sampledPassages how many passages at the beginning of each.
	sampledDocuments = 12
	sampledPassages  = 8
	// A heading of fewer or more characters suggests nothing.
	leastHeading, mostHeading = 3, 90
)

// Sample is a document with its first passages.
type Sample struct {
	Kind     knowledge.Kind
	Title    string
	Passages []retrieval.Passage
}

// Suggestions are up to three questions that a chatbot's knowledge should answer,
// each from another document where there are several: first questions that have
// been answered there, then headings that ask, then what else it tells.
func (b *Browser) Suggestions(ctx context.Context, workspaceID, chatbotID string) ([]string, error) {
	if _, err := b.chatbots.Chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	samples, err := b.lists.Samples(ctx, workspaceID, chatbotID, sampledDocuments, sampledPassages)
	if err != nil {
		return nil, err
	}
	return suggest(samples), nil
}

// suggest takes turns between documents, in rounds: what each has of the
// best kind of question comes before the next kind.
func suggest(samples []Sample) []string {
	asked := make([][kinds][]string, len(samples))
	for i, s := range samples {
		asked[i] = s.questions()
	}
	chosen, seen := []string{}, map[string]bool{}
	for kind := range kinds {
		for depth, more := 0, true; more; depth++ {
			more = false
			for _, of := range asked {
				if depth >= len(of[kind]) {
					continue
				}
				more = true
				question := of[kind][depth]
				if key := strings.ToLower(question); !seen[key] {
					seen[key] = true
					chosen = append(chosen, question)
				}
				if len(chosen) == suggestions {
					return chosen
				}
			}
		}
	}
	return chosen
}

// The kinds of questions, the best first: those of pairs, headings that ask,
// questions that first sentences answer and that headings make, what the title is
// about, and headings that are quoted.
const (
	ofPairs = iota
	headingsThatAsk
	made
	ofTitle
	quoted
	kinds
)

// questions are those of a document, by their kinds.
func (s Sample) questions() (found [kinds][]string) {
	var whole strings.Builder
	for _, p := range s.Passages {
		whole.WriteString(p.Text)
	}
	text := whole.String()
	if s.Kind != knowledge.Pairs {
		for _, p := range s.Passages {
			if question := answered(firstSentence(p.Text)); question != "" {
				found[made] = append(found[made], question)
			}
		}
	}
	for _, heading := range s.headings() {
		switch {
		case s.Kind == knowledge.Pairs && heading != s.Title:
			found[ofPairs] = append(found[ofPairs], asking(heading))
		case s.Kind == knowledge.Pairs:
		case strings.HasSuffix(heading, "?"):
			if selfContained(heading) {
				found[headingsThatAsk] = append(found[headingsThatAsk], heading)
			}
		case tellsSomething(heading):
			question, good := ask(heading, text)
			kind := made
			if !good {
				kind = quoted
			} else if heading == s.Title { // what is below it is more to the point
				kind = ofTitle
			}
			found[kind] = append(found[kind], question)
		}
	}
	return found
}

var (
	headingLine = regexp.MustCompile(`(?m)^#{1,6}[ \t]+(.+?)[ \t]*#*$`)
	fenced      = regexp.MustCompile("(?ms)^(```|~~~).*?^(```|~~~)")
	// marks are those of Markdown within a heading, but for links.
	marks = strings.NewReplacer("**", "", "__", "", "`", "", "\\", "")
	links = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	// numbered is the number of a chapter.
	numbered = regexp.MustCompile(`^(\d+(\.\d+)*[.)]?|[A-Z]\.|§+\s*\d+)\s+`)
)

// headings are those above and within the passages, in their order, each once.
func (s Sample) headings() []string {
	var all []string
	add := func(heading string) {
		heading = numbered.ReplaceAllString(strings.TrimSpace(marks.Replace(links.ReplaceAllString(heading, "$1"))), "")
		heading = strings.Join(strings.Fields(heading), " ")
		n := utf8.RuneCountInString(heading)
		if n >= leastHeading && n <= mostHeading && !slices.Contains(all, heading) {
			all = append(all, heading)
		}
	}
	for _, p := range s.Passages {
		for _, heading := range p.HeadingPath {
			add(heading)
		}
		for _, match := range headingLine.FindAllStringSubmatch(fenced.ReplaceAllString(p.Text, ""), -1) {
			add(match[1])
		}
	}
	return all
}

// general are headings that stand in any document.
var general = func() map[string]bool {
	set := map[string]bool{}
	for _, heading := range strings.Split(`introduction|intro|overview|contents|table of contents|toc|faq|faqs|frequently asked questions|about|about us|index|
home|homepage|summary|conclusion|conclusions|appendix|notes|note|menu|navigation|references|related|see also|links|imprint|cookies|main|
untitled|document|general|misc|miscellaneous|other|more|welcome|start|read more|next|previous|search|footer|header|example|examples`, "|") {
		set[strings.TrimSpace(heading)] = true
	}
	return set
}()

var (
	// parts are the names of parts of a file, such as "Page 3".
	parts = regexp.MustCompile(`(?i)^(page|sheet|slide|chapter|section|part|table|figure|row)\s*\d*$`)
	file  = regexp.MustCompile(`(?i)(\.[a-z0-9]{1,5}$|^https?:|^www\.|/)`)
)

// tellsSomething reports whether a heading says what is below it.
func tellsSomething(heading string) bool {
	return strings.ContainsFunc(heading, unicode.IsLetter) && !general[strings.ToLower(strings.TrimRight(heading, ":"))] &&
		!parts.MatchString(heading) && !file.MatchString(heading)
}

func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
		at = end
	}
}

// interrogatives begin questions.
var interrogatives = regexp.MustCompile(`(?i)^(who|what|when|where|which|whose|why|how|is|are|do|does|did|can|could|may|will|would|should|was|were|have|has)\b`)

// asking is the question of a pair, with its mark.
func asking(question string) string {
	if interrogatives.MatchString(question) && !strings.ContainsAny(question[len(question)-1:], "?.!") {
		return question + "?"
	}
	return question
}
