package bot_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/views/shell"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestAnswering(t *testing.T) {
	s := shoptest.Open(t, nil)
	ours, theirs := s.NewProvider("Ours"), s.NewProvider("Theirs")
	bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
	webtest.Must(t, err)
	page := shell.ChatbotSettingsURL(bot.ID)
	stored := func(t *testing.T) chatbot.Chatbot {
		t.Helper()
		found, err := s.Chatbots.Get(t.Context(), s.Home.ID, bot.ID)
		webtest.Must(t, err)
		return found
	}
	// save is the page's own form, with changes.
	save := func(s *shoptest.Shop, changes ...string) webtest.Reply {
		s.Helper()
		typed := webtest.Filled(s.T, s.Get(page).Body, page)
		for i := 0; i < len(changes); i += 2 {
			typed.Set(changes[i], changes[i+1])
		}
		return s.Post(page, typed)
	}

	t.Run("a new chatbot is answered for by the server's own model, openly and by nobody else", func(t *testing.T) {
		typed := webtest.Filled(t, s.Within(t).Get(page).Body, page)
		want := url.Values{
			"name": {"Guide"}, "instructions": {""}, "no_answer": {""}, "welcome": {""}, "suggested_questions": {""}, "image_hosts": {""}, "passage_aim": {""}, "passage_limit": {""},
			"provider_id": {"own"}, "keep_files": {"on"}, "retention_days": {""}, "model": {""}, "fallback_provider_id": {"none"}, "fallback_model": {""},
			"temperature": {""}, "max_answer_tokens": {""}, "grounding": {"open"}, "rerank": {"off"}, "seen": {bot.Settings().Fingerprint()},
		}
		if !reflect.DeepEqual(typed, want) {
			t.Errorf("the form has %v", typed)
		}
	})
	t.Run("all that is chosen is kept", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(save(s, "provider_id", ours.ID, "model", " gpt-4o-mini ", "fallback_provider_id", theirs.ID, "fallback_model", "other",
			"temperature", "0.7", "max_answer_tokens", "400", "grounding", "strict", "cache_answers", "on", "rerank", "auto"), page+"?done=saved")
		temperature := 0.7
		want := chatbot.Answering{
			Model:       chatbot.ModelChoice{ProviderID: ours.ID, Name: "gpt-4o-mini"},
			Fallback:    chatbot.ModelChoice{ProviderID: theirs.ID, Name: "other"},
			Temperature: &temperature, MaxAnswerTokens: 400, Grounding: chatbot.Strict, CacheAnswers: true, Rerank: chatbot.RerankAuto,
		}
		if got := stored(t).Answering; !reflect.DeepEqual(got, want) {
			t.Errorf("stored is %+v", got)
		}
	})
	t.Run("saving the form as it is changes nothing", func(t *testing.T) {
		s := s.Within(t)
		settings := chatbot.Settings{
			Name: "Guide", Instructions: "Be brief.", NoAnswer: "No idea.", ImageHosts: []string{"img.example.com"}, PassageAim: 200, PassageLimit: 300,
			AnswerWithoutKnowledge: true, Answering: stored(t).Answering,
		}
		webtest.Must(t, s.Chatbots.Update(t.Context(), s.Home.ID, bot.ID, settings))
		before := stored(t)
		s.WantGone(save(s), page+"?done=saved")
		if got := stored(t); !reflect.DeepEqual(got, before) {
			t.Errorf("stored is %+v, was %+v", got, before)
		}
	})
	t.Run("a form without the part about answers leaves them", func(t *testing.T) {
		s := s.Within(t)
		before := stored(t).Answering
		s.WantPage(s.Post(page, url.Values{"name": {"Guide"}, "passage_aim": {"200"}, "passage_limit": {"300"}, "temperature": {"nonsense"}}), 303)
		if got := stored(t).Answering; !reflect.DeepEqual(got, before) {
			t.Errorf("stored is %+v, was %+v", got, before)
		}
	})
	for name, c := range map[string]struct {
		changes []string
		field   string
	}{
		"a provider that is not there":          {[]string{"provider_id", "mp_nothing"}, "provider_id"},
		"a provider without a model":            {[]string{"model", ""}, "model"},
		"a model that the server does not have": {[]string{"provider_id", "own", "model", "gpt-9"}, "model"},
		"a fallback provider that is not there": {[]string{"fallback_provider_id", "mp_nothing"}, "fallback_provider_id"},
		"a fallback model of nobody":            {[]string{"fallback_provider_id", "none"}, "fallback_provider_id"},
		"a fallback provider without a model":   {[]string{"fallback_model", ""}, "fallback_model"},
		"a fallback model that is the first":    {[]string{"fallback_provider_id", ours.ID, "fallback_model", "gpt-4o-mini"}, "fallback_model"},
		"a temperature that is too high":        {[]string{"temperature", "2.1"}, "temperature"},
		"a temperature that is no number":       {[]string{"temperature", "NaN"}, "temperature"},
		"a temperature in words":                {[]string{"temperature", "warm"}, "temperature"},
		"an answer of too few tokens":           {[]string{"max_answer_tokens", "15"}, "max_answer_tokens"},
		"an answer of half a token":             {[]string{"max_answer_tokens", "20.5"}, "max_answer_tokens"},
		"a grounding that is not there":         {[]string{"grounding", "loose"}, "grounding"},
		"a way to rerank that is not there":     {[]string{"rerank", "sometimes"}, "rerank"},
	} {
		t.Run(name+" is refused beside its field, and nothing is changed", func(t *testing.T) {
			s := s.Within(t)
			before := stored(t)
			got := save(s, c.changes...)
			s.WantPage(got, 422, `id="`+c.field+`-error"`)
			if now := stored(t); !reflect.DeepEqual(now, before) {
				t.Errorf("stored is %+v", now)
			}
			for i := 0; i < len(c.changes); i += 2 { // a select shows what it has
				if typed := webtest.Filled(t, got.Body, page); !strings.HasSuffix(c.changes[i], "provider_id") && c.changes[i] != "grounding" && c.changes[i] != "rerank" && typed.Get(c.changes[i]) != c.changes[i+1] {
					t.Errorf("the form has lost %s", c.changes[i])
				}
			}
		})
	}
	t.Run("the server's own as the fallback is named, so that it is not none", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(save(s, "fallback_provider_id", "own", "fallback_model", ""), page+"?done=saved")
		if got := stored(t).Fallback; got != (chatbot.ModelChoice{Name: "own-model"}) {
			t.Errorf("the fallback is %+v", got)
		}
		typed := webtest.Filled(t, s.Get(page).Body, page)
		if typed.Get("fallback_provider_id") != "own" || typed.Get("fallback_model") != "own-model" {
			t.Errorf("the form has %v", typed)
		}
	})
	t.Run("it is not the first, too", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(save(s, "provider_id", "own", "model", ""), 422, `id="fallback_model-error"`)
	})
	t.Run("what was chosen can be taken back", func(t *testing.T) {
		s := s.Within(t)
		typed := webtest.Filled(t, s.Get(page).Body, page)
		typed.Del("cache_answers")
		for name, value := range map[string]string{
			"provider_id": "own", "model": "", "fallback_provider_id": "none", "fallback_model": "", "temperature": "", "max_answer_tokens": "", "grounding": "open", "rerank": "off",
		} {
			typed.Set(name, value)
		}
		s.WantGone(s.Post(page, typed), page+"?done=saved")
		if got := stored(t).Answering; !reflect.DeepEqual(got, chatbot.Answering{Grounding: chatbot.Open, Rerank: chatbot.RerankOff}) {
			t.Errorf("stored is %+v", got)
		}
	})
}
