package bot

import (
	"context"
	"strconv"
	"strings"

	"parley/core/answer"
	"parley/core/answer/format"
	"parley/core/knowledge/browse"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/web/site"
)

// passagesToView are the passages that an answer was given, with their texts where
// the documents are still as they were.
func passagesToView(ctx context.Context, s *site.Site, v site.Visit, citations []answer.Citation) ([]views.CitedPassage, error) {
	spans := make([]browse.Span, len(citations))
	for i, c := range citations {
		spans[i] = browse.Span{DocumentID: c.DocumentID, Version: c.Version, Start: c.Start, End: c.End}
	}
	texts, err := s.Browser.Texts(ctx, v.WorkspaceID(), v.Chatbot.ID, spans)
	if err != nil {
		return nil, err
	}
	shown := make([]views.CitedPassage, len(citations))
	for i, citation := range citations {
		shown[i] = passageToView(v.Chatbot.ID, citation, format.Excerpt(texts[spans[i]]))
	}
	return shown, nil
}

func passageToView(chatbotID string, citation answer.Citation, text string) views.CitedPassage {
	path := citation.HeadingPath
	if len(path) > 0 && path[0] == citation.Title {
		path = path[1:]
	}
	return views.CitedPassage{
		Number: strconv.Itoa(citation.Number), Title: citation.Title, Path: strings.Join(path, " › "), Place: citation.Place,
		Cited: citation.Cited, Text: text, Score: score(citation.Score), URL: shell.KnowledgeURL(chatbotID) + "/" + citation.DocumentID,
	}
}

// score is how well a passage matched, or empty if it is not known.
func score(of float64) string {
	if of == 0 {
		return ""
	}
	return strconv.FormatFloat(of, 'f', 2, 64)
}
