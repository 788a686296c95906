package api

import "parley/core/knowledge"

// documentRequest is the JSON body of POST /api/chatbots/:id/documents.
type documentRequest struct {
	Title   string `json:"title"`
	Kind    string `json:"kind"`
	Content string `json:"content"`
}

// putRequest is the JSON body of POST /knowledge/documents, and of PUT.
type putRequest struct {
	documentRequest

	URL        string  `json:"url"`
	ExternalID *string `json:"external_id"`
}

type documentData struct {
	ID         string `json:"id"`
	ExternalID string `json:"external_id,omitzero"`
	SourceID   string `json:"source_id,omitzero"`
	URL        string `json:"url,omitzero"`
	Title      string `json:"title"`
	Kind       string `json:"kind"`
	State      string `json:"state"`
	Reason     string `json:"reason,omitzero"`
	Chars      int    `json:"chars"`
	// Passages is how many there are, and Indexed how many are done.
	Passages int `json:"passages"`
	Indexed  int `json:"indexed"`
	Attempts int `json:"attempts,omitzero"`
	// NextAttemptAt is when Parley tries again, if it failed.
	NextAttemptAt *string `json:"next_attempt_at,omitzero"`
	// Answered reports whether answers use it, if only in an earlier version.
	Answered  bool   `json:"answered"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

type documentsData struct {
	Documents []documentData `json:"documents"`
	pageData
}

// putData is a document with what the request did to it.
type putData struct {
	documentData

	Result string `json:"result"`
}

// documentPageData answers GET /knowledge/documents.
type documentPageData struct {
	Documents []documentData `json:"documents"`
	HasMore   bool           `json:"has_more"`
	Next      *string        `json:"next"`
}

func documentToWire(d knowledge.Document) documentData {
	data := documentData{
		ID: d.ID, ExternalID: d.ExternalID, SourceID: d.SourceID, URL: d.URL, Title: d.Title, Kind: string(d.Kind), State: string(d.State),
		Reason: d.Reason, Chars: d.Chars, Passages: d.Passages, Indexed: d.Indexed, Attempts: d.Attempts,
		Answered: d.Live > 0, CreatedAt: timestamp(d.CreatedAt), UpdatedAt: timestamp(d.UpdatedAt),
	}
	if d.Attempts > 0 {
		data.NextAttemptAt = optionalTimestamp(d.DueAt)
	}
	return data
}

// sourceRequest is the body of POST /api/chatbots/:id/sources.
type sourceRequest struct {
	URL      string   `json:"url"`
	Kind     string   `json:"kind"`
	Schedule string   `json:"schedule"`
	Include  []string `json:"include"`
	Exclude  []string `json:"exclude"`
	MaxDepth *int     `json:"max_depth"`
	MaxPages *int     `json:"max_pages"`
}

type sourceData struct {
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

type sourcesData struct {
	Sources []sourceData `json:"sources"`
	pageData
}

func sourceToWire(s knowledge.Source) sourceData {
	return sourceData{
		ID: s.ID, Kind: string(s.Kind), URL: s.URL, Schedule: string(s.Schedule), Include: headings(s.Rules.Include),
		Exclude: headings(s.Rules.Exclude), MaxDepth: s.Rules.MaxDepth, MaxPages: s.Rules.MaxPages, State: string(s.State),
		Reason: s.Reason, NextSync: optionalTimestamp(s.DueAt), SyncedAt: optionalTimestamp(s.SyncedAt), CreatedAt: timestamp(s.CreatedAt),
	}
}

// removalData is the removal receipt of a document.
type removalData struct {
	ID          string `json:"id"`
	DocumentID  string `json:"document_id"`
	Title       string `json:"title"`
	URL         string `json:"url,omitzero"`
	ContentHash string `json:"content_hash"`
	Passages    int    `json:"passages"`
	RequestedAt string `json:"requested_at"`
	// ConfirmedAt is when the index was seen to hold nothing of it, or null.
	ConfirmedAt *string `json:"confirmed_at"`
	// Answers is how many answers had used it, and MessageIDs the first.
	Answers    int     `json:"answers"`
	MessageIDs []int64 `json:"message_ids"`
}

type removalsData struct {
	Removals []removalData `json:"removals"`
	pageData
}

// removalPageData answers GET /knowledge/removals.
type removalPageData struct {
	Removals []removalData `json:"removals"`
	HasMore  bool          `json:"has_more"`
	Next     *string       `json:"next"`
}

func (i identifiers) removalToWire(r knowledge.Removal) removalData {
	return removalData{
		ID: r.ID, DocumentID: r.DocumentID, Title: r.Title, URL: r.URL, ContentHash: r.ContentHash, Passages: r.Passages,
		RequestedAt: timestamp(r.RequestedAt), ConfirmedAt: optionalTimestamp(r.ConfirmedAt),
		Answers: r.Answers, MessageIDs: i.Messages(r.MessageIDs),
	}
}

// changedData answers a request that changed something.
type changedData struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}
