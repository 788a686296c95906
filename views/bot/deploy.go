package bot

import (
	"time"

	"parley/views/ui"
)

// Deploy is the page that tells how a chatbot gets into a program.
type Deploy struct {
	// Upgrade is what a workspace without API access is offered, or nil.
	Upgrade *Upgrade
	// Tokens is how many tokens work, such as "2 tokens", and LastUsed when one was
	// used last.
	Tokens   string
	LastUsed *time.Time
	// MayCreate says that the person may create tokens.
	MayCreate bool
	// APIURL is where programs ask, and Question one that the chatbot can answer.
	APIURL, Question string
	Code             []ui.Sample
}
