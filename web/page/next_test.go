package page

import "testing"

func TestLocalPath(t *testing.T) {
	for _, path := range []string{"/", "/chatbots/cb_1", "/chatbots/cb_1?done=saved", "/a//b", "/a?next=//b"} {
		t.Run("stays "+path, func(t *testing.T) {
			if got := LocalPath(path); got != path {
				t.Errorf("became %q", got)
			}
		})
	}
	for _, path := range []string{
		"", "chatbots", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "/\t/evil.example",
		"/\n/evil.example", "/ /evil.example", "https://evil.example/", "javascript:alert(1)", "/%zz", "/a\x00b", "?x",
	} {
		t.Run("becomes the start page: "+path, func(t *testing.T) {
			if got := LocalPath(path); got != "/" {
				t.Errorf("became %q", got)
			}
		})
	}
}
