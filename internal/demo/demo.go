// Package demo holds the knowledge of the demo's chatbot: the help pages of a fictional
// bicycle shop. It does not create the demo; parley serve --demo does.
package demo

import "embed"

const (
	// Business is the name of the shop.
	Business = "Harbor Bikes"
	// Question and SecondQuestion are questions that a customer might ask.
	Question       = "How do I return something?"
	SecondQuestion = "How long is the warranty on an e-bike battery?"
)

// Pages are the shop's help pages, as pages/*.md.
//
//go:embed pages/*.md
var Pages embed.FS
