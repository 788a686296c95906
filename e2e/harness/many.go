package harness

import "parley/store/storetest"

// CopyDocuments gives a tenant so many copies of its oldest document, by rows of the database
// alone: no index is told.
func (w *Instance) CopyDocuments(tn Tenant, copies int) {
	w.Helper()
	documents, err := w.Server.Knowledge.Documents.List(w.Context(), tn.Workspace, tn.Chatbot)
	w.Must(err)
	w.Must(storetest.CopyDocument(w.Context(), w.Server.Store, tn.Workspace, documents[0].ID, copies))
}
