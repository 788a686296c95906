package answer

import (
	"context"
	"strings"
	"testing"

	"parley/core/answer/prompt"
	"parley/core/chatbot"
	"parley/core/retrieval"
)

// drafted makes an answer of what a model says about passages.
func drafted(t *testing.T, bot chatbot.Chatbot, found []retrieval.Result, said string) Answer {
	t.Helper()
	const question = "When are you open?"
	model := script(answers(said))
	model.traits = Traits{Language: true, Context: 1 << 16}
	d := draftOf(t, pipeline(&shelf{of: map[string][]retrieval.Result{question: found}}, model), &bot, question, "")
	if err := d.Prepare(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var text output
	if err := d.Generate(t.Context(), &text, true); err != nil {
		t.Fatal(err)
	}
	return d.Answer(text.String())
}

// output keeps the text.
type output struct{ strings.Builder }

func (o *output) Delta(piece string) error { o.WriteString(piece); return nil }
func (*output) Waiting(string) error       { return nil }

func TestWhichAnswersAreNone(t *testing.T) {
	hours := []retrieval.Result{{Passage: retrieval.Passage{ID: 1, DocumentID: "doc_1", Title: "Hours", Text: "The bakery is open from eight to six."}, Score: 2.5}}
	open, strict := chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"}, chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"}
	strict.Grounding = chatbot.Strict
	own := open
	own.NoAnswer = "Sorry, I can't help with that. Call us at 555-0100!"
	for name, c := range map[string]struct {
		bot     chatbot.Chatbot
		found   []retrieval.Result
		said    string
		unknown bool
	}{
		"one that cites a passage":                     {open, hours, "The bakery is open from eight to six. [1]", false},
		"one that cites none, in words of its own":     {open, hours, "From eight in the morning until six in the evening.", false},
		"the default text":                             {open, hours, prompt.NoAnswer(&open, "", ""), true},
		"the default text, a little changed":           {open, hours, "I'm sorry, I found nothing about that in the documents that I have", true},
		"the owner's text":                             {own, hours, "Sorry, I can’t help with that.\n\nCall us at 555-0100!", true},
		"the default text of an owner who has another": {own, hours, prompt.NoAnswer(&open, "", ""), false},
		"the owner's text before a citation":           {own, hours, "Sorry, I can't help with that. Call us at 555-0100! The bakery is open from eight to six. [1]", false},
		"the owner's words within a long answer":       {own, hours, own.NoAnswer + strings.Repeat(" We also bake rolls and cakes for weddings.", 8), false},
		"any where no passage was found":               {open, nil, "From eight to six, I think.", true},
		"a strict one that is left with nothing":       {strict, hours, "We have 42 branches in Norway.", true},
		"a strict one that the passages support":       {strict, hours, "The bakery is open from eight to six. [1]", false},
		"a strict one that says that it knows nothing": {strict, hours, prompt.NoAnswer(&strict, "", ""), true},
	} {
		if got := drafted(t, c.bot, c.found, c.said); got.Unknown != c.unknown {
			t.Errorf("%s: %t (%q)", name, got.Unknown, got.Text)
		}
	}
}

func TestCourtesies(t *testing.T) {
	reply := func(t *testing.T, grounding chatbot.Grounding, question string) Answer {
		t.Helper()
		bot := &chatbot.Chatbot{ID: "cb", Name: "The bakery"}
		bot.Grounding = grounding
		model := script(answers("We have 42 branches in Norway."))
		model.traits = Traits{Language: true, Context: 1 << 16}
		d := draftOf(t, pipeline(&shelf{}, model), bot, question, "")
		if err := d.Prepare(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		var said output
		if err := d.Generate(t.Context(), &said, true); err != nil {
			t.Fatal(err)
		}
		return d.Answer(said.String())
	}
	t.Run("a reply to one is an answer, also without a passage", func(t *testing.T) {
		for question, unknown := range map[string]bool{"Hello!": false, "Vielen Dank!": false, "Hello, when are you open?": true} {
			if got := reply(t, chatbot.Open, question); got.Unknown != unknown {
				t.Errorf("%q has no answer: %t", question, got.Unknown)
			}
		}
	})
	t.Run("a strict chatbot greets in place of what its model makes up", func(t *testing.T) {
		if got := reply(t, chatbot.Strict, "Hello!"); got.Text != "Hello! Ask The bakery a question." || got.Unknown {
			t.Errorf("got %q, %t", got.Text, got.Unknown)
		}
	})
}

func TestAnAnswerSaysWhatTheChecksDid(t *testing.T) {
	bot := chatbot.Chatbot{ID: "cb", WorkspaceID: "ws"}
	bot.Grounding = chatbot.Strict
	found := []retrieval.Result{{Passage: retrieval.Passage{ID: 1, DocumentID: "doc_1", Title: "Hours", Text: "The bakery is open from eight to six."}, Score: 2.5}}
	got := drafted(t, bot, found, "The bakery is open from eight to six. [1][7] We have 42 branches in Norway.")
	if got.Record.Refuted != 1 || got.Checked != (Checked{Dropped: 1}) {
		t.Errorf("%d citations were taken out, and it did %+v", got.Record.Refuted, got.Checked)
	}
	if len(got.Citations) != 1 || got.Citations[0].Score != 2.5 || !got.Citations[0].Cited || got.Passages[0].Text != found[0].Text {
		t.Errorf("it has %+v of %+v", got.Citations, got.Passages)
	}
	none := drafted(t, bot, found, "We have 42 branches in Norway.")
	if none.Checked != (Checked{Dropped: 1, Replaced: true}) || none.Text != prompt.NoAnswer(&bot, "", "") {
		t.Errorf("it did %+v and says %q", none.Checked, none.Text)
	}
}

func TestACachedAnswerIsUnknownAsItWasBefore(t *testing.T) {
	bot := &chatbot.Chatbot{ID: "cb"}
	for text, unknown := range map[string]bool{"From eight to six. [1]": false, prompt.NoAnswer(bot, "", ""): true} {
		d := draftOf(t, pipeline(nil, script()), bot, "When?", "")
		d.cached = &CachedAnswer{Text: text, Citations: []Citation{{Number: 1, Cited: !unknown}}}
		var said output
		if err := d.Generate(context.Background(), &said, true); err != nil {
			t.Fatal(err)
		}
		if got := d.Answer(said.String()); got.Unknown != unknown {
			t.Errorf("%q: %t", text, got.Unknown)
		}
	}
}
