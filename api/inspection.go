package api

import (
	"cmp"
	"context"
	"math"
	"strings"

	"parley/api/wire"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/text/markdown"
)

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
	wire.Usage
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
	wire.Citation
	Score float64 `json:"score"`
	Text  string  `json:"text,omitzero"`
}

// inspector says how answers were made.
type inspector struct {
	ids identifiers
	// names has the names of the chatbot's providers, by ID.
	model, fallback chatbot.ModelChoice
	names           map[string]string
	grounding       chatbot.Grounding
}

func (h playground) inspector(ctx context.Context, p *chatbot.Principal) (inspector, error) {
	bot := &p.Chatbot
	i := inspector{ids: h.ids, model: bot.Model, fallback: bot.Fallback, names: map[string]string{}, grounding: cmp.Or(bot.Grounding, chatbot.Open)}
	for _, choice := range []chatbot.ModelChoice{bot.Model, bot.Fallback} {
		if choice.ProviderID == "" {
			continue
		}
		provider, err := h.Chatbots.Providers.Get(ctx, bot.WorkspaceID, choice.ProviderID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return i, err
		}
		i.names[choice.ProviderID] = provider.Name
	}
	return i, nil
}

// inspect says how an answer was made, of whose passages the texts are given.
func (i inspector) inspect(a turn.Answer, texts []string) inspectionData {
	r := a.Record
	data := inspectionData{
		MessageID: i.ids.Message(a.MessageID), Status: wire.StatusToWire(a.Status, a.Finish), Outcome: string(a.Outcome),
		// Pages show no images of other hosts.
		HTML: markdown.Render(a.Text, markdown.HTML, nil), PlainText: markdown.Render(a.Text, markdown.PlainText, nil),
		Query: a.Query, Passages: make([]inspectedData, len(a.Citations)),
		Usage: wire.UsageToWire(r.Usage), Estimated: r.Usage.Estimated, Model: r.Model, Provider: i.provider(r.Model),
		FirstTokenMS: r.FirstToken.Milliseconds(), TotalMS: r.Total.Milliseconds(),
		Removed: r.Refuted, Grounding: string(i.grounding), Checked: hasTexts(&a), Dropped: a.Checked.Dropped, Replaced: a.Checked.Replaced,
		RerankTokens: r.RerankTokens,
	}
	for n, citation := range a.Citations {
		data.Passages[n] = inspectedData{Citation: wire.CitationToWire(citation), Score: math.Round(citation.Score*1000) / 1000, Text: texts[n]}
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
