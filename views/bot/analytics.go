package bot

import "parley/views/ui"

// Analytics is the page of a chatbot's figures in a range of days.
type Analytics struct {
	Base string
	// About says which days, and what they are compared with.
	About string
	// Ranges are lengths to choose from, and Form has a range of one's own.
	Ranges []ui.Tab
	Form   ui.Form
	// Any says that there were questions.
	Any               bool
	Tiles             []ui.Stat
	Charts            []ui.Chart
	Topics, Documents []Top
}

// Top is what many answers were about, or cite.
type Top struct{ Name, URL, Answers string }
