package suggest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/text/language"
	"parley/text/passage"
	sentences "parley/text/sentence"
)

// headed and inPairs say whether the headings of a sample are the questions of pairs.
const headed, inPairs = false, true

// sample is a document whose passages have these texts.
func sample(pairs bool, title string, texts ...string) Document {
	d := Document{Pairs: pairs, Title: title}
	for i, text := range texts {
		d.Passages = append(d.Passages, passage.Passage{Title: title, HeadingPath: []string{title}, Ordinal: i, Text: text})
	}
	return d
}

func TestQuestions(t *testing.T) {
	pairs := sample(inPairs, "Questions", "## Do you ship abroad?\n\nYes.\n\n## How long does it take\n\nA week.\n\n## Returns\n\nIn 30 days.\n\n## old stuff: 1, 2 and 3\n\nNo.")
	hours := sample(headed, "Opening hours", "Our opening hours are from eight to six.\n\n## Holidays\n\nOn holidays we are closed.")
	guide := sample(headed, "guide.pdf", "# 1. Introduction\n\nHello.\n\n# 2.1 **Warranty** of the [ProMax](https://a.example)\n\nThe warranty lasts.\n\n## Can I open it myself?\n\nNo.\n\n# Page 3\n\n# HDMI ports\n\nTwo.")
	german := func(text string) string {
		return text + "\n\n" + strings.Repeat("Die Ware kann innerhalb von dreißig Tagen zurückgegeben werden. ", 5)
	}
	for name, c := range map[string]struct {
		from []Document
		want []string
	}{
		"nothing suggests nothing":                       {nil, nil},
		"pairs come first, one document after the other": {[]Document{hours, pairs}, []string{"Do you ship abroad?", "How long does it take?", "When are you open?", "How do returns work?"}},
		"then headings that ask, then others": {
			[]Document{hours, guide},
			[]string{"Can I open it myself?", "When are you open?", "What should I know about holidays?", "What should I know about warranty of the ProMax?"},
		},
		"a name keeps its capital, and what people are known to ask comes before what is made": {
			[]Document{sample(headed, "Opening hours", "Our opening hours are long.\n\n## Christmas\n\nWe close.\n\n## Returning goods\n\nIn 30 days.")},
			[]string{"When are you open?", "How do returns work?", "What should I know about Christmas?"},
		},
		"what is in code, too long or in any document is no heading": {
			[]Document{sample(headed, "https://a.example/x", "```\n# not a heading\n```\n\n## Overview\n\n## FAQ\n\n## "+strings.Repeat("long ", 20)+"\n\n## 42\n\n## Delivery\n\nFast delivery.")},
			[]string{"How does delivery work?"},
		},
		"a question that needs what stands around it is left out": {
			[]Document{sample(headed, "Locks", "## Which lock?\n\nAny.\n\n## What about those above?\n\nYes.\n\n## Which lock fits my door?\n\nThis one.")},
			[]string{"Which lock fits my door?", "What should I know about Locks?"},
		},
		"first sentences suggest what they answer": {
			[]Document{sample(headed, "Skybound", "Skybound Rentals is a bicycle shop in Bergen.", "# Day tickets\n\nA day ticket costs 12 euros.", "# Repairs\n\nA repair takes two days.")},
			[]string{"What is Skybound Rentals?", "How much does a day ticket cost?", "How long does a repair take?"},
		},
		"a heading that makes no question suggests nothing": {
			[]Document{sample(headed, "house-rules.md", "## You must be 18: no exceptions\n\nYes.\n\n## We never close\n\nNever.\n\n## Pets\n\nNo pets.")},
			[]string{"What should I know about pets?"},
		},
		"headings of another language make questions in it": {
			[]Document{sample(headed, "a.md", german("## Rückgabe"), german("## Montage des Rades"), german("## Was kostet der Versand?"), german("## Bitte beachten Sie: keine Haftung"))},
			[]string{"Was kostet der Versand?", "Wie funktioniert die Rückgabe?", "Was sollte ich über „Montage des Rades“ wissen?"},
		},
		"a text that is too short to tell its language has that of the other documents": {
			[]Document{sample(headed, "Montage", "Lohn: 40"), sample(headed, "a.md", german("## Rückgabe"))},
			[]string{"Wie funktioniert die Rückgabe?", "Was sollte ich über „Montage“ wissen?"},
		},
		"without any language, headings of which one language is known have that one": {
			[]Document{sample(headed, "Öffnungszeiten", "Mo–Fr 9–18")},
			[]string{"Was sind die Öffnungszeiten?"},
		},
		"Japanese has questions, too": {
			[]Document{sample(headed, "営業時間", "営業時間は毎日9時から18時までです。\n\n## 団体割引\n\n10名様以上の団体には割引があります。\n\n## ペットを連れて行けますか？\n\nはい、できます。")},
			[]string{"ペットを連れて行けますか？", "営業時間は何時から何時までですか？", "「団体割引」について教えてください。"},
		},
		"the same question is asked once":   {[]Document{pairs, pairs}, []string{"Do you ship abroad?", "How long does it take?", "How do returns work?"}},
		"two that ask for the same are one": {[]Document{sample(inPairs, "Q", "## When do you open?\n\nAt 7."), hours}, []string{"When do you open?", "What should I know about holidays?"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Read(c.from).Questions(4); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestAsk(t *testing.T) {
	w := wordingOf("The shop is open and you can return goods. We sell the bikes of many makers, in Norway, too. Measure a Bike.")
	for heading, want := range map[string]string{
		"How to change a tube":                     "How do I change a tube?",
		"Selling your bike":                        "How do I sell my bike?",
		"Selling Us Your old Bike":                 "How do I sell you my old bike?",
		"Measuring your inside leg":                "How do I measure my inside leg?",
		"Stopping the motor":                       "How do I stop the motor?",
		"Juggling the bikes":                       "How does juggling the bikes work?",
		"Rotate the secret":                        "How do I rotate the secret?",
		"What to bring":                            "What should I bring?",
		"Who to ask":                               "Who should I ask?",
		"What cannot be returned":                  "What cannot be returned?",
		"What the bikes do not cover":              "What do the bikes not cover?",
		"What an inspection includes":              "What does an inspection include?",
		"Bikes":                                    "What should I know about bikes?",
		"Norway":                                   "What should I know about Norway?",
		"API keys":                                 "What should I know about API keys?",
		"Bikes Of Norway":                          "What should I know about bikes of Norway?",
		"Registration":                             "What should I know about registration?",
		"Something else":                           "What should I know about Something else?",
		"For a workspace":                          "",
		"At night":                                 "",
		"Behind the scenes":                        "",
		"Meet the team":                            "",
		"Try it on your installation":              "",
		"How it works":                             "",
		"What is open":                             "",
		"What we promise":                          "",
		"Words that were not heard":                "",
		"We never close":                           "",
		"Rates (2026), from April":                 "",
		"<script>alert(1)</script>":                "",
		"A very long heading of many words indeed": "",
	} {
		if got, _ := ask(heading, 1000, language.English, w); got != want {
			t.Errorf("%q becomes %q, want %q", heading, got, want)
		}
	}
}

// wordingOf returns the wording of a text.
func wordingOf(text string) wording {
	w := wording{common: map[string]int{}, names: map[string]int{}}
	w.read(text)
	return w
}

func TestHeadings(t *testing.T) {
	for written, want := range map[string]string{
		"2.1 **Warranty** of the [ProMax](https://a.example) ##": "Warranty of the ProMax ##",
		"![A bike](a.png) Bikes &amp; more":                      "A bike Bikes & more",
		"What is <b>new</b>?":                                    "What is new?",
		"What is `<b>`?":                                         "What is <b>?",
		"Ship\u00adping \u200b costs":                            "Shipping costs",
		"Refund \u202etxt.exe":                                   "",
		"Refunds\x07":                                            "",
		"Can I get a refund at https://evil.example?":            "",
		"Who answers at evil@evil.example?":                      "",
		"Is it " + strings.Repeat("long", 20) + "?":              "",
		strings.Repeat("[a](b)", 1000):                           "",
		"Open \xff hours":                                        "",
	} {
		if got := heading(written); got != want {
			t.Errorf("%q becomes %q, want %q", written, got, want)
		}
	}
	t.Run("of a document with thousands of headings the first are read", func(t *testing.T) {
		d := sample(headed, "Bikes", strings.Repeat("## Bike of a kind\n## A bike\n", 10))
		for i := range 5000 {
			d.Passages[0].Text += "\n## Can I have bike " + strconv.Itoa(i) + "?\n"
		}
		if n := len(d.sections()); n != mostSections {
			t.Errorf("there are %d", n)
		}
	})
}

func TestTopics(t *testing.T) {
	for heading, want := range map[string]string{"Opening Hours": "When are you open?", "Contact us:": "How can I contact you?", "Bikes": ""} {
		if got := topic(heading, language.English); got != want {
			t.Errorf("%q becomes %q, want %q", heading, got, want)
		}
	}
	t.Run("every language of Parley's own sentences has topics and words that ask, and its questions are in it", func(t *testing.T) {
		for _, code := range language.Codes() {
			of := topicsOf(code)
			if len(of.interrogatives) < 8 || len(of.questions) < 10 {
				t.Errorf("%s has %d words and %d questions", code, len(of.interrogatives), len(of.questions))
			}
			var questions []string
			for _, question := range of.questions {
				questions = append(questions, question)
				if !sentences.Asks(question) && code != language.Thai {
					t.Errorf("%s: %q asks nothing", code, question)
				}
			}
			if got := language.Of(strings.Join(questions, " ")); got != code && got != "" {
				t.Errorf("the questions of %s are in %q", code, got)
			}
		}
	})
}

func TestAnswered(t *testing.T) {
	for text, want := range map[string]string{
		"The bakery opens at seven in the morning and closes at noon.": "When are you open?",
		"We are open from 8 to 6. Come in!":                            "When are you open?",
		"We open every door to new ideas.":                             "",
		"A day ticket costs 12 euros.":                                 "How much does a day ticket cost?",
		"The large lockers cost $4 a day.":                             "How much do the large lockers cost?",
		"A call costs nothing.":                                        "How much does a call cost?",
		"What it costs depends.":                                       "",
		"Standard delivery takes about 3 days.":                        "How long does standard delivery take?",
		"Refunds take up to ten days.":                                 "How long do refunds take?",
		"It takes two days.":                                           "",
		"Parley is a service for businesses.":                          "What is Parley?",
		"The Night Line is the last bus.":                              "What is the Night Line?",
		"There are the usual rules.":                                   "",
		"This is a text.":                                              "",
		"The rye loaf is baked at midnight.":                           "",
		"no sentence at all":                                           "",
		"[Parley](https://a.example) is **a service**. And more.":      "What is Parley?",
		"": "",
	} {
		if got := answered(firstSentence(text)); got != want {
			t.Errorf("%q is an answer to %q, want %q", text, got, want)
		}
	}
}

func TestWelcome(t *testing.T) {
	hours := sample(headed, "Opening hours", "Our opening hours are from eight to six.\n\n## Holidays\n\nOn holidays we are closed.")
	norway := sample(headed, "Norway", "This is how we ship to Norway.\n\n## Delivery to islands\n\nIt takes a day.\n\n## Registration\n\nOnline.\n\n## Quayside\n\nA brand.")
	for name, c := range map[string]struct {
		from []Document
		want string
	}{
		"without documents it has the name alone":                        {nil, "Ask Harbor {1} a question."},
		"it names a title of each document, and then headings":           {[]Document{hours, norway}, "Ask Harbor {1} a question, for example about opening hours, Norway or holidays."},
		"a heading is left out where nothing tells whether it is a name": {[]Document{norway, sample(headed, "Quayside", "We sell the bikes of many makers to all of you.")}, "Ask Harbor {1} a question, for example about Norway, delivery to islands or registration."},
		"a subject that another one includes is not named beside it":     {[]Document{sample(headed, "delivery", "## Delivery and returns\n\nFast.\n\n## Gift cards\n\nOur gift cards last a year.")}, "Ask Harbor {1} a question, for example about delivery or gift cards."},
		"one subject stands alone":                                       {[]Document{sample(headed, "Bikes", "We sell the bikes of many makers to all of you.")}, "Ask Harbor {1} a question, for example about bikes."},
		"questions, file names and the chatbot's name are no subjects":   {[]Document{sample(headed, "a.pdf", "## Harbor {1}\n\nWe are the shop at the harbor.\n\n## Can I pay?\n\nYes.\n\n## How to pay\n\nIn cash.")}, "Ask Harbor {1} a question."},
		"it is in the language of most documents": {
			[]Document{hours, sample(headed, "Öffnungszeiten", "Das Bad ist von Montag bis Freitag geöffnet und die Sauna am Sonntag."), sample(headed, "Preise", "Die Karte für das Bad kostet für Kinder nicht mehr als vier Euro.")},
			"Stellen Sie Harbor {1} eine Frage, zum Beispiel zum Thema Öffnungszeiten oder Preise.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Read(c.from).Welcome("Harbor {1}"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestFollowUps(t *testing.T) {
	shop := Document{Title: "Rental", Passages: []passage.Passage{
		{Ordinal: 3, HeadingPath: []string{"Rental", "Prices"}, Text: "A bike for a day is 30 euros, and one for a week is 120 euros."},
		{Ordinal: 4, HeadingPath: []string{"Rental", "Opening hours"}, Text: "The rental desk opens at eight and closes at six."},
		{Ordinal: 5, HeadingPath: []string{"Rental", "Helmets"}, Text: "Every rider gets one of our helmets, without a charge."},
		{Ordinal: 6, HeadingPath: []string{"Rental", "Child seats"}, Text: "Two of our bikes have child seats for up to 22 kilograms."},
		{Ordinal: 7, HeadingPath: []string{"Rental", "Empty"}, Text: "## Nothing\n"},
	}}
	near := []Near{{Document: shop, Ordinal: 4, Cited: true}}
	const answer = "The rental desk opens at **eight** and closes at six [1]."
	german := Near{Document: sample(inPairs, "Fragen", "## Wie lange ist das Bad am Sonntag offen?\n\nDas Bad ist am Sonntag bis 18 Uhr offen.\n\n## Was kostet die Tageskarte?\n\nDie Tageskarte kostet acht Euro für alle.")}
	for name, c := range map[string]struct {
		asked  []string
		answer string
		near   []Near
		want   []string
	}{
		"without passages there are none":                           {[]string{"Hello?"}, answer, nil, nil},
		"what is near comes first, after the passage before before": {[]string{"What time can I come in?"}, answer, near, []string{"What are the prices for rental?", "What should I know about helmets?", "What should I know about child seats?"}},
		"what was asked before is not asked again":                  {[]string{"Do you have helmets?", "What time can I come in?"}, answer, near, []string{"What are the prices for rental?", "What should I know about child seats?"}},
		"what the answer tells is not asked":                        {[]string{"What?"}, answer + " Every rider gets one of our helmets, without a charge [2].", near, []string{"What are the prices for rental?", "What should I know about child seats?"}},
		"they are in the language of the question, if it is there":  {[]string{"Was kostet das für alle Kinder?"}, "Nichts.", append([]Near{german}, near...), []string{"Wie lange ist das Bad am Sonntag offen?", "Was kostet die Tageskarte?"}},
		"otherwise in the one that is there":                        {[]string{"Quels sont les horaires de la piscine ?"}, "Rien.", []Near{german}, []string{"Wie lange ist das Bad am Sonntag offen?", "Was kostet die Tageskarte?"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := FollowUps(c.asked, c.answer, c.near, 3); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
