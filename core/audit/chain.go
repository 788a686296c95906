package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// Unplaced is the chain of entries that concern no workspace.
const Unplaced = "-"

// ChainOf returns the chain of a workspace's entries, or [Unplaced] if there is
// none. A chain outlives its workspace.
func ChainOf(workspaceID string) string {
	if workspaceID == "" {
		return Unplaced
	}
	return workspaceID
}

// WorkspaceOfChain returns the workspace of a chain, empty for [Unplaced].
func WorkspaceOfChain(chain string) string {
	if chain == Unplaced {
		return ""
	}
	return chain
}

// Head is the end of a chain, and where it begins after time has taken entries away.
type Head struct {
	Chain string
	// Seq and Hash are the last entry's; zero and empty before the first.
	Seq  int64
	Hash string
	// KeptSeq and KeptHash are the Seq and Hash of the last entry that was deleted for its
	// age; zero and empty if there is none.
	KeptSeq  int64
	KeptHash string
}

// Append gives entries their places at the end of the chain, and moves the end. The
// entries are of this chain. Random must be cryptographically secure.
func (h *Head) Append(entries []Entry, random io.Reader) error {
	for i := range entries {
		e := &entries[i]
		if err := e.commitToAddress(random); err != nil {
			return err
		}
		h.Seq++
		e.Seq, e.Version = h.Seq, HashVersion
		h.Hash = e.HashAfter(h.Hash)
		e.Hash = h.Hash
	}
	return nil
}

// HashAfter is the hash of an entry in its place, which follows on the one with the hash
// previous: the SHA-256, in hex, of previous and of [Entry.Digest]. Whoever changes,
// adds or takes away an entry has to change every later hash too.
func (e Entry) HashAfter(previous string) string {
	h := sha256.New()
	writeParts(h, previous, e.Digest())
	return hex.EncodeToString(h.Sum(nil))
}

// HashVersion is the hash version of new entries.
const HashVersion = 2

// Digest is the SHA-256, in hex, of all that an entry says and of its place, without
// its hash and without its id, which the database gives. The hash of the address stands
// for it; in entries of version 1 the address is there itself. docs/audit.md describes it,
// so that others can compute it too. No version ever changes: old entries would not match.
func (e Entry) Digest() string {
	h, address := sha256.New(), e.AddressHash
	if e.Version == 1 {
		address = e.Origin.Address
	}
	writeParts(h,
		"parley audit "+strconv.Itoa(e.Version), ChainOf(e.WorkspaceID), strconv.FormatInt(e.Seq, 10), e.At.UTC().Format(time.RFC3339Nano),
		e.Actor.Name, e.Actor.UserID, string(e.Action), e.Object.Kind, e.Object.ID, e.Object.Name, e.Detail,
		address, e.Origin.RequestID,
	)
	for _, change := range e.Changes {
		writeParts(h, change.Field, change.Old, change.New)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// writeParts writes each part after its length in bytes, such as 5:abcde, so that no two
// lists of parts are written alike.
func writeParts(to io.Writer, parts ...string) {
	for _, part := range parts {
		_, _ = io.WriteString(to, strconv.Itoa(len(part))+":"+part+",") // a hash does not fail
	}
}

// ChainBegun is the first entry of a chain with entries from before there were chains.
func ChainBegun(chain string, earlier int, at time.Time) Entry {
	return Entry{
		WorkspaceID: WorkspaceOfChain(chain), At: at, Actor: System, Action: ChainStarted, Object: Object{Kind: "audit log", ID: chain},
		Detail: fmt.Sprintf("Entries are chained by hashes from here on. The %d before are not.", earlier),
	}
}

// ByChain groups entries, in their order, by their chains, which are sorted: all who
// lock several chains lock them in this order.
func ByChain(entries []Entry) (chains []string, of map[string][]Entry) {
	of = map[string][]Entry{}
	for _, e := range entries {
		chain := ChainOf(e.WorkspaceID)
		if of[chain] == nil {
			chains = append(chains, chain)
		}
		of[chain] = append(of[chain], e)
	}
	slices.Sort(chains)
	return chains, of
}
