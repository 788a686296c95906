package chat

import (
	"strings"

	"parley/core/chat/turn"
	"parley/text/markdown"
)

// deliveryWords writes how an answer is wanted as words, the format first, such
// as "html ids usage". No delivery is no words.
func deliveryWords(d *turn.Delivery) string {
	if d == nil {
		return ""
	}
	words := string(d.Format)
	if words == "" {
		words = string(markdown.Markdown)
	}
	if d.IDs {
		words += " ids"
	}
	if d.Sources {
		words += " sources"
	}
	if d.Usage {
		words += " usage"
	}
	if d.Suggestions {
		words += " suggestions"
	}
	return words
}

// parseDelivery reads what deliveryWords wrote.
func parseDelivery(words string) *turn.Delivery {
	if words == "" {
		return nil
	}
	name, more, _ := strings.Cut(words, " ")
	d := &turn.Delivery{Format: markdown.Format(name)}
	for word := range strings.FieldsSeq(more) {
		switch word {
		case "ids":
			d.IDs = true
		case "sources":
			d.Sources = true
		case "usage":
			d.Usage = true
		case "suggestions":
			d.Suggestions = true
		}
	}
	return d
}
