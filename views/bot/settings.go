// Package bot owns a chatbot's pages, and the models that they show: one file a
// page, named as in the sidebar.
//
// It does not own what the models hold (package web/bot). Nothing is fetched or
// decided here.
package bot

import (
	"github.com/a-h/templ"

	"parley/views/ui"
)

// Settings is the page of a chatbot.
type Settings struct {
	Form ui.Form
	// Delete is the form that deletes the chatbot.
	Delete ui.Form
	// MayChange and MayDelete say what the person may do.
	MayChange, MayDelete bool
	Answering            Answering
	// Proposal is the greeting that the documents suggest, and Proposed says that the
	// form has it and is not saved.
	Proposal Proposal
	Proposed bool
}

// Proposal is a greeting that is made from documents.
type Proposal struct {
	Welcome   string
	Questions []string
}

// unsaved are the attributes of a form with unsaved values.
func (m Settings) unsaved() templ.Attributes { return templ.Attributes{"data-unsaved": m.Proposed} }

// SettingName is what the page calls a setting, by the name that the audit log
// has for it.
func SettingName(field string) string { return ui.NameOf(field, settingNames) }

var settingNames = map[string]string{
	"name": "Name", "instructions": "Instructions", "no_answer": "When it does not know", "welcome": "Welcome text", "suggested_questions": "Suggested questions", "suggest_nothing": "Suggest no questions", "image_hosts": "Allowed image domains",
	"passage_aim": "Size of a passage", "passage_limit": "Largest passage", "answer_without_knowledge": "Answer without knowledge",
	"separate_end_users": "Separate end users", "discard_files": "Delete uploaded files once they are read", "model.provider_id": "Provider", "model.name": "Model",
	"fallback.provider_id": "Fallback provider", "fallback.name": "Fallback model", "temperature": "Temperature",
	"max_answer_tokens": "Longest answer", "grounding": "What it may say", "rerank": "Rerank results with the model", "cache_answers": "Cache repeated questions",
	"retention_days": "Keep conversations for", "discard_messages": "Do not store messages",
}
