package chatbot

import (
	"strings"
	"testing"

	"parley/core/fault"
)

func TestBaseURL(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("x", maxBaseURL)
	for given, want := range map[string]string{
		"":                                  "",
		" https://API.Example.com/v1/ ":     "https://api.example.com/v1",
		"https://api.example.com:8443/v1":   "https://api.example.com:8443/v1",
		"https://[2606:4700::1]:11434/v1":   "https://[2606:4700::1]:11434/v1",
		"https://a.example/openai/dep loys": "",
	} {
		t.Run("an https address is kept without its last slash: "+given, func(t *testing.T) {
			got, err := checkBaseURL(given, false)
			if want == "" && given != "" {
				if err == nil {
					t.Errorf("it is %q", got)
				}
				return
			}
			if err != nil || got != want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	for _, given := range []string{
		"http://api.example.com/v1", "ftp://api.example.com", "api.example.com/v1", "https://", "https:///v1", "https:api.example.com",
		"https://user:secret@api.example.com", "https://user@api.example.com", "https://api.example.com/v1?key=1", "https://api.example.com/v1?",
		"https://api.example.com/v1#a", "https://api.example.com:0/v1", "https://api.example.com:65536", "https://api.example.com:x",
		"https://exämple.com/v1", "https://api.example.com/\x00", "https://api.example.com/a\nb", "javascript:alert(1)", "file:///etc/passwd", long,
	} {
		t.Run("another address is refused: "+strings.ToValidUTF8(given[:min(len(given), 40)], "?"), func(t *testing.T) {
			got, err := checkBaseURL(given, false)
			if f := fault.As(err); err == nil || f.Field != "base_url" || strings.Contains(f.Message, "secret") {
				t.Errorf("it is %q, %v", got, err)
			}
		})
	}
	t.Run("http is admitted where the operator has private networks", func(t *testing.T) {
		if got, err := checkBaseURL("http://ollama.internal:11434/v1", true); err != nil || got != "http://ollama.internal:11434/v1" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestKeys(t *testing.T) {
	t.Run("a key that no header can carry is refused at its field", func(t *testing.T) {
		for _, key := range []Key{"a b", "a\nb", "schlüssel", "a\x00", "\xff", Key(strings.Repeat("x", maxKey+1))} {
			if _, err := checkKey(key); fault.As(err).Field != "key" || strings.Contains(err.Error(), string(key)) {
				t.Errorf("%q gives %v", string(key), err)
			}
		}
	})
	t.Run("a hint has four characters of a long key, and none of a short one", func(t *testing.T) {
		for key, want := range map[Key]string{"": "", "short-key-12345": "…", "sk-proj-0123456789abcd": "…abcd"} {
			if got := keyHint(key); got != want {
				t.Errorf("the hint of %q is %q", string(key), got)
			}
		}
	})
}
