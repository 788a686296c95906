package crash

// listed is what commands and the API print of a document.
type listed struct {
	ID    string `json:"id"`
	State string `json:"state"`
}
