package quote

import (
	"testing"

	"parley/text/language"
	"parley/text/language/kinds"
)

func TestWantedBy(t *testing.T) {
	for question, want := range map[string]wanted{
		"How much is the tour?":                   anything, // see asksPrice
		"What does it cost?":                      price,
		"How long does the cheap delivery take?":  duration,
		"When do you open?":                       moment,
		"What time do you close?":                 moment,
		"How far does it go on a charge?":         distance,
		"What is your phone number?":              phone,
		"Where is the shop?":                      place,
		"Wie lange dauert der Kurs?":              duration,
		"Was kostet der Kurs?":                    price,
		"Combien de temps dure le cours ?":        duration,
		"¿Dónde está la tienda?":                  place,
		"Do you sell bikes?":                      anything,
		"How long until I hear what it costs me?": duration,
	} {
		if got, _ := kinds.In(language.Likeliest(question)).AskedBy(question); question != "How much is the tour?" && got != want {
			t.Errorf("%s wants %d, not %d", question, got, want)
		}
	}
	for question, want := range map[string]bool{"How much is the tour?": true, "How much oil does it need?": false, "Is it much?": false} {
		if got := asksPrice(question); got != want {
			t.Errorf("%s asks a price: %v", question, got)
		}
	}
}

func TestDenies(t *testing.T) {
	for question, want := range map[string]bool{
		"What can I not return?":                     true,
		"Why doesn't it start?":                      true,
		"Can I bring back a bike that I don't like?": false,
		"May I return what I do not need?":           false,
		"Can I return a bike?":                       false,
	} {
		if got := denies(question); got != want {
			t.Errorf("%s denies: %v", question, got)
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		wanted wanted
		text   string
		want   bool
	}{
		{price, "It is $5.", true},
		{price, "It is free.", true},
		{price, "It is 5.", false},
		{duration, "It takes two days.", true},
		{duration, "It takes two bikes.", false},
		{moment, "From 9:30 on.", true},
		{moment, "On Monday.", true},
		{moment, "The ratio is 3:x.", false},
		{moment, "营业到21点", true},
		{distance, "Up to 5 miles.", true},
		{distance, "For miles.", false},
		{phone, "Call 555-0142.", true},
		{phone, "In 2026 and 2027", false},
		{email, "Write to a@b.example.", true},
		{place, "It is in Quay Street.", true},
		{anything, "$5 at 9:30", false},
	} {
		if got := kinds.In(language.Of(c.text)).Fits(c.wanted, c.text); got != c.want {
			t.Errorf("%q fits %d: %v", c.text, c.wanted, got)
		}
	}
}
