package audit

import (
	"context"
	"fmt"
	"iter"
	"time"

	"parley/core/system"
)

// Chains is the port to chains of entries, for those who verify them.
type Chains interface {
	// ChainHeads returns the heads of chains in the order of their names, after one, at
	// most limit.
	ChainHeads(ctx context.Context, after string, limit int) ([]Head, error)
	// ChainHead returns one head, and whether there is one.
	ChainHead(ctx context.Context, chain string) (head Head, found bool, err error)
	// Chained returns entries of a chain in their places, after the place seq and within
	// it after id, at most limit.
	Chained(ctx context.Context, chain string, seq, id int64, limit int) ([]Entry, error)
	// Unchained counts the entries of a chain without a place, and returns the highest
	// id of those and the lowest of the others, each zero if there is none.
	Unchained(ctx context.Context, chain string) (count, last, firstChained int64, err error)
	// Headless returns chains that have entries with a place and no head, at most limit.
	Headless(ctx context.Context, access system.Access, limit int) ([]string, error)
}

// Anchor is what somebody wrote down of an entry outside of the database: the head of a
// chain, or an exported entry.
type Anchor struct {
	Chain string
	Seq   int64
	Hash  string
	// Digest is an exported entry's [Entry.Digest], made from the export, empty for a head.
	Digest string
	// Altered says that an exported entry has another network address than it was
	// exported with.
	Altered bool
	// At is when the entry was written, zero if that is not known.
	At time.Time
}

// Verdict is what became of verifying a chain.
type Verdict struct {
	Head
	// Checked is how many entries were recomputed, and Unchained how many are from
	// before there were chains.
	Checked, Unchained int64
	// Unaddressed is how many of those had a network address that was removed for its age.
	Unaddressed int64
	// Compared is how many anchors were compared, and Forgotten how many were not,
	// because time has taken their entries away.
	Compared, Forgotten int64
	// Problem is the first that was found, a sentence, or empty. Seq is its place.
	Problem string
	Seq     int64
}

// Verifier recomputes chains.
type Verifier struct {
	chains Chains
	system system.Access
	// kept is from when on entries are there unless somebody took them away, and
	// addressed from when on they have their addresses.
	kept, addressed time.Time
}

// NewVerifier returns a verifier of chains at a time. The log keeps entries for some days.
func NewVerifier(chains Chains, access system.Access, now time.Time, days int) *Verifier {
	return &Verifier{chains, access, now.AddDate(0, 0, -days), now.Add(-addressesGuarded)}
}

// Heads yields the last entry of every chain, for those who keep it elsewhere.
func (v *Verifier) Heads(ctx context.Context) iter.Seq2[Anchor, error] {
	return func(yield func(Anchor, error) bool) {
		for head, err := range v.heads(ctx) {
			if err != nil {
				yield(Anchor{}, err)
				return
			}
			anchor := Anchor{Chain: head.Chain, Seq: head.Seq, Hash: head.Hash}
			last, err := v.chains.Chained(ctx, head.Chain, head.Seq, 0, 1)
			if len(last) > 0 {
				anchor.At = last[0].At
			}
			if !yield(anchor, err) || err != nil {
				return
			}
		}
	}
}

func (v *Verifier) heads(ctx context.Context) iter.Seq2[Head, error] {
	return func(yield func(Head, error) bool) {
		for after := ""; ; {
			page, err := v.chains.ChainHeads(ctx, after, pageSize)
			if err != nil {
				yield(Head{}, err)
				return
			}
			for _, head := range page {
				if !yield(head, nil) {
					return
				}
				after = head.Chain
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}

// All verifies every chain, and those that have lost their head. Anchors of a chain that
// is not there are a problem of it.
func (v *Verifier) All(ctx context.Context, anchors map[string][]Anchor) iter.Seq2[Verdict, error] {
	return func(yield func(Verdict, error) bool) {
		seen := map[string]bool{}
		for head, err := range v.heads(ctx) {
			if err != nil {
				yield(Verdict{}, err)
				return
			}
			seen[head.Chain] = true
			verdict, err := v.Chain(ctx, head.Chain, anchors[head.Chain])
			if !yield(verdict, err) || err != nil {
				return
			}
		}
		lost, err := v.chains.Headless(ctx, v.system, pageSize)
		if err != nil {
			yield(Verdict{}, err)
			return
		}
		for chain := range anchors {
			if !seen[chain] {
				lost = append(lost, chain)
			}
		}
		for _, chain := range unique(lost) {
			verdict, err := v.Chain(ctx, chain, anchors[chain])
			if !yield(verdict, err) || err != nil {
				return
			}
		}
	}
}

// rounds is how often verifying a chain begins again because time took entries away
// meanwhile.
const rounds = 5

// Chain verifies one chain, while others may append to it.
func (v *Verifier) Chain(ctx context.Context, chain string, anchors []Anchor) (verdict Verdict, err error) {
	for range rounds {
		head, found, err := v.chains.ChainHead(ctx, chain)
		if err != nil {
			return Verdict{}, err
		}
		if !found {
			return v.headless(ctx, chain, anchors)
		}
		w := &walk{Verifier: v, anchors: anchorsBySeq(anchors), verdict: Verdict{Head: head}, last: place{seq: head.KeptSeq, hash: head.KeptHash}}
		if err := w.run(ctx); err != nil {
			return Verdict{}, err
		}
		verdict = w.verdict
		if verdict.Problem == "" {
			break
		}
		now, _, err := v.chains.ChainHead(ctx, chain)
		if err != nil || now.KeptSeq == head.KeptSeq {
			return verdict, err
		}
	}
	return verdict, nil
}

// headless is the verdict on a chain without a head.
func (v *Verifier) headless(ctx context.Context, chain string, anchors []Anchor) (Verdict, error) {
	verdict := Verdict{Head: Head{Chain: chain}}
	found, err := v.chains.Chained(ctx, chain, 0, 0, 1)
	switch {
	case err != nil:
		return verdict, err
	case len(found) > 0:
		verdict.Problem = "The head of the chain is missing, though there are entries: it was deleted."
	case len(anchors) > 0:
		verdict.Problem = fmt.Sprintf("The chain is missing, though its entry %d was written down: it was deleted, or this is another database.", anchors[0].Seq)
	}
	return verdict, nil
}

func anchorsBySeq(anchors []Anchor) map[int64][]Anchor {
	of := map[int64][]Anchor{}
	for _, a := range anchors {
		of[a.Seq] = append(of[a.Seq], a)
	}
	return of
}

func unique(chains []string) (out []string) {
	seen := map[string]bool{}
	for _, chain := range chains {
		if !seen[chain] {
			out, seen[chain] = append(out, chain), true
		}
	}
	return out
}
