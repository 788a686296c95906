package retrieval

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/core/retrieval"
	"parley/text/split"
)

const (
	// vocabularySize is the number of different words. zipfSlope and zipfShift shape the
	// Zipf distribution by which they occur: a word at place k, from zero, has a share
	// proportional to (zipfShift+k)^-zipfSlope.
	vocabularySize = 30_000
	zipfSlope      = 1.1
	zipfShift      = 10
	// topicWords is the number of words that a document prefers, and one word
	// in topicShare is one of them.
	topicWords = 40
	topicShare = 4
	// A passage has from leastWords to mostWords words.
	leastWords, mostWords = 110, 190
	// perDocument is the number of sections of a document, each of which makes
	// a passage.
	perDocument = 20
)

// corpus makes documents and questions. The same number makes the same one.
type corpus struct{ words []string }

func newCorpus() *corpus {
	c := &corpus{words: make([]string, vocabularySize)}
	for i := range c.words {
		c.words[i] = word(i)
	}
	return c
}

// word makes a word that can be pronounced, shorter for the common ones, so
// that it is split, analyzed and embedded as a word of a language is.
func word(place int) string {
	const (
		consonants = "bdfgklmnprstvzjh"
		vowels     = "aeiou"
		syllables  = len(consonants) * len(vowels)
		common     = 4_000
		scatter    = 46_337 // has no divisor in common with 80, so that no word comes twice
	)
	length, code := 3, place*scatter%(syllables*syllables*syllables)
	if place < common {
		length, code = 2, place*scatter%(syllables*syllables)
	}
	var b strings.Builder
	for range length {
		b.WriteByte(consonants[code%len(consonants)])
		b.WriteByte(vowels[code%syllables/len(consonants)])
		code /= syllables
	}
	return b.String()
}

// writer writes about one topic.
type writer struct {
	words  []string
	random *rand.Rand
	zipf   *rand.Zipf
	topic  int
}

// writer returns the writer with a number, for one kind of text.
func (c *corpus) writer(kind, number int) *writer {
	random := rand.New(rand.NewPCG(uint64(kind), uint64(number)))
	return &writer{
		words: c.words, random: random,
		zipf:  rand.NewZipf(random, zipfSlope, zipfShift, vocabularySize-1),
		topic: random.IntN(vocabularySize - topicWords),
	}
}

// write appends some words, separated by spaces.
func (w *writer) write(b *strings.Builder, count int) {
	for i := range count {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w.random.IntN(topicShare) == 0 {
			b.WriteString(w.words[w.topic+w.random.IntN(topicWords)])
		} else {
			b.WriteString(w.words[w.zipf.Uint64()])
		}
	}
}

func (w *writer) phrase(count int) string {
	var b strings.Builder
	w.write(&b, count)
	return b.String()
}

// The kinds of text.
const (
	aboutDocuments = 1 + iota
	aboutOthers    // of the chatbot that is indexed meanwhile
	aboutQuestions
)

// document makes a Markdown document of [perDocument] sections.
func (c *corpus) document(kind, number int) split.Document {
	w := c.writer(kind, number)
	title := w.phrase(4)
	var b strings.Builder
	b.WriteString("# " + title + "\n\n")
	for range perDocument {
		b.WriteString("## " + w.phrase(3) + "\n\n")
		for left := leastWords + w.random.IntN(mostWords-leastWords+1); left > 0; {
			length := min(left, 6+w.random.IntN(12))
			w.write(&b, length)
			b.WriteString(". ")
			left -= length
		}
		b.WriteString("\n\n")
	}
	return split.Document{
		ID: fmt.Sprintf("doc_%d", number), Title: title, Content: b.String(),
	}
}

// documents makes those with the numbers from first on.
func (c *corpus) documents(kind, first, count int) []split.Document {
	made := make([]split.Document, count)
	for i := range made {
		made[i] = c.document(kind, first+i)
	}
	return made
}

// query makes a question of 4 to 12 words. Every second follows two others of
// the same conversation.
func (c *corpus) query(number int) retrieval.Query {
	w := c.writer(aboutQuestions, number)
	query := retrieval.Query{Limit: hitsWanted, Text: w.question()}
	if number%2 == 1 {
		query.Context = []string{w.question(), w.question()}
	}
	return query
}

func (w *writer) question() string { return w.phrase(4+w.random.IntN(9)) + "?" }
