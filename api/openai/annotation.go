package openai

import (
	"cmp"

	"parley/text/citation"
)

// urlCitation is a marker in an answer with the document that it stands for.
type urlCitation struct {
	// StartIndex and EndIndex are characters of the answer, the latter excluded.
	StartIndex int    `json:"start_index"`
	EndIndex   int    `json:"end_index"`
	URL        string `json:"url"`
	Title      string `json:"title"`
}

// completionAnnotation is a citation as chat completions have it.
type completionAnnotation struct {
	Type     string      `json:"type"`
	Citation urlCitation `json:"url_citation"`
}

// responseAnnotation is a citation as responses have it.
type responseAnnotation struct {
	Type string `json:"type"`
	urlCitation
}

const urlCitationType = "url_citation"

// citations are the markers of an answer, in their order.
func (e Ended) citations() []urlCitation {
	marks := citation.Marks(e.Text, len(e.Citations))
	found := make([]urlCitation, 0, len(marks))
	for _, mark := range marks {
		cited := e.Citations[mark.Number-1]
		if !cited.Cited {
			continue
		}
		found = append(found, urlCitation{
			StartIndex: mark.Start, EndIndex: mark.End, Title: cited.Title,
			// Clients take an annotation without an address for broken.
			URL: cmp.Or(cited.URL, "urn:parley:document:"+cited.DocumentID),
		})
	}
	return found
}

func (e Ended) completionAnnotations() []completionAnnotation {
	found := e.citations()
	annotations := make([]completionAnnotation, len(found))
	for i, c := range found {
		annotations[i] = completionAnnotation{urlCitationType, c}
	}
	return annotations
}

func (e Ended) responseAnnotations() []responseAnnotation {
	found := e.citations()
	annotations := make([]responseAnnotation, len(found))
	for i, c := range found {
		annotations[i] = responseAnnotation{urlCitationType, c}
	}
	return annotations
}
