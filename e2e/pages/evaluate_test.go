package pages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
)

func TestEvaluatePageAndRoute(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening, "# Cakes\n\nPlum cake is baked on Sundays.\n", "# Cakes\n\nCheese cake is baked on Mondays.\n")
		v := w.SignedIn(baker.Email, baker.Password)
		page, route := "/chatbots/"+baker.Chatbot+"/evaluate", "/api/chatbots/"+baker.Chatbot+"/evaluate"
		documents := w.Settled(baker)

		t.Run("the page shows what is found, and how well", func(t *testing.T) {
			v := v.In(t)
			r := v.Post(page, harness.Pairs{"questions", "When does the bakery open? => opening HOURS\r\nOn which day is cheese cake baked? => Opening hours\r\nCoffee?\r\n"})
			v.Expect(r, http.StatusOK)
			shown := harness.Text(v.Page(r))
			for _, part := range []string{
				"“opening HOURS” is number 1", "“Opening hours” is number", "Cheese cake is baked on Mondays.", "(score ", "Coffee?",
				"Found among the first 1", "50%", "100%", "Mean reciprocal rank",
			} {
				if !strings.Contains(shown, part) {
					t.Errorf("the page lacks %q: %s", part, shown)
				}
			}
			if !strings.Contains(r.Text, "On which day is cheese cake baked? =&gt; Opening hours") {
				t.Error("what was typed is gone")
			}
		})
		for typed, says := range map[string]string{
			"": "at least one question", "Why? => Nothing": "no document called", " => Cakes": "Question 1 is empty", strings.Repeat("Why?\n", 51): "at most 50",
		} {
			t.Run("the page shows what it refuses beside the input: "+says, func(t *testing.T) {
				v := v.In(t)
				r := v.Post(page, harness.Pairs{"questions", typed})
				v.Expect(r, http.StatusUnprocessableEntity)
				if got := harness.TextOf(v.Page(r), "id", "questions-error"); !strings.Contains(got, says) {
					t.Errorf("beside it stands %q", got)
				}
			})
		}
		t.Run("the route gives ranks, passages and measures", func(t *testing.T) {
			v := v.In(t)
			cheese := documents[2].ID
			r := v.Ask("POST", route, fmt.Sprintf(`{"k":2,"questions":[{"question":"On which day is cheese cake baked?","document_id":%q},{"question":"Plum cake?","title":"cakes"},{"question":"Coffee?"}]}`, cheese))
			v.CheckAnswer(r, 200, 0)
			if r.Data["measured"] != 2.0 || r.Data["mrr"] != 1.0 || fmt.Sprint(r.Data["within"]) != "map[1:1 3:1 5:1]" {
				t.Errorf("got %s", r.Text)
			}
			asked, _ := r.Data["questions"].([]any)
			first, _ := asked[0].(map[string]any)
			passages, _ := first["passages"].([]any)
			if len(asked) != 3 || first["rank"] != 1.0 || len(passages) != 2 || fmt.Sprint(first["expected"]) != "["+cheese+"]" {
				t.Fatalf("got %s", r.Text)
			}
			best, _ := passages[0].(map[string]any)
			if best["document_id"] != cheese || best["title"] != "Cakes" || !strings.Contains(fmt.Sprint(best["text"]), "Mondays") || best["score"].(float64) <= 0 {
				t.Errorf("the best is %v", best)
			}
			if second, _ := asked[1].(map[string]any); len(second["expected"].([]any)) != 2 {
				t.Errorf("a title of two documents expects %v", second["expected"])
			}
			if third, _ := asked[2].(map[string]any); third["rank"] != nil || fmt.Sprint(third["expected"]) != "[]" {
				t.Errorf("a question without a document is %v", third)
			}
		})
		for body, status := range map[string][2]int{
			`{"questions":[]}`: {400, 4}, `{}`: {400, 4}, `{"questions":[{"question":" "}]}`: {400, 4}, `{"questions":[{"question":"a"}],"k":0}`: {400, 4},
			`{"questions":[{"question":"a"}],"k":21}`: {400, 4}, `{"questions":[{"question":"a","document_id":"doc_none"}]}`: {404, 3},
			`{"questions":[{"question":"a","title":"none"}]}`: {400, 4}, `{"questions":[{"question":"a","document_id":""}]}`: {404, 3},
		} {
			t.Run("the route refuses "+body, func(t *testing.T) {
				v := v.In(t)
				v.CheckAnswer(v.Ask("POST", route, body), status[0], status[1])
			})
		}
	})
}

func TestPassageSizes(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		text := "# Bread\n\n" + strings.Repeat("Bread is baked in the old oven before the sun is up.\n\n", 100)
		baker := w.NewTenant("baker", plan.Standard, text)
		v := w.SignedIn(baker.Email, baker.Password)
		page := "/chatbots/" + baker.Chatbot + "/settings"
		save := func(v *harness.Visitor, more ...string) harness.Reply {
			return v.Post(page, append(harness.Pairs{"name", "Baker"}, more...))
		}
		before := w.Settled(baker)[0]

		t.Run("after a change of the sizes the documents are indexed again, and the page says so", func(t *testing.T) {
			v := v.In(t)
			r := save(v, "passage_aim", "60", "passage_limit", "100")
			v.GoesTo(r, page+"?done=resized")
			if shown := v.Get(page + "?done=resized").Text; !strings.Contains(shown, "indexed again") || !strings.Contains(shown, `name="passage_aim" type="number" value="60"`) {
				t.Error("the page does not say so")
			}
			after := v.Settled(baker)[0]
			if after.State != knowledge.Ready || after.Passages <= 2*before.Passages || after.Live <= before.Live {
				t.Errorf("there were %d passages, and are %d: %+v", before.Passages, after.Passages, after)
			}
			if !v.Answers(baker, "Where is bread baked?", "old oven") {
				t.Error("it is not answered from")
			}
		})
		t.Run("with the same sizes nothing is indexed", func(t *testing.T) {
			v := v.In(t)
			before := v.Settled(baker)[0]
			v.GoesTo(save(v, "passage_aim", "60", "passage_limit", "100"), page+"?done=saved")
			if after := v.Settled(baker)[0]; after.Live != before.Live {
				t.Errorf("version %d became %d", before.Live, after.Live)
			}
		})
		for input, value := range map[string]string{"passage_aim": "10", "passage_limit": "5000"} {
			t.Run("a wrong "+input+" is refused beside the input", func(t *testing.T) {
				v := v.In(t)
				r := save(v, input, value)
				v.Expect(r, http.StatusUnprocessableEntity)
				if got := harness.TextOf(v.Page(r), "id", input+"-error"); !strings.Contains(got, "tokens") {
					t.Errorf("beside it stands %q", got)
				}
			})
		}
		t.Run("empty inputs bring the defaults back", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(save(v), page+"?done=resized")
			if after := v.Settled(baker)[0]; after.Passages != before.Passages {
				t.Errorf("there were %d passages, and are %d", before.Passages, after.Passages)
			}
		})
	})
}

func TestAnswerWithoutKnowledge(t *testing.T) {
	t.Parallel()
	w := harness.StartWith(t, app.Options{Index: func(x retrieval.Index) retrieval.Index { return harness.BrokenIndex{Index: x} }})
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	v := w.SignedIn(baker.Email, baker.Password)
	t.Run("with the setting off, a question fails while the index is away", func(t *testing.T) {
		w := w.Within(t)
		w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token)), 500, 5)
	})
	t.Run("with the setting on, it is answered from no document", func(t *testing.T) {
		v := v.In(t)
		page := "/chatbots/" + baker.Chatbot + "/settings"
		v.GoesTo(v.Post(page, harness.Pairs{"name", "Baker", "answer_without_knowledge", "on"}), page+"?done=saved")
		if !strings.Contains(v.Get(page).Text, `name="answer_without_knowledge" type="checkbox" value="on" checked`) {
			t.Error("the box is not on")
		}
		r := v.Asked(baker, "When does the bakery open?")
		if len(harness.SourcesOf(r)) != 0 || strings.Contains(r.Text, "secret-1234") {
			t.Errorf("answered %s", r.Text)
		}
	})
}
