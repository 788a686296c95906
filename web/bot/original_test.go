package bot

import "testing"

func TestAttachment(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"menu.pdf":               `attachment; filename="menu.pdf"; filename*=UTF-8''menu.pdf`,
		"":                       `attachment; filename="document"; filename*=UTF-8''document`,
		"Menü \"a\"; b=%41\r\nX": `attachment; filename="Men_ _a__ b=_41__X"; filename*=UTF-8''Men%C3%BC%20%22a%22%3B%20b%3D%2541%0D%0AX`,
		`..\..\a/b.html`:         `attachment; filename=".._.._a_b.html"; filename*=UTF-8''..%5C..%5Ca%2Fb.html`,
	} {
		t.Run("a file called "+name+" is saved, and its name adds nothing to the header", func(t *testing.T) {
			t.Parallel()
			if got := attachment(name); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
