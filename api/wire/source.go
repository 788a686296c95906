package wire

import "parley/core/knowledge"

// Source is a web address that documents come from.
type Source struct {
	ID        string   `json:"id"`
	Kind      string   `json:"kind"`
	URL       string   `json:"url"`
	Schedule  string   `json:"schedule"`
	Include   []string `json:"include"`
	Exclude   []string `json:"exclude"`
	MaxDepth  int      `json:"max_depth"`
	MaxPages  int      `json:"max_pages"`
	State     string   `json:"state"`
	Reason    string   `json:"reason,omitzero"`
	NextSync  *string  `json:"next_sync_at"`
	SyncedAt  *string  `json:"synced_at"`
	CreatedAt string   `json:"created_at"`
}

// SourceToWire returns a web address.
func SourceToWire(s knowledge.Source) Source {
	return Source{
		ID: s.ID, Kind: string(s.Kind), URL: s.URL, Schedule: string(s.Schedule), Include: orEmpty(s.Rules.Include),
		Exclude: orEmpty(s.Rules.Exclude), MaxDepth: s.Rules.MaxDepth, MaxPages: s.Rules.MaxPages, State: string(s.State),
		Reason: s.Reason, NextSync: optionalTimestamp(s.DueAt), SyncedAt: optionalTimestamp(s.SyncedAt), CreatedAt: timestamp(s.CreatedAt),
	}
}
