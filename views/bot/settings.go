// Package bot owns a chatbot's pages, and the models that they show: one file a
// page, named as in the sidebar.
//
// It does not own what the models hold (package web/bot). Nothing is fetched or
// decided here.
package bot

import "parley/views/ui"

// Settings is the page of a chatbot.
type Settings struct {
	Form ui.Form
	// Delete is the form that deletes the chatbot.
	Delete ui.Form
	// MayChange and MayDelete say what the person may do.
	MayChange, MayDelete bool
	Answering            Answering
}
