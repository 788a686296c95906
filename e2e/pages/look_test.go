package pages

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// axe finds what keeps people from using a page: https://github.com/dequelabs/axe-core.
//
//go:embed testdata/axe/axe.min.js
var axe string

// fits says what is cut off or scrolls sideways, by the definition in the file.
//
//go:embed testdata/look/fits.js
var fits string

// widths returns the widths of windows: of a laptop, a small phone, a large screen, a
// tablet and a phone. With -short the first two stand for all.
func widths() []int64 {
	all := []int64{1280, 320, 1920, 768, 375}
	if testing.Short() {
		return all[:2]
	}
	return all
}

// touched is the width up to which a window is one that fingers touch.
const touched = 768

// size gives the window a width, and the height that screens so wide usually have.
func (b *window) size(t *testing.T, width int64) {
	t.Helper()
	if width < touched {
		b.area(t, width, 740)
	} else {
		b.area(t, width, 900)
	}
}

// area makes the window so large.
func (b *window) area(t *testing.T, width, height int64) {
	t.Helper()
	touch := func(_ *emulation.SetDeviceMetricsOverrideParams, p *emulation.SetTouchEmulationEnabledParams) {
		p.Enabled = width <= touched
	}
	b.do(t, chromedp.EmulateViewport(width, height, touch))
}

// theme is what the system of the person prefers. Nothing moves, so that no color is
// on its way to another.
func (b *window) theme(t *testing.T, name string) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	b.Within(t).Must(err)
}

// becomes gives the window the session of a user, or none for nobody.
func (b *window) becomes(t *testing.T, user string) {
	t.Helper()
	if _, err := chromedp.Call(b.ctx, network.ClearBrowserCookies, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if user == "" {
		return
	}
	name, value, _ := strings.Cut(b.Within(t).Session(user).Value, "=")
	if _, err := chromedp.Call(b.ctx, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: b.Base}); err != nil {
		t.Fatal(err)
	}
}

// fitting fails the test on what does not fit the window, once for each complaint
// that is not known, with the widths.
func (b *window) fitting(t *testing.T, what string, known map[string]bool) {
	t.Helper()
	found := map[string][]int64{}
	for _, width := range widths() {
		b.size(t, width)
		for _, complaint := range get(t, b, chromedp.Evaluate[[]string](fits, chromedp.EvalAwaitPromise)) {
			found[complaint] = append(found[complaint], width)
		}
	}
	for _, complaint := range slices.Sorted(maps.Keys(found)) {
		if !known[complaint] {
			t.Errorf("%s, %v px wide: %s", what, found[complaint], complaint)
		}
		known[complaint] = true
	}
}

// accessible fails the test on what axe finds, in the part of the page that the
// selector chooses, for both themes and both widths. Only colors differ by theme.
func (b *window) accessible(t *testing.T, what, selector string) {
	t.Helper()
	for _, width := range []int64{1280, 375} {
		b.size(t, width)
		b.accessibleNow(t, fmt.Sprintf("%s at %d px", what, width), selector)
	}
}

// accessibleNow is accessible at the width that the window has.
func (b *window) accessibleNow(t *testing.T, what, selector string) {
	t.Helper()
	b.do(t, chromedp.Evaluate[chromedp.Void](`void (window.axe ?? (() => {`+axe+`})())`))
	b.finds(t, what, selector, "")
	b.theme(t, "dark")
	b.finds(t, what+" in the dark", selector, `, runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}`)
	b.theme(t, "light")
}

// finds fails the test on what axe finds now.
func (b *window) finds(t *testing.T, what, selector, options string) {
	t.Helper()
	found := get(t, b, chromedp.Evaluate[[]string](fmt.Sprintf(`axe.run(%q, {preload: false, resultTypes: ["violations"]%s}).then((found) => found.violations.map(
		(v) => v.help + "\n" + v.nodes.slice(0, 4).map((n) => n.html.slice(0, 240) + "\n" + n.failureSummary).join("\n")))`, selector, options), chromedp.EvalAwaitPromise))
	for _, violation := range found {
		t.Errorf("%s: %s", what, violation)
	}
}
