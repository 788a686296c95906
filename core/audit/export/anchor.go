package export

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/core/audit"
)

// Head is the last entry of a chain as JSON.
type Head struct {
	Chain string `json:"chain"`
	Seq   int64  `json:"seq"`
	Hash  string `json:"hash"`
	// At is when the entry was written, nil if it has been deleted for its age.
	At *time.Time `json:"at"`
}

// HeadOf returns a head.
func HeadOf(a audit.Anchor) Head {
	head := Head{Chain: a.Chain, Seq: a.Seq, Hash: a.Hash}
	if !a.At.IsZero() {
		head.At = &a.At
	}
	return head
}

// ReadAnchors reads what was written down of the audit log, grouped by chains: lines of
// exported entries, or heads, as lines or as one array. Entries without a place have
// nothing to compare.
func ReadAnchors(from io.Reader) (map[string][]audit.Anchor, error) {
	buffered := bufio.NewReader(from)
	decoder := json.NewDecoder(buffered)
	if first, err := firstByte(buffered); err == nil && first == '[' {
		if _, err := decoder.Token(); err != nil {
			return nil, err
		}
	}
	of := map[string][]audit.Anchor{}
	for n := 1; decoder.More(); n++ {
		var value struct {
			Line
			Chain string `json:"chain"`
		}
		if err := decoder.Decode(&value); err != nil {
			return nil, fmt.Errorf("value %d of the file is no entry and no head: %w", n, err)
		}
		switch {
		case value.Chain != "":
			of[value.Chain] = append(of[value.Chain], audit.Anchor{Chain: value.Chain, Seq: value.Seq, Hash: value.Hash, At: value.At})
		case value.Action == "" || value.Seq > 0 && value.Hash == "":
			return nil, fmt.Errorf("value %d of the file is no entry and no head", n)
		case value.Seq > 0:
			entry := value.Entry()
			chain := audit.ChainOf(entry.WorkspaceID)
			of[chain] = append(of[chain], audit.Anchor{
				Chain: chain, Seq: entry.Seq, Hash: entry.Hash, Digest: entry.Digest(), Altered: entry.AddressState() == audit.AddressAltered, At: entry.At,
			})
		}
	}
	if len(of) == 0 {
		return nil, errors.New("the file has no entry and no head of a chain")
	}
	return of, nil
}

func firstByte(from *bufio.Reader) (byte, error) {
	for {
		b, err := from.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, from.UnreadByte()
		}
	}
}
