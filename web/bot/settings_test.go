package bot_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/views/shell"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestTwoTabsOfSettings(t *testing.T) {
	s := shoptest.Open(t, nil)
	bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
	webtest.Must(t, err)
	page := shell.ChatbotSettingsURL(bot.ID)
	first, second := webtest.Filled(t, s.Get(page).Body, page), webtest.Filled(t, s.Get(page).Body, page)
	first.Set("instructions", "Be brief.")
	second.Set("name", "<b>Other</b>")
	s.WantGone(s.Post(page, first), page+"?done=saved")

	got := s.Post(page, second)
	s.WantPage(got, 409, "Somebody changed these settings", "Yours differs in: Instructions, Name.", `value="&lt;b&gt;Other&lt;/b&gt;"`)
	now, err := s.Chatbots.Get(t.Context(), s.Home.ID, bot.ID)
	webtest.Must(t, err)
	if now.Name != "Guide" || now.Instructions != "Be brief." {
		t.Errorf("it is overwritten: %+v", now)
	}

	t.Run("saved again it is what the second wants", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(page, webtest.Filled(t, got.Body, page)), page+"?done=saved")
		if now, err := s.Chatbots.Get(t.Context(), s.Home.ID, bot.ID); err != nil || now.Name != "<b>Other</b>" || now.Instructions != "" {
			t.Errorf("it is %+v: %v", now, err)
		}
	})
	t.Run("both that want the same are content", func(t *testing.T) {
		s := s.Within(t)
		same := webtest.Filled(t, s.Get(page).Body, page)
		same.Set("no_answer", "I do not know.")
		s.WantGone(s.Post(page, same), page+"?done=saved")
		s.WantGone(s.Post(page, same), page+"?done=saved")
	})
	t.Run("a greeting is saved, shown again, and compared", func(t *testing.T) {
		s := s.Within(t)
		mine, theirs := webtest.Filled(t, s.Get(page).Body, page), webtest.Filled(t, s.Get(page).Body, page)
		mine.Set("welcome", "Hi <b>you</b>!")
		mine.Set("suggested_questions", "When?\r\n\r\nWhere? ")
		s.WantGone(s.Post(page, mine), page+"?done=saved")
		if now, err := s.Chatbots.Get(t.Context(), s.Home.ID, bot.ID); err != nil || now.Welcome != "Hi <b>you</b>!" || len(now.SuggestedQuestions) != 2 {
			t.Errorf("it is %+v: %v", now, err)
		}
		s.WantPage(s.Get(page), 200, "Hi &lt;b&gt;you&lt;/b&gt;!", "When?\nWhere?</textarea>")
		theirs.Set("suggested_questions", "Why?")
		s.WantPage(s.Post(page, theirs), 409, "Yours differs in: Suggested questions, Welcome text.")
	})
	t.Run("an owner can have no questions suggested, and keeps those that were written", func(t *testing.T) {
		s := s.Within(t)
		typed := webtest.Filled(t, s.Get(page).Body, page)
		typed.Set("suggested_questions", "---\nWhen?\n-")
		typed.Set("suggest_nothing", "on")
		s.WantGone(s.Post(page, typed), page+"?done=saved")
		if now, err := s.Chatbots.Get(t.Context(), s.Home.ID, bot.ID); err != nil || !now.SuggestNothing || !slices.Equal(now.SuggestedQuestions, []string{"When?"}) {
			t.Errorf("it is %+v: %v", now, err)
		}
		s.WantPage(s.Get(page), 200, `name="suggest_nothing" type="checkbox" value="on" checked`, "When?</textarea>")
		typed = webtest.Filled(t, s.Get(page).Body, page)
		typed.Del("suggest_nothing")
		s.WantGone(s.Post(page, typed), page+"?done=saved")
		if now, err := s.Chatbots.Get(t.Context(), s.Home.ID, bot.ID); err != nil || now.SuggestNothing || len(now.SuggestedQuestions) != 1 {
			t.Errorf("it is %+v: %v", now, err)
		}
	})
	t.Run("questions that are too many are refused beside their field", func(t *testing.T) {
		s := s.Within(t)
		typed := webtest.Filled(t, s.Get(page).Body, page)
		typed.Set("suggested_questions", "1\n2\n3\n4\n5\n6\n7")
		s.WantPage(s.Post(page, typed), 422, "Write at most 6 questions, one per line. These are 7.", "7</textarea>")
	})
	t.Run("a form that is refused keeps what it has seen", func(t *testing.T) {
		s := s.Within(t)
		typed := webtest.Filled(t, s.Get(page).Body, page)
		seen := typed.Get("seen")
		typed.Set("name", strings.Repeat("x", 101))
		s.WantPage(s.Post(page, typed), 422, "at most 100 are allowed", `name="seen" value="`+seen+`"`)
	})
	t.Run("a form from before there was one is not compared", func(t *testing.T) {
		s.Within(t).WantGone(s.Post(page, url.Values{"name": {"Plain"}}), page+"?done=saved")
	})
}
