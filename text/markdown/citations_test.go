package markdown

import (
	"fmt"
	"testing"
)

func TestMarkersBecomeChips(t *testing.T) {
	chip := func(number int) string {
		if number > 2 {
			return ""
		}
		return fmt.Sprintf(`<a href="#passage-%d">%d</a>`, number, number)
	}
	one, two := chip(1), chip(2)
	for name, tc := range map[string]struct{ markdown, want string }{
		"a marker is a chip":                     {"We open at eight [1].", "<p>We open at eight " + one + ".</p>"},
		"so are several in a row":                {"At eight [1][2].", "<p>At eight " + one + two + ".</p>"},
		"what nothing is known of stays":         {"At eight [3] or [12345].", "<p>At eight [3] or [12345].</p>"},
		"code stays":                             {"Use `list[1]` [1].", "<p>Use <code>list[1]</code> " + one + ".</p>"},
		"so does a block of it":                  {"```\nlist[1]\n```", "<pre><code>list[1]\n</code></pre>"},
		"what looks like a tag is still escaped": {"1 \\< 2 [1] \\<b>", "<p>1 &lt; 2 " + one + " &lt;b&gt;</p>"},
		"after code there are chips again":       {"`a` *b* [2]", "<p><code>a</code> <em>b</em> " + two + "</p>"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := WithCitations(Render(tc.markdown, HTML, nil), chip); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
	t.Run("a link stays as it is", func(t *testing.T) {
		linked := Render("[see [1]](https://example.com/)", HTML, nil)
		if got := WithCitations(linked, chip); got != linked {
			t.Errorf("got %s, want %s", got, linked)
		}
	})
}
