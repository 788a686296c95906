package api

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/text/markdown"
)

func TestInclude(t *testing.T) {
	for names, want := range map[string]turn.Delivery{
		"":                          {},
		"usage":                     {Usage: true},
		"sources":                   {Sources: true},
		"ids":                       {IDs: true},
		"suggestions":               {Suggestions: true},
		"ids sources usage":         {IDs: true, Sources: true, Usage: true},
		"usage usage sources usage": {Usage: true, Sources: true},
	} {
		t.Run("including "+names, func(t *testing.T) {
			got, err := including(turn.Delivery{}, strings.Fields(names))
			if must(t, err); got != want {
				t.Errorf("got %+v", got)
			}
		})
	}
	for _, names := range [][]string{{""}, {"Usage"}, {"usage "}, {"usage", "passages"}} {
		t.Run("including "+strings.Join(names, ",")+" is refused", func(t *testing.T) {
			if _, err := including(turn.Delivery{}, names); !fault.Is(err, fault.Invalid) || fault.As(err).Field != "include" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRedelivery(t *testing.T) {
	before := turn.Delivery{Format: markdown.HTML, Usage: true}
	of := func(t *testing.T, query string, before turn.Delivery) (got turn.Delivery, failed error) {
		within(t, "/", "/?"+query, "", nil, func(c *fiber.Ctx) {
			again, err := redeliveryOf(c)
			got, failed = again.after(before), err
		})
		return got, failed
	}
	for query, want := range map[string]turn.Delivery{
		"":                                   {Format: markdown.HTML, Usage: true, IDs: true},
		"format=markdown":                    {Format: markdown.Markdown, Usage: true, IDs: true},
		"include=sources":                    {Format: markdown.HTML, Sources: true, IDs: true},
		"include=suggestions":                {Format: markdown.HTML, Suggestions: true, IDs: true},
		"include=sources,usage":              {Format: markdown.HTML, Sources: true, Usage: true, IDs: true},
		"include=ids":                        {Format: markdown.HTML, IDs: true},
		"include=":                           {Format: markdown.HTML, IDs: true},
		"format=plain_text&include=usage%2C": {},
	} {
		t.Run("the address with "+query, func(t *testing.T) {
			got, err := of(t, query, before)
			if want == (turn.Delivery{}) {
				if !fault.Is(err, fault.Invalid) {
					t.Errorf("got %v", err)
				}
				return
			}
			if must(t, err); got != want {
				t.Errorf("got %+v", got)
			}
		})
	}
	t.Run("a turn that says nothing is Markdown", func(t *testing.T) {
		got, err := of(t, "", turn.Delivery{})
		if must(t, err); got != (turn.Delivery{Format: markdown.Markdown, IDs: true}) {
			t.Errorf("got %+v", got)
		}
	})
	for _, query := range []string{"format=pdf", "format=", "format=HTML", "include=all", "include=usage,%20sources"} {
		t.Run("the address with "+query+" is refused", func(t *testing.T) {
			if _, err := of(t, query, before); !fault.Is(err, fault.Invalid) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFormatNamed(t *testing.T) {
	for _, name := range []string{"HTML", "Markdown", "text", "plain", "plain-text", " html", "html ", "null"} {
		t.Run("the name "+name+" is refused with the ones that are possible", func(t *testing.T) {
			_, err := formatNamed(name)
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("formatNamed(%q) gave %v", name, err)
			}
			if field := fault.As(err).Field; field != "format" {
				t.Errorf("the field is %q", field)
			}
			for _, legal := range []string{`"markdown"`, `"plain_text"`, `"html"`} {
				if !strings.Contains(fault.As(err).Message, legal) {
					t.Errorf("%q does not name %s", fault.As(err).Message, legal)
				}
			}
		})
	}
}
