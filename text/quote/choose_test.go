package quote

import (
	"strings"
	"testing"

	"parley/internal/demo"
	"parley/text/language"
)

const prices = "## Prices\n\n| Plan | Price |\n|---|---|\n| Basic | $5 |\n| Premium | $20 |\n\nPrices include taxes in every country.\n\n## Payment\n\nPay with a card.\n"

// What is quoted, without its source.
func TestWhatIsQuoted(t *testing.T) {
	for name, c := range map[string]struct{ question, passage, want string }{
		"the table under the heading that was asked about is quoted whole": {
			"What are your prices?", prices,
			"| Plan | Price |\n| --- | --- |\n| Basic | $5 |\n| Premium | $20 |\n\nPrices include taxes in every country.",
		},
		"a row that the question tells from the others is quoted alone": {
			"What is the price of Premium?", strings.Replace(prices, "Prices include", "Long after the table it says that these include", 1) + "\n\nMore text.",
			"| Plan | Price |\n| --- | --- |\n| Premium | $20 |",
		},
		"the cells of a table without words in its header stay in their columns": {
			"What is the price of Premium?", "| | |\n|---|---|\n| Basic price | $5 |\n| Premium price | $20 |\n", "| | |\n| --- | --- |\n| Premium price | $20 |",
		},
		"steps are quoted whole, with the code between them": {
			"How do I install the router?", "1. Plug the router in.\n2. Run this:\n\n```sh\nsetup\n```\n\n3. Wait.\n\nThen enjoy.",
			"1. Plug the router in.\n2. Run this:\n\n```sh\nsetup\n```\n\n3. Wait.",
		},
		"steps with blank lines between them are one list": {
			"How do I install the router?", "1. Plug the router in.\n\n2. Install it.\n\n3. Wait.", "1. Plug the router in.\n2. Install it.\n3. Wait.",
		},
		"a list is quoted whole when nothing tells its items apart": {
			"What can't be returned?", "Some words come first. They say nothing, at length, again and again.\n\nMore words follow them, one after the other, to no end.\n\n" +
				"These cannot be returned:\n\n- Helmets\n- Gift cards\n- Inner tubes\n\nThe end of the page is here.",
			"These cannot be returned:\n\n- Helmets\n- Gift cards\n- Inner tubes",
		},
		"a question for what is not so finds the heading that denies": {
			"And what can I not return?", "## How to return something\n\n1. Write to us what you want to return.\n2. Print the label for the return.\n\n## What cannot be returned\n\n- Helmets\n- Gift cards\n",
			"- Helmets\n- Gift cards",
		},
		"a question of an FAQ gets its answer whole": {
			"Can I bring my dog?", "## Do you repair dogs?\nNo.\n## Can I bring my dog?\nYes. It needs a leash. Cats stay outside. We have water.\n## Is there coffee?\nYes.",
			"Yes. It needs a leash. Cats stay outside. We have water.",
		},
		"a question in the words of an FAQ gets that answer alone": {
			"what does the server need", "## The server\n\nThe server needs care. What the server needs most is the server's own model, which the server needs.\n\n## What does the server need?\n\nOne binary and a folder.",
			"One binary and a folder.",
		},
		"a question that a paragraph begins with is the heading of its answer": {
			"Can I bring my dog?", "Is there coffee? Yes, it is free.\n\nCan I bring my dog? Only on a leash.\n\nWe have water.", "Only on a leash.",
		},
		"a short line that stands alone is a heading": {
			"How is the refund paid?", "Shipping\n\nWe ship each working day, all over the country.\n\nRefunds\n\nIt goes to the card that you paid with.", "It goes to the card that you paid with.",
		},
		"a sentence that leans on the one before brings it along": {
			"When is the warranty void?", "Each router has a warranty. It is void when the warranty seal is broken by anybody. The box is blue and heavy.",
			"Each router has a warranty. It is void when the warranty seal is broken by anybody.",
		},
		"a heading that denies says nothing of what is so": {
			"What does the warranty cover?", "## What the warranty does not cover\n\nWear parts and accidents.\n\n## New routers\n\nThe warranty covers all parts for two years.",
			"The warranty covers all parts for two years.",
		},
		"\"How much is it?\" asks what it costs": {
			"How much is shipping?", "## Shipping\n\nShipping is done by people who know it.\n\n## Shipping costs\n\n| What | Cost |\n|---|---|\n| Bikes | $49 |\n| Parts | $5 |\n",
			"| What | Cost |\n| --- | --- |\n| Bikes | $49 |\n| Parts | $5 |",
		},
		"what something is stands where a unit begins with it": {
			"What is a passage?", "The prompt counts each passage from one on.\n\nA passage is a piece of a document.", "A passage is a piece of a document.",
		},
		"comments are not quoted": {
			"Where is the router manual?", "<!-- router manual\nof the router --> The manual of the router lies in its box.\n<!-- router -->\n\n<!-- where the manual is not closed", "The manual of the router lies in its box.",
		},
		"links are not quoted": {
			"Where is the router manual?", "- [Router manual](/manual)\n- [Router prices](/prices)\n\nThe manual of the router lies in its box.", "The manual of the router lies in its box.",
		},
		"two words are found as one": {
			"How do I back up my data?", "The sky is blue today.\n\nA backup of the data is made by the command.", "A backup of the data is made by the command.",
		},
		"a word with a hyphen is found as one, and more than its parts": {
			"Do you sell e-bikes?", "We sell bikes that we would ride ourselves.\n\n## Other\n\nAn e-bike is sold from $1,899.", "An e-bike is sold from $1,899.",
		},
		"a form that no suffix tells is the same word": {
			"Have you lost and found children?", "The sky is blue today.\n\nA lost child waits at the desk.", "A lost child waits at the desk.",
		},
		"a heading that asks all of the question, and more, has its answer": {
			"Can I cancel my order?", "## Tours\n\nWe cancel tours that nobody booked.\n\n## Can I change or cancel an online order?\nUntil it is packed. Call us. We are quick.",
			"Until it is packed. Call us. We are quick.",
		},
		"an address says where something is": {
			"Where are you located?", "Trams 3 and 7 stop at Quay Street, near the shop. The stop is easy to find, and the road is flat.\n\nHarbor Bikes is at 14 Quay Street, Port Ellery.", "Harbor Bikes is at 14 Quay Street, Port Ellery.",
		},
		"a question for a place needs no word of its own": {
			"Where are you?", "The shop is blue and old.\n\nHarbor Bikes is at 14 Quay Street, Port Ellery.", "Harbor Bikes is at 14 Quay Street, Port Ellery.",
		},
		"words for the same count as one": {
			"What does the router cost?", "The router is blue and stands on a shelf.\n\nThe price of the router is 40 dollars.", "The price of the router is 40 dollars.",
		},
		"to bring something back is to return it": {
			"Can I send the router back?", "We send the router to your door by mail.\n\n## Returns\n\nThe return of a router is free within two weeks.", "The return of a router is free within two weeks.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, _ := strings.Cut(ask(c.question, c.passage), "\n\n*Source")
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	t.Run("in other languages the paragraph is quoted", func(t *testing.T) {
		const paragraph = "Das Bad ist alt. Der Eintritt ist günstig. Erwachsene zahlen 7 €."
		if got := ask("Was kostet der Eintritt?", paragraph+"\n\nDas Dach ist aus Glas."); !strings.HasPrefix(got, paragraph+"\n\n*Quelle") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("what is written like the answer says what the headings above it ask, and a table what its header does", func(t *testing.T) {
		for name, c := range map[string]struct{ question, title, has string }{
			"repairs": {"How long does a repair take?", "Repairs and inspections", "while you wait"},
			"tours":   {"How much does a tour cost?", "Guided tours", "$29"},
		} {
			text, err := demo.Pages.ReadFile("pages/" + name + ".md")
			if err != nil {
				t.Fatal(err)
			}
			_, body, _ := strings.Cut(string(text), "\n")
			asked := Question{Text: c.question, Passages: []Passage{{Title: c.title, HeadingPath: []string{c.title}, Text: body}}}
			if got := Answer(asked); !strings.Contains(got, c.has) {
				t.Errorf("%s gets %s", c.question, got)
			}
		}
	})
	t.Run("a question for what the title says is answered by what the page begins with", func(t *testing.T) {
		asked := Question{Text: "What warranty is there?", Passages: []Passage{{
			Title: "Warranty", Text: "## New bikes\n\nEvery new bike has a warranty of two years on all parts that do not wear. It begins when you buy the bike.\n\n## E-bikes\n\nMotors have a warranty of two years.",
		}}}
		if got := Answer(asked); !strings.HasPrefix(got, "Every new bike") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a sentence that stands in several passages is quoted once", func(t *testing.T) {
		got := ask("router warranty", "The router has a warranty.", "The router has a warranty.")
		if strings.Count(got, "The router") != 1 {
			t.Errorf("got %s", got)
		}
	})
}

func TestEvidence(t *testing.T) {
	const pool = "# Tarifs\n\nL'entrée coûte 7 € pour les adultes. Le parking est gratuit.\n"
	for name, c := range map[string]struct {
		question, passage string
		answered          bool
	}{
		"a passage that says all words of the question answers it": {"Where is the router's button?", "The button of the router is behind it.", true},
		"one that has a common word of it does not":                {"Can you book me a flight to Paris?", "Book a rental three days ahead.", false},
		"one that is about another of its words does not":          {"What time does the cinema open?", "The workshop is open from eight to five.", false},
		"a question in another language is answered by its words":  {"Combien coûte l'entrée pour adultes ?", pool, true},
		"inflected words of another language are alike":            {"Les parkings sont-ils gratuits ?", pool, true},
		"what a foreign question is made with is no word of it":    {"Que faut-il savoir sur le parking ?", pool, true},
		"a stemmer knows more endings than a beginning has":        {"Wann öffnen die Häuser?", "Das Haus im Park öffnet um neun Uhr und schließt um sechs.", true},
		"the end of a compound is its word":                        {"Gibt es Gutscheine?", "Geschenkgutscheine gibt es an der Kasse.", true},
		"and a compound is found by its end":                       {"Wo kaufe ich Geschenkgutscheine?", "Gutscheine gibt es an der Kasse.", true},
		"a Chinese character is found in other words":              {"抽屉坏了，保多久？", "质保期为三年，抽屉和柜门都在内。", true},
		"Katakana is read by words":                                {"スペインの首都はどこですか？", "チェックインは15時からです。", false},
		"and so is found":                                          {"チェックインは何時ですか？", "チェックインは15時からです。", true},
		"words that mean the same are alike":                       {"Habt ihr für uns einen Rabatt?", "Ermäßigungen gibt es für Gruppen.", true},
		"and so are Chinese ones":                                  {"包邮吗？", "满三千元免运费。", true},
		"a Korean word is found with another particle":             {"학생 할인이 있나요?", "학생은 할인을 받습니다.", true},
		"a Korean question without relevant words gets no answer":  {"스페인의 수도는 어디입니까?", "학생은 할인을 받습니다.", false},
		"a foreign question without relevant words gets no answer": {"Quelle est la capitale de l'Espagne ?", pool, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(c.question, c.passage); strings.Contains(got, "[1]") != c.answered {
				t.Errorf("got %s", got)
			}
		})
	}
	t.Run("a question that follows another is read together with it", func(t *testing.T) {
		asked := Question{Text: "And on Sundays?", Passages: []Passage{{
			Title: "Shop", Text: "Tours leave on Sundays at ten.\n\nThe workshop opens on Sundays at noon, and closes at four.",
		}}, Earlier: []string{"When does the workshop open?"}}
		if got := Answer(asked); !strings.Contains(got, "The workshop opens on Sundays") {
			t.Errorf("got %s", got)
		}
		asked.Text = "And then?"
		if got := Answer(asked); !strings.HasPrefix(got, "The workshop opens on Sundays") {
			t.Errorf("without a word of its own it gets %s", got)
		}
	})
	t.Run("what two sections of a passage say stands under the heading of each", func(t *testing.T) {
		got := ask("Can I return a helmet?", "## How to return something\n\n1. Write to us what you want to return.\n2. Print the label of the return.\n\n## What cannot be returned\n\n- Helmets that were worn\n- Gift cards\n")
		if !strings.Contains(got, "- Helmets that were worn\n\n*Source: Manual › What cannot be returned* [1]") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("what a question denies is not taken from the question before", func(t *testing.T) {
		text, err := demo.Pages.ReadFile("pages/returns.md")
		if err != nil {
			t.Fatal(err)
		}
		asked := Question{Text: "And what can I not return?", Passages: []Passage{{
			Title: "Returns and refunds", HeadingPath: []string{"Returns and refunds"}, Text: strings.TrimPrefix(string(text), "# Returns and refunds\n"), Score: 1,
		}}, Earlier: []string{"How do I return something?"}}
		if got := Answer(asked); !strings.HasPrefix(got, "- Helmets whose hygiene seal is broken\n- Bikes built to order") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("what is written like the answer that is asked for comes along in other languages", func(t *testing.T) {
		got := ask("Wer leitet bei euch den Kurs?", "Der Kurs am Abend ist für alle, die es lernen wollen, und er findet statt.\n\nWir freuen uns auf euch.\n\nIhn gibt Frau Ostrowski.")
		if !strings.HasPrefix(got, "Der Kurs am Abend ist für alle, die es lernen wollen, und er findet statt.\n\nIhn gibt Frau Ostrowski.\n\n*Quelle:") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("questions before weaken no evidence", func(t *testing.T) {
		asked := Question{Text: "Which lock should I buy?", Passages: []Passage{{
			Title: "Locks", Text: "Buy a lock that costs a tenth of the bike's price.",
		}}}
		asked.Earlier = []string{"Where is the prime minister?", "Who repairs washing machines?", "When does the cinema open?"}
		if got := Answer(asked); !strings.HasPrefix(got, "Buy a lock") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("without a text of the owner it says what to do next", func(t *testing.T) {
		got := Answer(Question{Text: "Why?", NoAnswer: inEnglish.NoAnswer})
		if !strings.HasPrefix(got, inEnglish.NoAnswer) || !strings.Contains(got, "contact us") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("it says so, and names the source, in the language of the question", func(t *testing.T) {
		asked := Question{Text: "Wie lange ist das Bad am Sonntag geöffnet?", Language: language.German, Passages: []Passage{{
			Title: "Zeiten", Text: "Das Bad ist am Sonntag von 9 bis 18 Uhr geöffnet.",
		}}}
		if got := Answer(asked); !strings.HasSuffix(got, "*Quelle: Zeiten* [1]") {
			t.Errorf("got %s", got)
		}
		asked.Passages = nil
		german := language.PhrasesIn(language.German)
		for _, text := range []string{"", german.NoAnswer} {
			asked.NoAnswer = text
			if got := Answer(asked); got != german.NoAnswer+" "+german.NextStep {
				t.Errorf("got %s", got)
			}
		}
	})
}
