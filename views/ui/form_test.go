package ui

import "testing"

func TestForm(t *testing.T) {
	t.Run("a message about an input is beside it and not in the banner", func(t *testing.T) {
		f := Form{Values: map[string]string{"email": "a@"}, Field: "email", Message: "Wrong."}
		if f.Error("email") != "Wrong." || f.Banner() != "" {
			t.Errorf("beside the input %q, in the banner %q", f.Error("email"), f.Banner())
		}
	})
	t.Run("a message about an input that the form does not have is in the banner", func(t *testing.T) {
		f := Form{Values: map[string]string{"email": ""}, Field: "scopes", Message: "Wrong."}
		if f.Banner() != "Wrong." {
			t.Errorf("in the banner %q", f.Banner())
		}
	})
}
