package markdown_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"parley/text/markdown"
)

// What is shown is what was written: signs that are no markup stay.
func TestSignsThatMeanThemselves(t *testing.T) {
	for _, c := range []struct{ what, written, plain, html string }{
		{"a range of times", "Open 9:00~12:00 and 14:00~18:00.", "Open 9:00~12:00 and 14:00~18:00.", "<p>Open 9:00~12:00 and 14:00~18:00.</p>"},
		{"a range of prices", "80~95 euros, a suite 120~140 euros", "80~95 euros, a suite 120~140 euros", "<p>80~95 euros, a suite 120~140 euros</p>"},
		{"about a number", "~5 kg and ~7 kg", "~5 kg and ~7 kg", "<p>~5 kg and ~7 kg</p>"},
		{"two tildes between numbers", "5~~7 and 8~~9", "5~~7 and 8~~9", "<p>5~~7 and 8~~9</p>"},
		{"what is struck out", "~~gone~~", "~~gone~~", "<p><del>gone</del></p>"},
		{"a product", "2*3*4 = 24", "2*3*4 = 24", "<p>2*3*4 = 24</p>"},
		{"a product with a variable", "5*x*2", "5*x*2", "<p>5*x*2</p>"},
		{"a power with two stars", "2**8 and 2**3**4", "2**8 and 2**3**4", "<p>2**8 and 2**3**4</p>"},
		{"a product of prices", "3*€5*2", "3*€5*2", "<p>3*€5*2</p>"},
		{"a number that is bold", "**5** km and **7**th", "5 km and 7th", "<p><strong>5</strong> km and <strong>7</strong>th</p>"},
		{"a part of a word", "un*frigging*believable", "unfriggingbelievable", "<p>un<em>frigging</em>believable</p>"},
		{"bold Chinese with its colon", "这是**重要：**请先关闭电源。", "这是重要：请先关闭电源。", "<p>这是<strong>重要：</strong>请先关闭电源。</p>"},
		{"bold Chinese in quotation marks", "含**「重点」**内容。", "含「重点」内容。", "<p>含<strong>「重点」</strong>内容。</p>"},
		{"bold Chinese in parentheses", "**注意（必读）**请在九点前到。", "注意（必读）请在九点前到。", "<p><strong>注意（必读）</strong>请在九点前到。</p>"},
		{"bold Japanese", "**重要。**次に", "重要。次に", "<p><strong>重要。</strong>次に</p>"},
		{"bold Korean before an ending", "**강조(설명)**은 중요", "강조(설명)은 중요", "<p><strong>강조(설명)</strong>은 중요</p>"},
		{"Chinese that is struck out", "原价~~（99元）~~现在", "原价~~（99元）~~现在", "<p>原价<del>（99元）</del>现在</p>"},
		{"a word to replace", "Replace <your-domain>, run deploy <name>, open <Settings>.", "Replace <your-domain>, run deploy <name>, open <Settings>.", "<p>Replace &lt;your-domain&gt;, run deploy &lt;name&gt;, open &lt;Settings&gt;.</p>"},
		{"a word to replace on a line of its own", "<your-domain>\n\nis yours", "<your-domain>\n\nis yours", "<p>&lt;your-domain&gt;</p>\n<p>is yours</p>"},
		{"a word to replace that is an element's name", "The <title> of the <address>", "The <title> of the <address>", "<p>The &lt;title&gt; of the &lt;address&gt;</p>"},
		{"and begins the line", "<title> is yours", "<title> is yours", "<p>&lt;title&gt; is yours</p>"},
		{"a word to replace within a block of HTML", "<div>Use <your-key>.</div>", "Use <your-key>.", "<p>Use &lt;your-key&gt;.</p>"},
		{"a type with a parameter", "Use List<String>.", "Use List<String>.", "<p>Use List&lt;String&gt;.</p>"},
		{"a comparison", "if a <b and c> d", "if a <b and c> d", "<p>if a &lt;b and c&gt; d</p>"},
		{"a tag with its end", "a <b>bold</b> word", "a bold word", "<p>a bold word</p>"},
		{"a superscript", "10<sup>6</sup> hours", "10^6 hours", "<p>10<sup>6</sup> hours</p>"},
		{"a subscript", "H<sub>2</sub>O", "H₂O", "<p>H<sub>2</sub>O</p>"},
		{"a formula in a line", `The area is \(A = \frac{1}{2} b h\).`, `The area is \(A = \frac{1}{2} b h\).`, `<p>The area is \(A = \frac{1}{2} b h\).</p>`},
		{"a formula with stars", `\[ x_1 * y_2 * z \]`, `\[ x_1 * y_2 * z \]`, `<p>\[ x_1 * y_2 * z \]</p>`},
		{"a formula between dollars", `$a_1*b*c$ and $$x*y*z$$`, `$a_1*b*c$ and $$x*y*z$$`, `<p>$a_1*b*c$ and $$x*y*z$$</p>`},
		{"two prices in dollars", "$5 and $6", "$5 and $6", "<p>$5 and $6</p>"},
		{"brackets that are escaped", `see \[1\] and \*stars\*`, "see [1] and *stars*", "<p>see [1] and *stars*</p>"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := markdown.Render(c.written, markdown.PlainText, nil); got != c.plain {
				t.Errorf("plain text: got %q, want %q", got, c.plain)
			}
			if got := markdown.Render(c.written, markdown.HTML, nil); got != c.html {
				t.Errorf("HTML: got %q, want %q", got, c.html)
			}
		})
	}
}

var tag = regexp.MustCompile(`<[^>]*>`)

// numbers are the runs of digits and currency signs of a text, in order.
func numbers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && !unicode.Is(unicode.Sc, r) })
}

// letters are the letters of a text, in order.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, text)
}

func TestNoFormLosesASign(t *testing.T) {
	part := rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,4}`), rapid.StringMatching(`[0-9]{1,3}`),
		rapid.SampledFrom([]string{"*", "**", "~", "~~", "_", "<", ">", "(", ")", ".", ",", "€", "$", "重要", "：", "「", "」", "은", " ", " ", " ", `\(`, `\)`, "<you>", "</you>", "<b ", "^", "=", "/", "-", "é"}),
	)
	t.Run("no digit, letter or sign of a currency is lost or joined", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			// A word before it: no list, heading or rule begins there.
			written := "word " + strings.Join(rapid.SliceOfN(part, 1, 14).Draw(t, "parts"), "")
			for _, form := range []markdown.Format{markdown.PlainText, markdown.HTML} {
				got := markdown.Render(written, form, nil)
				if form == markdown.HTML {
					got = html.UnescapeString(tag.ReplaceAllString(got, ""))
				}
				if !slices.Equal(numbers(got), numbers(written)) {
					t.Fatalf("as %s the numbers are %q, want %q: %q", form, numbers(got), numbers(written), got)
				}
				if letters(got) != letters(written) {
					t.Fatalf("as %s %q has the letters %q", form, written, letters(got))
				}
			}
		})
	})
}
