package chatbot

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/fault"
)

func TestCheckSettings(t *testing.T) {
	t.Run("what can be stored is trimmed and kept", func(t *testing.T) {
		got, err := (&Chatbots{}).check(Settings{
			Name: "  Gü\u200bide\n\u202e 🤖 ", Instructions: "\n" + strings.Repeat("ä", 8_000) + " ", NoAnswer: strings.Repeat("x", 1_000),
			ImageHosts: []string{" IMG.Example.com ", "a-b.c-d.example"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Name != "Güide 🤖" || len([]rune(got.Instructions)) != 8_000 || !slices.Equal(got.ImageHosts, []string{"img.example.com", "a-b.c-d.example"}) {
			t.Errorf("got %q, %d, %v", got.Name, len([]rune(got.Instructions)), got.ImageHosts)
		}
	})

	t.Run("a greeting is trimmed, and its questions are lines that stand there once", func(t *testing.T) {
		got, err := (&Chatbots{}).check(Settings{Name: "a", Greeting: Greeting{
			Welcome: " Hi there! \n", SuggestedQuestions: []string{" When do\tyou  open?\r", "", "when do you OPEN?", "Where?", strings.Repeat("ä", 200)},
		}})
		if err != nil || got.Welcome != "Hi there!" || !slices.Equal(got.SuggestedQuestions, []string{"When do you open?", "Where?", strings.Repeat("ä", 200)}) {
			t.Errorf("got %+v: %v", got.Greeting, err)
		}
	})
	hosts := make([]string, 21)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("h%d.example.com", i)
	}
	for sentence, c := range map[string]struct {
		settings Settings
		field    string
	}{
		"a name of nothing":            {Settings{Name: " \n"}, "name"},
		"a name that is too long":      {Settings{Name: strings.Repeat("ä", 101)}, "name"},
		"a name that is no text":       {Settings{Name: "a\xff"}, "name"},
		"a name with a zero byte":      {Settings{Name: "a\x00b"}, "name"},
		"instructions too long":        {Settings{Name: "a", Instructions: strings.Repeat("ä", 8_001)}, "instructions"},
		"an answer too long":           {Settings{Name: "a", NoAnswer: strings.Repeat("x", 1_001)}, "no_answer"},
		"a welcome text too long":      {Settings{Name: "a", Greeting: Greeting{Welcome: strings.Repeat("ä", 301)}}, "welcome"},
		"a welcome that is no text":    {Settings{Name: "a", Greeting: Greeting{Welcome: "a\xff"}}, "welcome"},
		"too many questions":           {Settings{Name: "a", Greeting: Greeting{SuggestedQuestions: strings.Split("abcdefg", "")}}, "suggested_questions"},
		"a question that is too long":  {Settings{Name: "a", Greeting: Greeting{SuggestedQuestions: []string{strings.Repeat("ä", 201)}}}, "suggested_questions"},
		"a question that is no text":   {Settings{Name: "a", Greeting: Greeting{SuggestedQuestions: []string{"a\x00b"}}}, "suggested_questions"},
		"too many hosts of images":     {Settings{Name: "a", ImageHosts: hosts}, "image_hosts"},
		"a host that is an address":    {Settings{Name: "a", ImageHosts: []string{"127.0.0.1"}}, "image_hosts"},
		"a host with a port":           {Settings{Name: "a", ImageHosts: []string{"a.example:8080"}}, "image_hosts"},
		"a host with a scheme":         {Settings{Name: "a", ImageHosts: []string{"https://a.example"}}, "image_hosts"},
		"a host with a wildcard":       {Settings{Name: "a", ImageHosts: []string{"*.example.com"}}, "image_hosts"},
		"a host that ends a directive": {Settings{Name: "a", ImageHosts: []string{"a.example;script-src"}}, "image_hosts"},
		"a host of two lines":          {Settings{Name: "a", ImageHosts: []string{"a.example\nb.example"}}, "image_hosts"},
		"a host that is local":         {Settings{Name: "a", ImageHosts: []string{"localhost"}}, "image_hosts"},
		"a host of nothing":            {Settings{Name: "a", ImageHosts: []string{""}}, "image_hosts"},
		"an aim below the least":       {Settings{Name: "a", PassageAim: 49}, "passage_aim"},
		"an aim above the most":        {Settings{Name: "a", PassageAim: 1_001}, "passage_aim"},
		"an aim below nothing":         {Settings{Name: "a", PassageAim: -1}, "passage_aim"},
		"a limit below the aim":        {Settings{Name: "a", PassageAim: 400, PassageLimit: 399}, "passage_limit"},
		"a limit below the least aim":  {Settings{Name: "a", PassageLimit: 49}, "passage_limit"},
		"a limit above the most":       {Settings{Name: "a", PassageLimit: 2_001}, "passage_limit"},
		"a host too long":              {Settings{Name: "a", ImageHosts: []string{strings.Repeat("abcdefgh.", 28) + "example"}}, "image_hosts"},
	} {
		t.Run(sentence+" is refused at its field", func(t *testing.T) {
			_, err := (&Chatbots{}).check(c.settings)
			if !fault.Is(err, fault.Invalid) || fault.As(err).Field != c.field {
				t.Errorf("the error is %v at %q", err, fault.As(err).Field)
			}
		})
	}
}

func TestPassageSizes(t *testing.T) {
	for sentence, c := range map[string]struct{ aim, limit, wantAim, wantLimit int }{
		"nothing set means the defaults":           {0, 0, 300, 500},
		"what is set is taken":                     {50, 2_000, 50, 2_000},
		"a limit below the usual aim lowers it":    {0, 200, 200, 200},
		"an aim above the usual limit raises it":   {800, 0, 800, 800},
		"a limit above the usual aim leaves it be": {0, 1_000, 300, 1_000},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, err := (&Chatbots{}).check(Settings{Name: "a", PassageAim: c.aim, PassageLimit: c.limit})
			if err != nil {
				t.Fatal(err)
			}
			aim, limit := Chatbot{PassageAim: got.PassageAim, PassageLimit: got.PassageLimit}.PassageSizes()
			if aim != c.wantAim || limit != c.wantLimit {
				t.Errorf("sizes are %d and %d, want %d and %d", aim, limit, c.wantAim, c.wantLimit)
			}
		})
	}
}
