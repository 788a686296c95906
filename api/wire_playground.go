package api

import (
	"math"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/text/markdown"
)

// playgroundRequest is the body of POST …/playground/stream.
type playgroundRequest struct {
	Message        *string        `json:"message"`
	ConversationID jsontext.Value `json:"conversation_id"`
	// Draft has settings that the answer is made with and that are not saved.
	Draft *draftData `json:"draft"`
}

// draftData are settings; those that are missing are the chatbot's own.
type draftData struct {
	Instructions *string `json:"instructions"`
	NoAnswer     *string `json:"no_answer"`
	// ProviderID and Model are one choice; both empty are the server's own model.
	ProviderID *string `json:"provider_id"`
	Model      *string `json:"model"`
	Grounding  *string `json:"grounding"`
	// Temperature is null to leave it to the model.
	Temperature jsontext.Value `json:"temperature"`
}

func (d draftData) toDraft() (chatbot.Draft, error) {
	draft := chatbot.Draft{Instructions: d.Instructions, NoAnswer: d.NoAnswer}
	if d.ProviderID != nil || d.Model != nil {
		choice := chatbot.ModelChoice{}
		if d.ProviderID != nil {
			choice.ProviderID = *d.ProviderID
		}
		if d.Model != nil {
			choice.Name = *d.Model
		}
		draft.Model = &choice
	}
	if d.Grounding != nil {
		grounding := chatbot.Grounding(*d.Grounding)
		draft.Grounding = &grounding
	}
	if len(d.Temperature) > 0 {
		var temperature *float64
		if err := json.Unmarshal(d.Temperature, &temperature); err != nil {
			return draft, fault.InField("temperature", "Give a number from 0 to 2, or none to leave it to the model.")
		}
		draft.Temperature = &temperature
	}
	return draft, nil
}

// inspectionData says how an answer was made. Times are milliseconds.
type inspectionData struct {
	MessageID int64  `json:"message_id"`
	Status    string `json:"status"`
	Outcome   string `json:"outcome"`
	// HTML and PlainText are the answer in these formats.
	HTML      string `json:"html"`
	PlainText string `json:"plain_text"`
	// Query is the question as it was searched for, where that is another.
	Query    string          `json:"query,omitzero"`
	Passages []inspectedData `json:"passages"`
	usageData
	Estimated    bool   `json:"estimated"`
	Model        string `json:"model"`
	Provider     string `json:"provider"`
	FirstTokenMS int64  `json:"first_token_ms"`
	TotalMS      int64  `json:"total_ms"`
	// Removed counts the citations that did not hold. Grounding is the chatbot's;
	// Dropped and Replaced say what that did to the answer, where Checked says that
	// this is known: it is not kept with an answer.
	Removed   int    `json:"removed_citations"`
	Grounding string `json:"grounding"`
	Checked   bool   `json:"checked"`
	Dropped   int    `json:"dropped_sentences"`
	Replaced  bool   `json:"replaced"`
	// RerankTokens is how many of the total tokens the model took to put passages in order.
	RerankTokens int `json:"rerank_tokens"`
	// Suggestions are questions that may follow the last answer of a conversation.
	Suggestions []string `json:"suggestions,omitzero"`
}

// inspectedData is a passage with how well it matched. Text is missing when the
// document has changed since, or is gone.
type inspectedData struct {
	citationData
	Score float64 `json:"score"`
	Text  string  `json:"text,omitzero"`
}

// triedData answers GET …/playground/conversations/:conversation_id/messages.
type triedData struct {
	Turns []triedTurnData `json:"turns"`
}

// triedTurnData is a question with its answer. An answer that is being generated
// has no inspection.
type triedTurnData struct {
	Question  string          `json:"question"`
	MessageID int64           `json:"message_id"`
	Status    string          `json:"status"`
	Answer    string          `json:"answer"`
	Inspect   *inspectionData `json:"inspect"`
	// Rating is "up" or "down", or missing.
	Rating  string `json:"rating,omitzero"`
	Comment string `json:"comment,omitzero"`
}

// suggestionsData answers GET /api/chatbots/:id/suggestions.
type suggestionsData struct {
	Questions []string `json:"questions"`
	Welcome   string   `json:"welcome"`
}

// inspect says how an answer was made, of whose passages the texts are given.
func (i inspector) inspect(a turn.Answer, texts []string) inspectionData {
	r := a.Record
	data := inspectionData{
		MessageID: i.ids.Message(a.MessageID), Status: string(a.Status), Outcome: string(a.Outcome),
		// Pages show no images of other hosts.
		HTML: markdown.Render(a.Text, markdown.HTML, nil), PlainText: markdown.Render(a.Text, markdown.PlainText, nil),
		Query: a.Query, Passages: make([]inspectedData, len(a.Citations)),
		usageData: usageToWire(r.Usage), Estimated: r.Usage.Estimated, Model: r.Model, Provider: i.provider(r.Model),
		FirstTokenMS: r.FirstToken.Milliseconds(), TotalMS: r.Total.Milliseconds(),
		Removed: r.Refuted, Grounding: string(i.grounding), Checked: hasTexts(&a), Dropped: a.Checked.Dropped, Replaced: a.Checked.Replaced,
		RerankTokens: r.RerankTokens,
	}
	for n, citation := range a.Citations {
		data.Passages[n] = inspectedData{citationData: citationToWire(citation), Score: math.Round(citation.Score*1000) / 1000, Text: texts[n]}
	}
	return data
}

// provider is the name of the provider whose model answered: empty for one of the
// server's own, and where it is not known.
func (i inspector) provider(model string) string {
	for _, choice := range []chatbot.ModelChoice{i.model, i.fallback} {
		// A model may answer by the name of its version.
		if choice.ProviderID != "" && choice.Name != "" && strings.HasPrefix(model, choice.Name) {
			return i.names[choice.ProviderID]
		}
	}
	return ""
}
