package suggest

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/fence"
	"parley/text/language"
)

const (
	// A heading of fewer or more characters suggests nothing.
	leastHeading, mostHeading = 3, 90
	// mostWritten is how long one is with its marks, in bytes, and mostWord how long a
	// word of it, in characters.
	mostWritten, mostWord = 1000, 40
	// mostSections is how many sections of a document are looked at.
	mostSections = 60
	// mostBody is how much of a section is looked at, in bytes.
	mostBody = 2000
)

// section is a heading with what stands between it and the next.
type section struct {
	heading string
	body    string
	// ordinal is the ordinal of the first passage that has the section.
	ordinal int
}

var (
	headingLine = regexp.MustCompile(`^#{1,6}[ \t]+(.+?)[ \t]*#*$`)
	// marks takes out Markdown's marks within a heading, except links, and characters that
	// nobody sees.
	marks = strings.NewReplacer("**", "", "__", "", "`", "", "\\", "", "\u00ad", "", "\u200b", "", "\u200e", "", "\u200f", "", "\ufeff", "")
	links = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	// tags finds HTML tags. It also finds code, so that the tags in it can stay.
	tags = regexp.MustCompile("(`[^`]*`)|<!--.*?-->|</?[a-zA-Z][^<>]*>")
	// numbered is the number of a chapter.
	numbered = regexp.MustCompile(`^(\d+(\.\d+)*[.)]?|[A-Z]\.|§+\s*\d+)\s+`)
)

// heading is a heading as people read it.
func heading(written string) string {
	if len(written) > mostWritten {
		return ""
	}
	written = html.UnescapeString(tags.ReplaceAllString(written, "$1"))
	written = strings.TrimSpace(marks.Replace(links.ReplaceAllString(written, "$1")))
	if isHostile(written) {
		return ""
	}
	return strings.Join(strings.Fields(numbered.ReplaceAllString(written, "")), " ")
}

// isHostile reports whether a heading would show what it does not say: with controls,
// signs that turn the direction of a text around, or a word that no page has room for.
func isHostile(heading string) bool {
	if strings.ContainsFunc(heading, func(r rune) bool {
		return r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError
	}) {
		return true
	}
	return address.MatchString(heading) || !hasUnspaced(heading) && slices.ContainsFunc(strings.Fields(heading), func(word string) bool { return utf8.RuneCountInString(word) > mostWord })
}

// address is where a hostile heading would send people.
var address = regexp.MustCompile(`(?i)https?:|www\.|\S@\S`)

// sections returns the sections of the passages in order, each heading once. Text below no
// heading belongs to the title.
func (d Document) sections() []section {
	s := sections{at: map[string]int{}}
	for _, p := range d.Passages {
		if len(s.all) == mostSections {
			break
		}
		s.passage(heading(d.Title), p.Ordinal, p.HeadingPath, p.Text)
	}
	return s.all
}

type sections struct {
	all     []section
	at      map[string]int
	current int
}

func (s *sections) passage(title string, ordinal int, path []string, text string) {
	s.current = -1
	for _, above := range path {
		s.enter(heading(above), ordinal)
	}
	if len(path) == 0 {
		s.enter(title, ordinal)
	}
	var code fence.Lines
	for line := range strings.Lines(text) {
		if len(s.all) == mostSections && s.current < 0 {
			return
		}
		if code.Code(line) {
			continue
		}
		if written := headingOf(line); written != "" {
			s.enter(heading(written), ordinal)
		} else {
			s.write(line)
		}
	}
}

func headingOf(line string) string {
	if !strings.HasPrefix(line, "#") {
		return ""
	}
	match := headingLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
	if match == nil {
		return ""
	}
	return match[1]
}

// enter begins a section, or goes on with one of the same heading. Below a heading
// that is too short or too long it is none.
func (s *sections) enter(heading string, ordinal int) {
	if n := utf8.RuneCountInString(heading); n < leastHeading && !hasUnspaced(heading) || n > mostHeading {
		s.current = -1
		return
	}
	at, known := s.at[heading]
	if !known && len(s.all) == mostSections {
		s.current = -1
		return
	}
	if !known {
		at = len(s.all)
		s.at[heading] = at
		s.all = append(s.all, section{heading: heading, ordinal: ordinal})
	}
	s.current = at
}

func (s *sections) write(line string) {
	if s.current >= 0 && len(s.all[s.current].body) < mostBody {
		s.all[s.current].body += line
	}
}

// general are headings that stand in any document.
var general = language.InAny("general")

var (
	// parts are the names of parts of a file, such as "Page 3".
	parts = regexp.MustCompile(`(?i)^(page|sheet|slide|chapter|section|part|table|figure|row|seite|kapitel|abschnitt|tabelle|página|capítulo|pagina|capitolo|chapitre|hoofdstuk|sida|side|страница|глава|sayfa|bölüm)\s*\d*$`)
	file  = regexp.MustCompile(`(?i)(\.[a-z0-9]{1,5}$|^https?:|^www\.|/)`)
)

// tellsSomething reports whether a heading says what is below it.
func tellsSomething(heading string) bool {
	return strings.ContainsFunc(heading, unicode.IsLetter) && !general[strings.ToLower(strings.TrimRight(heading, ":"))] &&
		!parts.MatchString(heading) && !file.MatchString(heading)
}

// firstSentence returns the first sentence of a section, or nothing if the section does not
// begin with one.
func firstSentence(body string) string {
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(marks.Replace(links.ReplaceAllString(line, "$1")))
		if line == "" {
			continue
		}
		if match := sentence.FindString(line); match != "" && len(match) <= mostSentence {
			return match
		}
		return ""
	}
	return ""
}

// sentence ends with a full stop before a space or the end.
var sentence = regexp.MustCompile(`^[A-Z].*?[.!](?:\s|$)`)

const mostSentence = 300
