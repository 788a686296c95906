package chatbot

import (
	"math"
	"strings"
	"testing"

	"parley/core/fault"
)

func TestCheckAnswering(t *testing.T) {
	bots := &Chatbots{options: Options{OwnModels: []string{"own", "second"}}}
	number := func(n float64) *float64 { return &n }

	t.Run("nothing chosen is the server's own model, and open", func(t *testing.T) {
		got, err := bots.checkAnswering(Answering{})
		if err != nil || got != (Answering{Grounding: Open, Rerank: RerankOff}) {
			t.Errorf("got %+v, %v", got, err)
		}
	})

	for sentence, given := range map[string]Answering{
		"a model of a provider":              {Model: ModelChoice{"mp_a", "gpt-4o-mini"}},
		"the server's other model":           {Model: ModelChoice{"", "second"}, Fallback: ModelChoice{"", "own"}},
		"the same name at another provider":  {Model: ModelChoice{"mp_a", "m"}, Fallback: ModelChoice{"mp_b", "m"}},
		"a fallback behind the server's own": {Fallback: ModelChoice{"mp_a", "m"}},
		"the coldest temperature":            {Temperature: number(0)},
		"the hottest temperature":            {Temperature: number(2)},
		"the shortest answers":               {MaxAnswerTokens: 16},
		"the longest answers":                {MaxAnswerTokens: 32_000},
		"strict grounding":                   {Grounding: Strict, CacheAnswers: true},
		"passages that the model orders":     {Rerank: RerankOn},
		"those that it orders in doubt":      {Rerank: RerankAuto},
	} {
		t.Run(sentence+" is admitted", func(t *testing.T) {
			want := given
			if want.Grounding == "" {
				want.Grounding = Open
			}
			if want.Rerank == "" {
				want.Rerank = RerankOff
			}
			if got, err := bots.checkAnswering(given); err != nil || got != want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}

	t.Run("a model's name is trimmed", func(t *testing.T) {
		got, err := bots.checkAnswering(Answering{Model: ModelChoice{"mp_a", " gpt-4o\n"}})
		if err != nil || got.Model.Name != "gpt-4o" {
			t.Errorf("got %q, %v", got.Model.Name, err)
		}
	})

	for sentence, c := range map[string]struct {
		given Answering
		field string
	}{
		"a provider without a model":           {Answering{Model: ModelChoice{"mp_a", " "}}, "model"},
		"a fallback provider without a model":  {Answering{Fallback: ModelChoice{"mp_a", ""}}, "fallback_model"},
		"a model that the server does not own": {Answering{Model: ModelChoice{"", "gpt-5-pro"}}, "model"},
		"a fallback that it does not own":      {Answering{Fallback: ModelChoice{"", "gpt-5-pro"}}, "fallback_model"},
		"a name of 201 characters":             {Answering{Model: ModelChoice{"mp_a", strings.Repeat("x", 201)}}, "model"},
		"a name of more bytes than are kept":   {Answering{Model: ModelChoice{"mp_a", strings.Repeat("ä", 101)}}, "model"},
		"a name of two lines":                  {Answering{Model: ModelChoice{"mp_a", "a\nb"}}, "model"},
		"a name with a zero byte":              {Answering{Model: ModelChoice{"mp_a", "a\x00b"}}, "model"},
		"the first model as its own fallback":  {Answering{Model: ModelChoice{"mp_a", "m"}, Fallback: ModelChoice{"mp_a", "m"}}, "fallback_model"},
		"the server's own behind itself":       {Answering{Fallback: ModelChoice{"", "own"}}, "fallback_model"},
		"a temperature below 0":                {Answering{Temperature: number(-0.1)}, "temperature"},
		"a temperature above 2":                {Answering{Temperature: number(2.1)}, "temperature"},
		"a temperature that is no number":      {Answering{Temperature: number(math.NaN())}, "temperature"},
		"answers that are too short":           {Answering{MaxAnswerTokens: 15}, "max_answer_tokens"},
		"answers that are too long":            {Answering{MaxAnswerTokens: 32_001}, "max_answer_tokens"},
		"answers shorter than nothing":         {Answering{MaxAnswerTokens: -1}, "max_answer_tokens"},
		"a grounding that there is not":        {Answering{Grounding: "loose"}, "grounding"},
		"a way to rerank that there is not":    {Answering{Rerank: "sometimes"}, "rerank"},
	} {
		t.Run(sentence+" is refused at its field", func(t *testing.T) {
			_, err := bots.checkAnswering(c.given)
			if f := fault.As(err); err == nil || f.Kind != fault.Invalid || f.Field != c.field {
				t.Errorf("got %v at %q", err, f.Field)
			}
		})
	}
}
