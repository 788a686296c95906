package letters

import (
	"strings"
	"testing"
)

func TestSamples(t *testing.T) {
	mails, err := Samples()
	if err != nil {
		t.Fatal(err)
	}
	if len(mails) < 19 {
		t.Errorf("there are %d mails", len(mails))
	}
	subjects := map[string]bool{}
	for _, mail := range mails {
		t.Run(mail.Subject+" is made of its values, as text and as a page", func(t *testing.T) {
			for _, part := range []string{mail.Subject, mail.Text, mail.HTML} {
				if part == "" || strings.Contains(part, "%!") || strings.Contains(part, "<b>Sons") && part == mail.HTML {
					t.Errorf("it says %s", part)
				}
			}
		})
		subjects[mail.Subject] = true
	}
	if len(subjects) < len(mails)-2 { // a warning and its reminder may have one subject
		t.Errorf("%d mails have %d subjects", len(mails), len(subjects))
	}
}
