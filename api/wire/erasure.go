package wire

import "parley/core/privacy"

// Erasure is the receipt of an erasure.
type Erasure struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// WorkspaceID is null for an account.
	WorkspaceID *string          `json:"workspace_id"`
	SubjectHash string           `json:"subject_hash"`
	RequestedBy string           `json:"requested_by"`
	Erased      map[string]int64 `json:"erased"`
	Remaining   map[string]int64 `json:"remaining"`
	Exceptions  []string         `json:"exceptions"`
	CreatedAt   string           `json:"created_at"`
	DoneAt      *string          `json:"done_at"`
}

// ErasureToWire returns a receipt.
func ErasureToWire(e privacy.Erasure) Erasure {
	return Erasure{
		ID: e.ID, Kind: string(e.Kind), WorkspaceID: unlessZero(e.WorkspaceID), SubjectHash: e.SubjectHash, RequestedBy: e.RequestedBy,
		Erased: e.Erased, Remaining: e.Remaining, Exceptions: privacy.Exceptions(e.Kind), CreatedAt: timestamp(e.CreatedAt), DoneAt: optionalTimestamp(e.DoneAt),
	}
}
