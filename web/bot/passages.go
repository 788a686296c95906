package bot

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"parley/core/answer"
	"parley/core/knowledge/browse"
	"parley/text/markdown"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// passagesToView are the passages that an answer was given, with their texts where
// the documents are still as they were.
func passagesToView(ctx context.Context, s *page.Base, v page.Visit, citations []answer.Citation) ([]views.CitedPassage, error) {
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
		shown[i] = passageToView(v.Chatbot.ID, citation, markdown.Excerpt(texts[spans[i]]))
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

// answerToView is an answer as HTML, whose markers are chips that lead to their
// passages on a page: the one at an address, or the same one without an address.
func answerToView(ctx context.Context, v page.Visit, text string, citations []answer.Citation, at string) (string, error) {
	var failed error
	made := markdown.WithCitations(markdown.Render(text, markdown.HTML, v.Chatbot.ImageHosts), func(number int) string {
		i := slices.IndexFunc(citations, func(c answer.Citation) bool { return c.Number == number })
		if i < 0 {
			return ""
		}
		written := strconv.Itoa(number)
		chip, err := templ.ToGoHTML(ctx, ui.CitationChip(ui.Citation{Number: written, Title: citations[i].Title, URL: at + "#" + views.PassageID(written)}))
		if err != nil {
			failed = err
		}
		return string(chip)
	})
	return made, failed
}

// score is how well a passage matched, or empty if it is not known.
func score(of float64) string {
	if of == 0 {
		return ""
	}
	return strconv.FormatFloat(of, 'f', 2, 64)
}
