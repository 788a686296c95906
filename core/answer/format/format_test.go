package format_test

import (
	"strings"
	"sync"
	"testing"

	"parley/core/answer/format"
	"parley/core/fault"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]format.Format{
		"": format.Markdown, "markdown": format.Markdown, "plain_text": format.PlainText, "html": format.HTML,
	} {
		t.Run("the name "+name+" is known", func(t *testing.T) {
			if got, err := format.Parse(name); err != nil || got != want {
				t.Errorf("Parse(%q) = %q, %v, want %q", name, got, err, want)
			}
		})
	}
	for _, name := range []string{"HTML", "Markdown", "text", "plain", "plain-text", " html", "html ", "null"} {
		t.Run("the name "+name+" is refused with the ones that are possible", func(t *testing.T) {
			_, err := format.Parse(name)
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("Parse(%q) gave %v", name, err)
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

func TestRender(t *testing.T) {
	t.Run("Markdown is passed on byte for byte", func(t *testing.T) {
		const markdown = "  **a**\r\n<b>\x00\xff \u202e[x](javascript:1)\n\n"
		if got := format.Render(markdown, format.Markdown, nil); got != markdown {
			t.Errorf("got %q", got)
		}
	})
	t.Run("an empty answer is empty in every format", func(t *testing.T) {
		for _, to := range []format.Format{format.Markdown, format.PlainText, format.HTML} {
			if got := format.Render("", to, nil); got != "" {
				t.Errorf("%s gave %q", to, got)
			}
		}
	})
	t.Run("answers rendered at once don't mix", func(t *testing.T) {
		var group sync.WaitGroup
		for _, word := range []string{"one", "two", "three", "four"} {
			group.Go(func() {
				for range 50 {
					got := format.Render("**"+word+"**", format.HTML, nil)
					if want := "<p><strong>" + word + "</strong></p>"; got != want {
						t.Errorf("got %q, want %q", got, want)
					}
				}
			})
		}
		group.Wait()
	})
}

func TestImageHosts(t *testing.T) {
	hosts := format.Hosts{"cdn.example.com", "IMG.Example.org", "k.example", "xn--bcher-kva.example"}
	for _, address := range []string{
		"https://cdn.example.com/a.png", "https://CDN.EXAMPLE.COM/a.png", "https://img.example.org/?a=b&c=d#e",
		"HTTPS://k.example", "https://xn--bcher-kva.example/a",
	} {
		t.Run(address+" is shown", func(t *testing.T) {
			out := format.Render("![alt]("+address+")", format.HTML, hosts)
			if !strings.Contains(out, `<img src="https://`) || !strings.Contains(out, `alt="alt"`) {
				t.Errorf("got %q", out)
			}
		})
	}
	for _, address := range []string{
		"http://cdn.example.com/a.png", "//cdn.example.com/a.png", "/a.png", "https://a.cdn.example.com/a.png", "https://example.com/a.png",
		"https://cdn.example.com.evil.example/a.png", "https://cdn.example.com@evil.example/", "https://evil.example/@cdn.example.com",
		"https://user@cdn.example.com/", "https://cdn.example.com:443/", "https://cdn.example.com:8443/", "https://cdn.example.com:/", "https://cdn.example.com./",
		`https://evil.example\.cdn.example.com/`, `https://evil.example\\@cdn.example.com/`, "https://cdn.example.com%2f.evil.example/", "https:cdn.example.com/a",
		"https:/cdn.example.com/a", "https://\u212A.example/a", "https://bücher.example/a", "data:image/png;base64,AA==", "mailto:a@cdn.example.com", "https://",
	} {
		t.Run(address+" is replaced by its text", func(t *testing.T) {
			out := format.Render("before ![the *alt* text](<"+address+">) after", format.HTML, hosts)
			if out != "<p>before the alt text after</p>" {
				t.Errorf("got %q", out)
			}
		})
	}
	t.Run("an empty host allows nothing", func(t *testing.T) {
		if out := format.Render("![a](https:///x) ![b](https://b.example)", format.HTML, format.Hosts{""}); strings.Contains(out, "<img") {
			t.Errorf("got %q", out)
		}
	})
	t.Run("one chatbot's hosts are not another's", func(t *testing.T) {
		const markdown = "![a](https://cdn.example.com/a.png)"
		first := format.Render(markdown, format.HTML, hosts)
		second := format.Render(markdown, format.HTML, format.Hosts{"other.example"})
		if !strings.Contains(first, "<img") || strings.Contains(second, "<img") {
			t.Errorf("got %q and %q", first, second)
		}
	})
}

func TestHTMLDetails(t *testing.T) {
	for _, c := range []struct{ what, markdown, want string }{
		{"a script in a block is dropped with its text", "<script>alert(1)</script>\n\nafter", "<p>after</p>"},
		{"no comment tells of omitted HTML", "a <b>b</b> <!-- c -->", "<p>a b </p>"},
		{"a link to a script keeps its text", "[x](javascript:alert(1))", "<p>x</p>"},
		{"a relative link keeps its text", "[**x**](/y)", "<p><strong>x</strong></p>"},
		{"an autolink to a script is text", "<javascript:alert(1)>", "<p>javascript:alert(1)</p>"},
		{"a fence names its language and nothing else", "```go linenos=1\nx\n```", `<pre><code class="language-go">x` + "\n</code></pre>"},
		{"a strange language is left out", "```a\"b\nx\n```", "<pre><code>x\n</code></pre>"},
		{"footnotes are text", "a[^1]", "<p>a[^1]</p>"},
		{"a heading has no id", "# A {#b}", "<h1>A {#b}</h1>"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := format.Render(c.markdown, format.HTML, goodHosts); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
