package audit

import (
	"context"
	"fmt"
)

// walk goes along a chain, entry by entry, up to its head.
type walk struct {
	*Verifier
	anchors map[int64][]Anchor
	verdict Verdict
	last    place
}

// place is where an entry stands.
type place struct {
	seq, id int64
	hash    string
}

// run goes on until the chain ends or a problem is found.
func (w *walk) run(ctx context.Context) error {
	if err := w.checkUnchained(ctx); err != nil || w.verdict.Problem != "" {
		return err
	}
	from := place{} // before the first place, so that what was taken away cannot come back
	for w.verdict.Problem == "" {
		page, err := w.chains.Chained(ctx, w.verdict.Chain, from.seq, from.id, pageSize)
		if err != nil {
			return err
		}
		for _, e := range page {
			if w.check(e); w.verdict.Problem != "" {
				return nil
			}
			from = w.last
		}
		if len(page) == pageSize {
			continue
		}
		// Others may have appended: what the head counts now has been committed, and so
		// has to be there.
		ended, err := w.end(ctx)
		if err != nil || ended {
			return err
		}
	}
	return nil
}

// check recomputes the hash of the next entry.
func (w *walk) check(e Entry) {
	switch {
	case e.Seq <= w.verdict.KeptSeq:
		w.report(e.Seq, "Entry %d was deleted for its age, and is there again: it was inserted.", e.Seq)
	case e.Seq == w.last.seq:
		w.report(e.Seq, "There are two entries %d: one was inserted.", e.Seq)
	case e.Seq == w.last.seq+2:
		w.report(w.last.seq+1, "Entry %d is missing.", w.last.seq+1)
	case e.Seq != w.last.seq+1:
		w.report(w.last.seq+1, "Entries %d to %d are missing.", w.last.seq+1, e.Seq-1)
	case e.HashAfter(w.last.hash) != e.Hash:
		w.report(e.Seq, "Entry %d does not match its hash: it was changed, or the entry before it was replaced.", e.Seq)
	case e.AddressState() == AddressAltered:
		w.report(e.Seq, "Entry %d has another network address than the one that was recorded: it was changed, or only a part of it was removed.", e.Seq)
	case e.AddressState() == AddressRemoved && e.At.After(w.addressed):
		w.report(e.Seq, "Entry %d has lost its network address, though it is not old enough for that.", e.Seq)
	case e.ID <= w.last.id:
		w.report(e.Seq, "Entry %d stands before entry %d: their numbers were changed.", e.Seq, w.last.seq)
	}
	if w.verdict.Problem != "" {
		return
	}
	w.verdict.Checked++
	if e.AddressState() == AddressRemoved {
		w.verdict.Unaddressed++
	}
	w.last = place{e.Seq, e.ID, e.Hash}
	for _, a := range w.anchors[e.Seq] {
		w.compare(a, e.Hash, e.Digest())
	}
	delete(w.anchors, e.Seq)
}

// compare compares what was written down of an entry with the entry.
func (w *walk) compare(a Anchor, hash, digest string) {
	w.verdict.Compared++
	switch {
	case a.Hash != hash:
		w.report(a.Seq, "Entry %d has another hash than the one that was written down: the chain was rewritten, or the file was changed.", a.Seq)
	case a.Digest != "" && a.Digest != digest:
		w.report(a.Seq, "Entry %d says something else in the file than here, under the same hash: the file was changed.", a.Seq)
	case a.Altered:
		w.report(a.Seq, "Entry %d has another network address in the file than the one that was recorded: the file was changed.", a.Seq)
	}
}

// end compares the end of the walk with the head as it is now, and reports whether that
// is where the chain ends.
func (w *walk) end(ctx context.Context) (ended bool, err error) {
	head, _, err := w.chains.ChainHead(ctx, w.verdict.Chain)
	if err != nil {
		return false, err
	}
	switch {
	case head.Seq > w.last.seq:
		// One more page, unless that has been read.
		if more, err := w.chains.Chained(ctx, w.verdict.Chain, w.last.seq, w.last.id, 1); err != nil || len(more) > 0 {
			return false, err
		}
		w.report(w.last.seq+1, "Entries %d to %d are missing: the end of the chain was cut off.", w.last.seq+1, head.Seq)
	case head.Seq < w.last.seq:
		w.report(head.Seq+1, "The head of the chain is entry %d, but there are entries up to %d: the head was set back, or entries were inserted.", head.Seq, w.last.seq)
	case head.Hash != w.last.hash:
		w.report(head.Seq, "The head of the chain has another hash than entry %d: it was changed.", head.Seq)
	default:
		w.verdict.Head.Seq, w.verdict.Hash = head.Seq, head.Hash
		w.checkAnchors()
	}
	return true, nil
}

// checkAnchors looks for anchors that the chain lacks.
func (w *walk) checkAnchors() {
	for seq, anchors := range w.anchors {
		for _, a := range anchors {
			switch {
			case seq > w.last.seq:
				w.report(seq, "Entry %d was written down, but the chain ends with entry %d: its end was cut off.", seq, w.last.seq)
			case seq == w.verdict.KeptSeq && a.Hash != w.verdict.KeptHash:
				w.report(seq, "Entry %d, which was deleted for its age, had another hash than the one that was written down.", seq)
			case a.At.After(w.kept):
				w.report(seq, "Entry %d was written down and has been deleted, though it is not old enough for that.", seq)
			default:
				w.verdict.Forgotten++
			}
		}
	}
}

// checkUnchained looks for entries without a place that are not from before the chain.
func (w *walk) checkUnchained(ctx context.Context) error {
	count, last, first, err := w.chains.Unchained(ctx, w.verdict.Chain)
	if err != nil {
		return err
	}
	w.verdict.Unchained = count
	if count > 0 && (first > 0 && last > first || first == 0 && w.verdict.KeptSeq > 0) {
		w.report(0, "There is an entry without a number that came after the chain began: it was inserted, or an older version of Parley runs beside this one.")
	}
	return nil
}

// report records a problem, unless the walk has found one already.
func (w *walk) report(seq int64, sentence string, args ...any) {
	if w.verdict.Problem == "" {
		w.verdict.Problem, w.verdict.Seq = fmt.Sprintf(sentence, args...), seq
	}
}
