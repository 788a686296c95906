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
		{"what looks like the definition of a link", "[Price]: $5", "[Price]: $5", "<p>[Price]: $5</p>"},
		{"a number with a dot that is none", "[Hours]: 9.30", "[Hours]: 9.30", "<p>[Hours]: 9.30</p>"},
		{"numbers of a list with a gap", "1. a\n3. b\n4. c", "1. a\n3. b\n4. c", "<ol>\n<li>a</li>\n<li value=\"3\">b</li>\n<li>c</li>\n</ol>"},
		{"numbers that go down", "3. c\n2. b", "3. c\n2. b", "<ol start=\"3\">\n<li>c</li>\n<li value=\"2\">b</li>\n</ol>"},
		{"a row with more cells than the header", "|a|b|\n|-|-|\n|1|2|3|", "a: 1; b: 2; 3", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n<th></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n<td>3</td>\n</tr>\n</tbody>\n</table>"},
		{"such a row in a quotation", "> a | b\n> --|--\n> 1 | 2 | 3", "a: 1; b: 2; 3", "<blockquote>\n<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n<th></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n<td>3</td>\n</tr>\n</tbody>\n</table>\n</blockquote>"},
		{"a table in a block of code", "```\n|a|\n|-|\n|1|2|\n```", "|a|\n|-|\n|1|2|", "<pre><code>|a|\n|-|\n|1|2|\n</code></pre>"},
		{"an instruction of XML", "<?php echo 5; ?>", "<?php echo 5; ?>", "<p>&lt;?php echo 5; ?&gt;</p>"},
		{"a comment without an end", "<!-- from $5", "<!-- from $5", "<p>&lt;!-- from $5</p>"},
		{"a comment", "a <!-- b --> c", "a  c", "<p>a  c</p>"},
		{"the text of a picture's tag", "Price: <img src=\"p.png\" alt=\"10 €\">", "Price: 10 €", "<p>Price: 10 €</p>"},
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

// Blocks lose none either, nor do they count in another way than was written.
func TestNoBlockLosesASign(t *testing.T) {
	number := rapid.StringMatching(`[1-9][0-9]{0,2}`)
	line := rapid.OneOf(
		rapid.Map(number, func(n string) string { return n + ". item " + n }), rapid.Map(number, func(n string) string { return n + ") item" }),
		rapid.Map(number, func(n string) string { return "- €" + n }), rapid.Map(number, func(n string) string { return "## Plan " + n }),
		rapid.Map(number, func(n string) string { return "> " + n }), rapid.Map(number, func(n string) string { return "[Price]: $" + n }),
		rapid.Map(rapid.SliceOfN(number, 1, 5), func(row []string) string { return "| " + strings.Join(row, " | ") + " |" }),
		rapid.SampledFrom([]string{"", "", "a | b\n-|-", "| a | b | c |\n|---|---|---|", "***", "text"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		written := strings.Join(rapid.SliceOfN(line, 1, 12).Draw(t, "lines"), "\n")
		if got := markdown.Render(written, markdown.PlainText, nil); !slices.Equal(sorted(numbers(got)), sorted(numbers(written))) {
			t.Fatalf("the numbers are %q, want %q: %q", numbers(got), numbers(written), got)
		}
	})
}

func sorted(words []string) []string { slices.Sort(words); return words }

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
