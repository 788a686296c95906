package outbox_test

import (
	"errors"
	"testing"

	"parley/core/outbox"
)

func TestCompose(t *testing.T) {
	letter := outbox.Letter{Subject: "News", Says: []string{"One.", "Two:"}, Link: outbox.Link{Text: "Go on", URL: "https://parley.example/a"}, Then: []string{"Three."}}
	compose := func(html func(outbox.Letter) (string, error)) (outbox.Mail, error) {
		return outbox.NewWriter(nil, nil, nil, outbox.Options{Mails: true, HTML: html}).Compose(outbox.Mail{Key: "key"}, letter)
	}
	t.Run("the text has the address of the link on a line of its own", func(t *testing.T) {
		mail, err := compose(nil)
		want := outbox.Mail{Key: "key", Subject: "News", Body: "Hello,\n\nOne.\n\nTwo:\n\nhttps://parley.example/a\n\nThree.\n"}
		if err != nil || mail != want {
			t.Errorf("got %+v, %v", mail, err)
		}
	})
	t.Run("the page is made from the same letter", func(t *testing.T) {
		mail, err := compose(func(l outbox.Letter) (string, error) { return "<p>" + l.Link.Text, nil })
		if err != nil || mail.HTML != "<p>Go on" {
			t.Errorf("got %+v, %v", mail, err)
		}
	})
	t.Run("a page that cannot be made is an error", func(t *testing.T) {
		broken := errors.New("broken")
		if _, err := compose(func(outbox.Letter) (string, error) { return "", broken }); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}
