// Package tokens counts the tokens of a text offline.
//
// It does not own what a token costs (package plan) or what a model reports about
// itself (package llm/openai).
package tokens

import (
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

const (
	// exactBytes is how much of a text is counted exactly. The rest is assumed to
	// have as many tokens per byte, so that no text costs more than its start.
	exactBytes = 256 << 10
	// longWord is the length in bytes from which a word is counted in parts,
	// because the splitter uses four bytes for each character.
	longWord = 4 << 10
)

// Counter counts tokens in one encoding. It is safe for concurrent use. The first
// count loads the encoding's vocabulary (some 10 MiB).
type Counter struct {
	codec func() *codec.Codec
	words wordCache
}

// Each encoding is named by its function, so that the linker leaves the vocabularies of
// the others out of the program.
var (
	o200k  = newCounter(codec.NewO200kBase)
	cl100k = newCounter(codec.NewCl100kBase)
)

func newCounter(load func() *codec.Codec) *Counter { return &Counter{codec: sync.OnceValue(load)} }

// Count returns the number of tokens of text in o200k_base, the encoding of
// newer models and a fair estimate for models with their own.
//
// It is exact up to 256 KiB, except for words of more than 4 KiB.
func Count(text string) int { return o200k.Count(text) }

// For returns the counter of the encoding that the named model uses:
// cl100k_base for gpt-4, gpt-4-turbo and gpt-3.5, o200k_base for all others.
// A prefix such as "openai/" or "ft:" is ignored.
func For(model string) *Counter {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	name = strings.TrimPrefix(name, "ft:")
	name, _, _ = strings.Cut(name, ":")
	for _, prefix := range []string{"gpt-4-", "gpt-3.5", "gpt-35", "text-embedding-"} {
		if strings.HasPrefix(name, prefix) {
			return cl100k
		}
	}
	if name == "gpt-4" {
		return cl100k
	}
	return o200k
}

// Count returns the number of tokens of text; see the function [Count].
func (c *Counter) Count(text string) int {
	if len(text) <= exactBytes {
		return c.exact(text)
	}
	counted := c.exact(text[:exactBytes])
	return counted + int(int64(counted)*int64(len(text)-exactBytes)/exactBytes)
}

// exact counts word by word. Words repeat, so most of them are in the cache, which
// is some twenty times faster than tokenizing whole texts.
func (c *Counter) exact(text string) int {
	count := 0
	for len(text) > 0 {
		end := wordEnd(text)
		count += c.word(text[:end])
		text = text[end:]
	}
	return count
}

func (c *Counter) word(word string) int {
	if len(word) > maxCachedWord {
		return c.tokenize(word)
	}
	if count, ok := c.words.get(word); ok {
		return count
	}
	count := c.tokenize(word)
	c.words.put(word, count)
	return count
}

func (c *Counter) tokenize(word string) int {
	count := 0
	for len(word) > 0 {
		part := word[:min(len(word), longWord)]
		word = word[len(part):]
		found, err := c.codec().Count(part)
		if err != nil {
			found = len(part)/4 + 1 // The usual length of a token.
		}
		count += found
	}
	return count
}
