package harness

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/core/chatbot"
	"parley/core/knowledge"
)

// Answers reports whether an answer to a question quotes a text.
func (w *Instance) Answers(tn Tenant, question, text string) bool {
	w.Helper()
	return strings.Contains(Message(w.Asked(tn, question)), text)
}

const (
	DocumentsPath = "/api/v1/knowledge/documents"
	RemovalsPath  = "/api/v1/knowledge/removals"
)

// Named is the path of the document with an external ID.
func Named(externalID string) string {
	return DocumentsPath + "/external/" + url.PathEscape(externalID)
}

// Editor issues a token that may change the documents.
func (w *Instance) Editor(tn Tenant) string {
	w.Helper()
	_, secret := w.Issue(tn, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeReadKnowledge, chatbot.ScopeWriteKnowledge}})
	return secret
}

// Puts sends a document, and returns it.
func (w *Instance) Puts(token, externalID, body string, headers ...Header) map[string]any {
	w.Helper()
	r := w.Call("PUT", Named(externalID), body, append(headers, Bearer(token))...)
	w.CheckAnswer(r, 200, 0)
	return r.Data
}

// PutsFile sends a file.
func (w *Instance) PutsFile(token, externalID, name, content string) map[string]any {
	w.Helper()
	return w.Puts(token, externalID, WithFile(Fields("kind", ""), "file", name, content),
		Header{"Content-Type", ""}, Header{"Content-Type", "multipart/form-data; boundary=border"})
}

// Settled waits until nothing of a chatbot's knowledge is being worked on, and
// returns its documents.
func (w *Instance) Settled(tn Tenant) (documents []knowledge.Document) {
	w.Helper()
	var sources []knowledge.Source
	// The first PDF needs a reader to be compiled, which takes its time where
	// all is watched for data races.
	deadline := time.Now().Add(4 * Patience)
	for {
		var err error
		sources, err = w.Server.Knowledge.Sources.List(w.Context(), tn.Workspace, tn.Chatbot)
		w.Must(err)
		documents, err = w.Server.Knowledge.Documents.List(w.Context(), tn.Workspace, tn.Chatbot)
		w.Must(err)
		busy := func(d knowledge.Document) bool { return !d.State.Settled() }
		syncing := func(s knowledge.Source) bool {
			return s.State == knowledge.SourceSyncing || s.State == knowledge.SourceRemoving
		}
		if !slices.ContainsFunc(sources, syncing) && !slices.ContainsFunc(documents, busy) {
			return documents
		}
		if time.Now().After(deadline) {
			if w.ServerLog != nil {
				w.Logf("the log is %s", w.ServerLog.String())
			}
			w.Fatalf("not all documents are worked off: %+v %+v", sources, documents)
		}
		time.Sleep(PollEvery)
	}
}

// RentalHandbook is about a bicycle shop. Each section is too long to share its passage with
// all of the others.
var RentalHandbook = "# Rental\n\n## Prices\n\nA bicycle for a day is 30 euros, and one for a week is 120 euros. " + strings.Repeat("Larger frames are the same. ", 20) +
	"\n\n## Opening hours\n\nThe rental desk opens at eight in the morning and closes at six. " + strings.Repeat("Nobody is there at night. ", 20) +
	"\n\n## Helmets\n\nEvery rider gets a helmet without a charge. " + strings.Repeat("Sizes go from small to large. ", 20) +
	"\n\n## Can I bring the bicycle back elsewhere?\n\nYou can return it at the station, too. " + strings.Repeat("Put it into the rack there. ", 20) + "\n"

// Titled is the document of a title.
func Titled(documents []knowledge.Document, title string) knowledge.Document {
	for _, d := range documents {
		if d.Title == title {
			return d
		}
	}
	return knowledge.Document{}
}

// SourcesOf are what an answer says that it was made from.
func SourcesOf(r Reply) (sources []map[string]any) {
	all, _ := r.Data["sources"].([]any)
	for _, source := range all {
		if record, ok := source.(map[string]any); ok {
			sources = append(sources, record)
		}
	}
	return sources
}

// Asked asks a question with a token and returns the answer.
func (w *Instance) Asked(tn Tenant, question string) Reply {
	w.Helper()
	r := w.Call("POST", ChatPath, `{"message":"`+question+`"}`, Bearer(tn.Token))
	w.CheckAnswer(r, 200, 0)
	return r
}

// Manual is a PDF whose second page says, at its end, when a tyre is changed.
func Manual() string {
	first := strings.Repeat("The bicycle has two brakes, a bell, a lamp and a dynamo for the lamp.\n", 50)
	second := strings.Repeat("A wheel has a rim, thirty-six spokes, a hub, a tube and a mantle.\n", 50)
	return PDFOf(first, second+"Change the tyre when its profile is below one millimetre.")
}
