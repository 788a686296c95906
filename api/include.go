package api

import (
	"cmp"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/text/markdown"
)

// including adds what a request names in include to how it wants its answer.
func including(delivery turn.Delivery, names []string) (turn.Delivery, error) {
	for _, name := range names {
		switch name {
		case "usage":
			delivery.Usage = true
		case "sources":
			delivery.Sources = true
		case "suggestions":
			delivery.Suggestions = true
		case "ids":
			delivery.IDs = true
		default:
			return delivery, fault.InField("include", "include must be a list of any of usage, sources, suggestions and ids.")
		}
	}
	return delivery, nil
}

// details are what a list of messages is to have beside them.
type details struct{ sources, usage bool }

func (d details) any() bool { return d.sources || d.usage }

// detailsOf reads what the address of a list of messages includes.
func detailsOf(c *fiber.Ctx) (d details, err error) {
	names := c.Query("include")
	if names == "" {
		return d, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		switch name {
		case "sources":
			d.sources = true
		case "usage":
			d.usage = true
		default:
			return d, fault.InField("include", "include must be a list of any of usage and sources.")
		}
	}
	return d, nil
}

// formatNamed is a format by the name that a request gives it.
func formatNamed(name string) (markdown.Format, error) {
	if name == "" {
		return "", fault.InField("format", "format must be markdown, plain_text or html.")
	}
	to, ok := markdown.Parse(name)
	if !ok {
		return "", fault.InField("format", "format must be %q, %q or %q.", markdown.Markdown, markdown.PlainText, markdown.HTML)
	}
	return to, nil
}

// redelivery is what the address of a resumed stream says about it. What it
// does not say is as it was for the stream before.
type redelivery struct {
	format markdown.Format
	// include says whether the address has include at all.
	include                     bool
	usage, sources, suggestions bool
}

func redeliveryOf(c *fiber.Ctx) (r redelivery, err error) {
	query := c.Context().QueryArgs()
	if query.Has("format") {
		if r.format, err = formatNamed(c.Query("format")); err != nil {
			return r, err
		}
	}
	if r.include = query.Has("include"); !r.include || c.Query("include") == "" {
		return r, nil
	}
	wanted, err := including(turn.Delivery{}, strings.Split(c.Query("include"), ","))
	r.usage, r.sources, r.suggestions = wanted.Usage, wanted.Sources, wanted.Suggestions
	return r, err
}

// after is how the stream is delivered that goes on after another.
func (r redelivery) after(before turn.Delivery) turn.Delivery {
	before.IDs = true
	before.Format = cmp.Or(r.format, before.Format, markdown.Markdown)
	if r.include {
		before.Usage, before.Sources, before.Suggestions = r.usage, r.sources, r.suggestions
	}
	return before
}
