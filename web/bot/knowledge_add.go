package bot

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/knowledge"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// addForm is one of the forms that add knowledge, with its error.
type addForm struct {
	page.Form
	failure *fault.Error
}

func (f addForm) view() ui.Form {
	shown := f.Form.View()
	if f.failure != nil {
		shown.Field, shown.Message = f.failure.Field, f.failure.Message
	}
	return shown
}

// addForms are the ways to add knowledge.
type addForms struct{ text, pairs, files, address addForm }

// newAddForms returns the forms as they are before anything is typed.
func newAddForms() addForms {
	rules := knowledge.DefaultRules()
	return addForms{
		text:  addForm{Form: page.Form{"way": "text", "title": "", "kind": "", "content": ""}},
		pairs: addForm{Form: page.Form{"pairs_title": "", "pairs": ""}},
		files: addForm{Form: page.Form{"files": ""}},
		address: addForm{Form: page.Form{
			"url": "", "reach": "", "schedule": "", "include": "", "exclude": "",
			"max_depth": strconv.Itoa(rules.MaxDepth), "max_pages": strconv.Itoa(rules.MaxPages),
		}},
	}
}

func (f addForms) view(way string) views.Add {
	return views.Add{Way: way, Text: f.text.view(), Pairs: f.pairs.view(), Files: f.files.view(), Address: f.address.view()}
}

// addPage shows the ways to add knowledge.
func (s knowledgePages) addPage(c *fiber.Ctx, v page.Visit) error {
	way := c.Query("way")
	if !views.IsWay(way) {
		way = views.WayFiles
	}
	return s.showForms(c, v, fiber.StatusOK, newAddForms().view(way))
}

func (s knowledgePages) showForms(c *fiber.Ctx, v page.Visit, status int, add views.Add) error {
	return page.Render(c, status, views.AddKnowledgePage(v.Layout(c, shell.KnowledgeSection, "Add knowledge"), add))
}

// refused shows the page again with the values of one of the forms, and the error. It
// returns an error that no other input would mend.
func (s knowledgePages) refused(c *fiber.Ctx, v page.Visit, err error, typed page.Form, inputs map[string]string, way string, of func(*addForms) *addForm) error {
	return typed.Again(c, err, func(status int, f ui.Form) error {
		add := newAddForms()
		failure := *fault.As(err)
		failure.Message = f.Message
		if input, renamed := inputs[failure.Field]; renamed {
			failure.Field = input
		}
		refused := of(&add)
		for name := range refused.Form {
			refused.Form[name] = typed[name]
		}
		refused.failure = &failure
		return s.showForms(c, v, status, add.view(way))
	})
}

func (s knowledgePages) addDocument(c *fiber.Ctx, v page.Visit) error {
	typed, _, err := page.ReadUploads(c, "", "title", "kind", "content")
	if err != nil {
		return err
	}
	added, err := s.Knowledge.Documents.Add(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, knowledge.NewDocument{
		Title: typed["title"], Kind: knowledge.Kind(typed["kind"]), Content: typed["content"],
	})
	if err != nil {
		return s.refused(c, v, err, typed, nil, views.WayText, func(add *addForms) *addForm { return &add.text })
	}
	return s.Flash(c, shell.KnowledgeURL(v.Chatbot.ID), page.Message{Text: "“" + added.Title + "” added."})
}

func (s knowledgePages) addPairs(c *fiber.Ctx, v page.Visit) error {
	typed, _, err := page.ReadUploads(c, "", "pairs_title", "pairs")
	if err != nil {
		return err
	}
	var added knowledge.Document
	pairs, err := typedPairs(typed["pairs"])
	if err == nil {
		added, err = s.Knowledge.Documents.Add(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, knowledge.NewDocument{
			Title: typed["pairs_title"], Kind: knowledge.Pairs, Content: pairs,
		})
	}
	if err != nil {
		return s.refused(c, v, err, typed, map[string]string{"title": "pairs_title", "content": "pairs", "file": "pairs"}, views.WayPairs,
			func(add *addForms) *addForm { return &add.pairs })
	}
	return s.Flash(c, shell.KnowledgeURL(v.Chatbot.ID), page.Message{Text: "“" + added.Title + "” added."})
}

func (s knowledgePages) addSource(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "url", "reach", "schedule", "include", "exclude", "max_depth", "max_pages")
	if err != nil {
		return err
	}
	request, err := newSource(typed)
	if err == nil {
		_, err = s.Knowledge.Sources.Add(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, request)
	}
	if err != nil {
		return s.refused(c, v, err, typed, map[string]string{"kind": "reach"}, views.WayWebsite, func(add *addForms) *addForm { return &add.address })
	}
	return s.Flash(c, shell.AddressesURL(v.Chatbot.ID), page.Message{Text: "The address is added. Parley looks for its pages now."})
}

func newSource(typed page.Form) (knowledge.NewSource, error) {
	address, err := typedAddress(typed["url"])
	if err != nil {
		return knowledge.NewSource{}, err
	}
	request := knowledge.NewSource{
		URL: address, Kind: knowledge.SourceKind(typed["reach"]), Schedule: knowledge.Schedule(typed["schedule"]),
		Rules: knowledge.DefaultRules(),
	}
	if request.Kind != knowledge.Site {
		return request, nil
	}
	request.Rules.Include, request.Rules.Exclude = lines(typed["include"]), lines(typed["exclude"])
	err = number(typed, "max_depth", &request.Rules.MaxDepth)
	if err == nil {
		err = number(typed, "max_pages", &request.Rules.MaxPages)
	}
	return request, err
}

// maxLines is more lines than any input takes.
const maxLines = 1000

// lines are the first lines of a text that have something in them.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
		if len(all) == maxLines {
			break
		}
	}
	return all
}

// words are the first words of a text.
func words(text string) []string {
	var all []string
	for word := range strings.FieldsSeq(text) {
		if all = append(all, word); len(all) == maxLines {
			break
		}
	}
	return all
}

// number reads a whole number. An input that is empty leaves it as it is.
func number(typed page.Form, name string, into *int) error {
	text := strings.TrimSpace(typed[name])
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return fault.InField(name, "Enter a whole number.")
	}
	*into = n
	return nil
}
