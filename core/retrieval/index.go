package retrieval

import (
	"context"
	"fmt"
	"iter"

	"parley/core/fault"
	"parley/text/encode"
)

// Entry is a passage as an index holds it: what is needed to find it, not to
// show it.
type Entry struct {
	// PassageID is unique in the database, above zero.
	PassageID  int64
	DocumentID string
	// SourceID is the source that the document came from, or empty.
	SourceID string
	// Terms are the analyzed words of title, headings and text (package
	// lexical): none is empty, has white space or is longer than
	// lexical.MaxTerm bytes. A term counts as often as it stands there.
	Terms []string
	// Vector is the passage's embedding, of length one. All vectors of one
	// version of an index have the same dimension; none at all is legal.
	Vector []float32
}

// Content is what an index is to hold of a document.
type Content struct {
	DocumentID string
	Entries    []Entry
}

// Holding is how much an index holds of a chatbot, or is to hold.
type Holding struct {
	Scope
	Documents, Passages int
}

// Term is an analyzed word of a question.
type Term struct {
	Text string
	// Weight is how often the term counts, from 1 to 100.
	Weight int
}

// IndexQuery asks an index for passages, by words, by meaning, or by both.
type IndexQuery struct {
	// Terms are distinct. Without any there are no lexical hits.
	Terms []Term
	// Vector has length one. Without it there are no near hits, nor with one
	// of another dimension than the index's; see [Hits.OtherDimension].
	Vector []float32
	Filter Filter
	// Limit bounds each of the two lists. It is from 1 to 1,000.
	Limit int
	// OccurrencesOf is for how many of the first lexical hits
	// [Hit.Occurrences] is wanted.
	OccurrencesOf int
}

// Hits are the answers of an index: two rankings of the same state of it.
type Hits struct {
	// Lexical is ranked by BM25 with the constants lexical.K1 and lexical.B:
	// the sum over the query's terms of
	//
	//	weight × ln(1 + (N − n + ½) / (n + ½)) × f / (f + K1 × (1 − B + B × length / average))
	//
	// where N is the number of passages in the scope, n the number of them
	// that have the term, f how often the passage has it, and length the
	// number of the passage's terms. N, n and the average are of the whole
	// scope, whatever the filter. Equal scores are ordered by PassageID.
	Lexical []Hit
	// IDF is, for each of the query's terms, the logarithm above, if
	// occurrences were asked for. It may be a few minutes old.
	IDF []float64
	// Near is ranked by cosine similarity, and may be approximate.
	Near []Hit
	// OtherDimension says that the query's vector has another dimension than the
	// index's vectors, so that the index answered as if the query had no vector.
	OtherDimension bool
}

// Hit is a passage that an index found.
type Hit struct {
	PassageID  int64
	DocumentID string
	// Score is higher for a better hit.
	Score float64
	// Occurrences are where the passage has terms of the query, in order, if
	// they were asked for; at most the first [MaxOccurrences].
	Occurrences []Occurrence
	// Length is the number of the passage's terms, if they were asked for.
	Length int
	// Similarity is the cosine between the query's vector and the passage's,
	// from −1 to 1, for lexical hits whose occurrences were asked for, if the
	// query has a vector; zero for a passage without one.
	Similarity float64
	// Closeness, Compared and Parts go into [Result]. The searcher sets them; no
	// index does.
	Closeness float64
	Compared  int
	Parts     []encode.Part
}

// MaxOccurrences bounds what a hit tells of its terms.
const MaxOccurrences = 256

// Occurrence says that the term at place At of a passage's terms, from zero,
// is the query's term number Term, from zero.
type Occurrence struct {
	Term, At int32
}

// OtherDimension is the fault of an index to which vectors come that have
// another dimension than those it holds.
func OtherDimension(given, held int) error {
	return fault.Wrap(fault.Upstream, fmt.Errorf("vectors of dimension %d for an index of dimension %d", given, held), otherModel).ForOperator()
}

const otherModel = "The index holds vectors of another embedding model. The operator of this server has to run `parley reindex`."

var errOtherModel error = fault.New(fault.Upstream, otherModel).ForOperator()

// Index is the port to a retrieval index. It is derived data: everything in it
// can be rebuilt from the database. All methods but the last four and
// Lacking are confined to their scope, and all are safe for concurrent use. A ctx that ends fails a
// call with an error that wraps the error of ctx.
//
// Every adapter passes the suite in index/indextest.
type Index interface {
	// Replace replaces all of the document's entries, in one step: a search
	// sees the old entries or the new ones, never a mixture. All entries
	// carry documentID. Without entries it does the same as Remove. It
	// refuses vectors of another dimension than the index's vectors with the
	// fault [OtherDimension].
	Replace(ctx context.Context, scope Scope, documentID string, entries []Entry) error
	// Remove takes the document's passages away. After it returns no search
	// finds them. Removing what is not there is no error.
	Remove(ctx context.Context, scope Scope, documentID string) error
	// Drop takes all that the scope holds away.
	Drop(ctx context.Context, scope Scope) error
	// Search returns the best hits, best first. A scope that holds nothing
	// has none. A failure is a fault of kind Unavailable if the same search may
	// succeed in a moment, and Upstream otherwise.
	Search(ctx context.Context, scope Scope, query IndexQuery) (Hits, error)
	// Count returns the number of passages held for the document, as the
	// index itself counts them.
	Count(ctx context.Context, scope Scope, documentID string) (int, error)
	// Lacking returns those scopes of which the index holds fewer documents than
	// expected, or another number of passages. It is cheap: an index need not look into
	// what it has unloaded.
	Lacking(ctx context.Context, expected []Holding) ([]Scope, error)
	// Missing returns those documents of a scope of which the index holds another number
	// of passages than expected, by document.
	Missing(ctx context.Context, scope Scope, expected map[string]int) ([]string, error)
	// Fill does Replace for several documents of a scope, and is far cheaper. A search may
	// see some of the new documents and not yet others. After an error, any of them may be
	// there. Contents are in any order, each of another document.
	Fill(ctx context.Context, scope Scope, contents []Content) error

	// Check reports whether the index can be used just now.
	Check(ctx context.Context) error
	// Version returns what the index was last rebuilt for, and empty for one
	// that never was.
	Version(ctx context.Context) (string, error)
	// DropOthers takes away all that is of none of the kept scopes, and returns how many
	// scopes that were. It reads kept after it has looked up what is there: a scope that
	// comes to be meanwhile stays. When kept fails, nothing is taken away.
	DropOthers(ctx context.Context, kept iter.Seq2[Scope, error]) (int, error)
	// Rebuild makes an empty index beside the one that serves, lets fill put
	// everything into it, and then makes it the one that serves, in one step
	// for every process. Whatever fails, the old one goes on serving and the
	// new one is deleted; so is what an earlier attempt left behind. Changes
	// made to the index while fill runs go to the old one only.
	Rebuild(ctx context.Context, version string, fill func(ctx context.Context, into Filler) error) error
}

// Filler is the index that is being rebuilt.
type Filler interface {
	// Replace does what [Index.Replace] does. Several goroutines may call it.
	Replace(ctx context.Context, scope Scope, documentID string, entries []Entry) error
	// Fill does what [Index.Fill] does. Several goroutines may call it.
	Fill(ctx context.Context, scope Scope, contents []Content) error
}
