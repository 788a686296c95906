package writing

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// glyphs are the characters of a line, each with its marks.
func glyphs(line string) (parts []string) {
	for _, r := range line {
		if unicode.Is(unicode.Mn, r) && len(parts) > 0 {
			parts[len(parts)-1] += string(r)
		} else {
			parts = append(parts, string(r))
		}
	}
	return parts
}

// shown writes a line as it stands from left to right: what is in ⟦⟧ are words of a script
// from right to left, which stand there reversed.
func shown(line string) []string {
	var all []string
	for i, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '⟦' || r == '⟧' }) {
		some := glyphs(part)
		if (i%2 == 0) == strings.HasPrefix(line, "⟦") {
			slices.Reverse(some)
		}
		all = append(all, some...)
	}
	return all
}

func TestLogical(t *testing.T) {
	for _, test := range []struct {
		name, shown, spoken string
		fromLeft            bool
	}{
		{name: "Hebrew alone is turned", shown: "⟦שלום לכולם⟧", spoken: "שלום לכולם"},
		{name: "Arabic alone is turned, with its marks", shown: "⟦مَرحبًا بكم⟧", spoken: "مَرحبًا بكم"},
		{name: "Latin alone is not", shown: "Google Play Store", spoken: "Google Play Store"},
		{name: "Latin words keep their order", shown: "⟦בחנות⟧ Google Play Store ⟦הורידו מ⟧", spoken: "הורידו מ Google Play Store בחנות"},
		{name: "a time keeps its order", shown: "⟦בלבד⟧ 10 am ⟦נפתחת בשעה⟧", spoken: "נפתחת בשעה 10 am בלבד"},
		{name: "so it does as UAX #9 shows it", shown: "⟦בלבד⟧ am 10 ⟦נפתחת בשעה⟧", spoken: "נפתחת בשעה 10 am בלבד"},
		{name: "a version stays behind its product", shown: "⟦התקינו⟧ Windows 11 ⟦על⟧", spoken: "על Windows 11 התקינו"},
		{name: "two numbers are read from right to left", shown: "20 ⟦או⟧ 10 ⟦בין⟧", spoken: "בין 10 או 20"},
		{name: "numbers beside one another, too", shown: "3 2 1 ⟦חדרים⟧", spoken: "חדרים 1 2 3"},
		{name: "a price keeps its sign before it", shown: "⟦בלבד⟧ $12.50 ⟦מחיר⟧", spoken: "מחיר $12.50 בלבד"},
		{name: "and behind it", shown: "⟦בלבד⟧ ₪ 1,250.90 ⟦מחיר⟧", spoken: "מחיר 1,250.90 ₪ בלבד"},
		{name: "a percentage stays one", shown: "⟦הנחה⟧ 15% ⟦של⟧", spoken: "של 15% הנחה"},
		{name: "so does a phone number", shown: "⟦התקשרו⟧ +972-3-555-0199 ⟦טלפון⟧", spoken: "טלפון +972-3-555-0199 התקשרו"},
		{name: "with its plus on the other side", shown: "972-3-555-0199+ ⟦טלפון⟧", spoken: "טלפון +972-3-555-0199"},
		{name: "and one with a star", shown: "*6050 ⟦חייגו⟧", spoken: "חייגו *6050"},
		{name: "a date and hours stay as they are", shown: "9:00-17:30 ,12/05/2026 ⟦ביום⟧", spoken: "ביום 12/05/2026, 9:00-17:30"},
		{name: "hours with a dash go up", shown: "17:30 – 9:00 ⟦פתוח⟧", spoken: "פתוח 9:00 – 17:30"},
		{name: "so do hours that a program did not turn", shown: "9:00 – 17:30 ⟦פתוח⟧", spoken: "פתוח 9:00 – 17:30"},
		{name: "brackets open before what they close", shown: "(⟦חינם⟧) ⟦חניה⟧", spoken: "חניה (חינם)"},
		{name: "around Latin letters", shown: "⟦שעון⟧ (GMT+2) ⟦לפי⟧", spoken: "לפי (GMT+2) שעון"},
		{name: "around a number", shown: "⟦אנשים⟧ (10) ⟦עשרה⟧", spoken: "עשרה (10) אנשים"},
		{name: "within Latin words", shown: "⟦של⟧ Store (beta) ⟦גרסת⟧", spoken: "גרסת Store (beta) של"},
		{name: "a file with brackets as they are spoken", shown: ")⟦חינם⟧( ⟦חניה⟧", spoken: "חניה (חינם)"},
		{name: "a full stop ends the sentence", shown: ".⟦בשער⟧ QR ⟦סרקו⟧", spoken: "סרקו QR בשער."},
		{name: "also behind Latin words", shown: ".Google Play ⟦חפשו ב⟧", spoken: "חפשו ב Google Play."},
		{name: "a name keeps its signs", shown: "⟦או⟧ C++ ⟦כתבו ב⟧", spoken: "כתבו ב C++ או"},
		{name: "an address of mail stays one", shown: "info@example.org ⟦כתבו אל⟧", spoken: "כתבו אל info@example.org"},
		{name: "so does an address of a page", shown: "https://example.org/a?b=1 ⟦ראו⟧", spoken: "ראו https://example.org/a?b=1"},
		{name: "an item begins with its number", shown: "⟦מפתח⟧ .1", spoken: "1. מפתח"},
		{name: "a question ends with its sign", shown: "؟⟦متى تفتحون⟧", spoken: "متى تفتحون؟"},
		{name: "Arabic digits stay in their order", shown: "⟦ريال⟧ ١٢٥٠ ⟦السعر⟧", spoken: "السعر ١٢٥٠ ريال"},
		{name: "Latin words in Arabic", shown: "⟦الآن⟧ Office 365 ⟦جرّب⟧", spoken: "جرّب Office 365 الآن"},
		{name: "a Hebrew word in an English line is turned alone", shown: "The word ⟦שלום⟧ means peace (⟦שלום רב⟧).", spoken: "The word שלום means peace (שלום רב).", fromLeft: true},
		{name: "numbers in an English line stay", shown: "Room 5: ⟦חדר 5 גדול⟧, 20 seats", spoken: "Room 5: חדר 5 גדול, 20 seats", fromLeft: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			line := shown(test.shown)
			if got := Logical(line, !test.fromLeft); got != test.spoken {
				t.Errorf("%q is spoken %q, want %q", strings.Join(line, ""), got, test.spoken)
			}
		})
	}
}

func TestNoCharacterIsLost(t *testing.T) {
	for _, line := range []string{"a1 (⟦בג⟧) [2] x.y: 3-4 – ⟦ד⟧ $5% ⟦ה⟧ +6 )7( C++ \"z\" ⟦ו⟧", "⟦א⟧ 1) 2. 3 ", "((⟦א⟧((1 a))⟦ב⟧))"} {
		for _, rightToLeft := range []bool{true, false} {
			sorted := func(text string) string {
				all := []rune(text)
				slices.Sort(all)
				return strings.NewReplacer(")", "(", "]", "[").Replace(string(all))
			}
			in := shown(line)
			if got, want := sorted(Logical(in, rightToLeft)), sorted(strings.Join(in, "")); got != want {
				t.Errorf("%q becomes %q", want, got)
			}
		}
	}
}
