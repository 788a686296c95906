// Package demo holds what the demo's chatbot knows: the help pages of a
// bicycle shop that does not exist. It does not make the demo, which is
// parley serve --demo.
package demo

import "embed"

const (
	// Business is the name of the shop.
	Business = "Harbor Bikes"
	// Question and SecondQuestion are what a customer might ask.
	Question       = "How do I return something?"
	SecondQuestion = "How long is the warranty on an e-bike battery?"
)

// Pages are the shop's help pages, as pages/*.md.
//
//go:embed pages/*.md
var Pages embed.FS
