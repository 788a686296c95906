package wire

import "parley/core/knowledge"

// Document is a document.
type Document struct {
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
	// NextAttemptAt is when it is tried again, if it failed.
	NextAttemptAt *string `json:"next_attempt_at,omitzero"`
	// Answered says whether questions are answered from it, if only as it was.
	Answered bool `json:"answered"`
	// Notes say what of its file or page was not read.
	Notes []Note `json:"notes,omitzero"`
	// Original says whether its file is kept as it was uploaded.
	Original string `json:"original,omitzero"`
	// ReaderOutdated says that it was read by an older version of Parley's reader.
	ReaderOutdated bool   `json:"reader_outdated,omitzero"`
	CreatedAt      string `json:"created_at"`
	UpdatedAt      string `json:"updated_at"`
}

// Note says how many things of a kind were not read.
type Note struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// DocumentToWire returns a document.
func DocumentToWire(d knowledge.Document) Document {
	data := Document{
		ID: d.ID, ExternalID: d.ExternalID, SourceID: d.SourceID, URL: d.URL, Title: d.Title, Kind: string(d.Kind), State: string(d.State),
		Reason: d.Reason, Chars: d.Chars, Passages: d.Passages, Indexed: d.Indexed, Attempts: d.Attempts,
		Answered: d.Live > 0, Original: string(d.Original), ReaderOutdated: d.ReaderOutdated(), CreatedAt: timestamp(d.CreatedAt), UpdatedAt: timestamp(d.UpdatedAt),
	}
	for _, note := range d.Notes {
		data.Notes = append(data.Notes, Note{string(note.Kind), note.Count})
	}
	if d.Waits() {
		data.NextAttemptAt = optionalTimestamp(d.DueAt)
	}
	return data
}

// Removal is the receipt of a removed document.
type Removal struct {
	ID          string `json:"id"`
	DocumentID  string `json:"document_id"`
	Title       string `json:"title"`
	URL         string `json:"url,omitzero"`
	ContentHash string `json:"content_hash"`
	Passages    int    `json:"passages"`
	RequestedAt string `json:"requested_at"`
	// ConfirmedAt is when the index was found to hold nothing of it, or null.
	ConfirmedAt *string `json:"confirmed_at"`
	// Answers is how many answers had been given it, and MessageIDs the first.
	Answers    int     `json:"answers"`
	MessageIDs []int64 `json:"message_ids"`
}

// RemovalToWire returns a receipt.
func (i Identifiers) RemovalToWire(r knowledge.Removal) Removal {
	return Removal{
		ID: r.ID, DocumentID: r.DocumentID, Title: r.Title, URL: r.URL, ContentHash: r.ContentHash, Passages: r.Passages,
		RequestedAt: timestamp(r.RequestedAt), ConfirmedAt: optionalTimestamp(r.ConfirmedAt),
		Answers: r.Answers, MessageIDs: i.Messages(r.MessageIDs),
	}
}
