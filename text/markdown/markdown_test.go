package markdown_test

import (
	"strings"
	"sync"
	"testing"

	"parley/text/markdown"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]markdown.Format{
		"": markdown.Markdown, "markdown": markdown.Markdown, "plain_text": markdown.PlainText, "html": markdown.HTML,
	} {
		t.Run("the name "+name+" is known", func(t *testing.T) {
			if got, ok := markdown.Parse(name); !ok || got != want {
				t.Errorf("Parse(%q) = %q, %v, want %q", name, got, ok, want)
			}
		})
	}
	for _, name := range []string{"HTML", "Markdown", "text", "plain", "plain-text", " html", "html ", "null"} {
		t.Run("the name "+name+" is none", func(t *testing.T) {
			if got, ok := markdown.Parse(name); ok {
				t.Errorf("Parse(%q) = %q", name, got)
			}
		})
	}
}

func TestRender(t *testing.T) {
	t.Run("Markdown is passed on byte for byte", func(t *testing.T) {
		const written = "  **a**\r\n<b>\x00\xff \u202e[x](javascript:1)\n\n"
		if got := markdown.Render(written, markdown.Markdown, nil); got != written {
			t.Errorf("got %q", got)
		}
	})
	t.Run("an empty answer is empty in every format", func(t *testing.T) {
		for _, to := range []markdown.Format{markdown.Markdown, markdown.PlainText, markdown.HTML} {
			if got := markdown.Render("", to, nil); got != "" {
				t.Errorf("%s gave %q", to, got)
			}
		}
	})
	t.Run("answers rendered at once don't mix", func(t *testing.T) {
		var group sync.WaitGroup
		for _, word := range []string{"one", "two", "three", "four"} {
			group.Go(func() {
				for range 50 {
					got := markdown.Render("**"+word+"**", markdown.HTML, nil)
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
	hosts := markdown.Hosts{"cdn.example.com", "IMG.Example.org", "k.example", "xn--bcher-kva.example"}
	for _, address := range []string{
		"https://cdn.example.com/a.png", "https://CDN.EXAMPLE.COM/a.png", "https://img.example.org/?a=b&c=d#e",
		"HTTPS://k.example", "https://xn--bcher-kva.example/a",
	} {
		t.Run(address+" is shown", func(t *testing.T) {
			out := markdown.Render("![alt]("+address+")", markdown.HTML, hosts)
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
			out := markdown.Render("before ![the *alt* text](<"+address+">) after", markdown.HTML, hosts)
			if out != "<p>before the alt text after</p>" {
				t.Errorf("got %q", out)
			}
		})
	}
	t.Run("an empty host allows nothing", func(t *testing.T) {
		if out := markdown.Render("![a](https:///x) ![b](https://b.example)", markdown.HTML, markdown.Hosts{""}); strings.Contains(out, "<img") {
			t.Errorf("got %q", out)
		}
	})
	t.Run("one chatbot's hosts are not another's", func(t *testing.T) {
		const written = "![a](https://cdn.example.com/a.png)"
		first := markdown.Render(written, markdown.HTML, hosts)
		second := markdown.Render(written, markdown.HTML, markdown.Hosts{"other.example"})
		if !strings.Contains(first, "<img") || strings.Contains(second, "<img") {
			t.Errorf("got %q and %q", first, second)
		}
	})
}

func TestHTMLDetails(t *testing.T) {
	for _, c := range []struct{ what, written, want string }{
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
			if got := markdown.Render(c.written, markdown.HTML, goodHosts); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
