package measure

import (
	"cmp"
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/app"
	"parley/core/answer/extractive"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/core/insight/testrun"
	"parley/core/retrieval"
	"parley/text/split"
	"parley/text/tokens"
)

// AnswersReport says how well questions are answered without a language model.
type AnswersReport struct {
	// Answered counts the questions that get an answer at all.
	Answered Share `json:"answered"`
	// F1 is the mean over all questions that have a reference answer; one that is not
	// answered counts 0. AnsweredF1, Precision, Recall and Words are means over those
	// that are answered.
	F1         float64 `json:"f1"`
	AnsweredF1 float64 `json:"answered_f1"`
	Precision  float64 `json:"precision"`
	Recall     float64 `json:"recall"`
	Words      float64 `json:"words"`
	References int     `json:"references"`
	// Best is the mean F1 of what comes nearest to the reference answers by quoting the same
	// passages: up to five sentences, items or rows, chosen with the reference in view.
	Best float64 `json:"best_quotation_f1"`
	// Citations counts the answered questions with judgments that cite a relevant document.
	Citations Share `json:"citations_right"`
	// PromptTokens and CompletionTokens are the totals of all answers, and Seconds is the
	// mean time of one, with its search.
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	Seconds          float64 `json:"seconds"`
	// WithoutRelevant counts the questions that are not answered when the relevant
	// documents are taken away, and Foreign the questions of another set that are not.
	WithoutRelevant Share `json:"unanswered_without_relevant"`
	Foreign         Share `json:"unanswered_foreign"`
}

// AnswersFiles are the files of a measurement of answers.
type AnswersFiles struct {
	Files
	// Foreign are questions that the corpus does not answer, if any.
	Foreign string
}

// unanswered is what the model says when it does not know.
const unanswered = "No answer."

// withoutRelevant is how many passages are searched for, to have enough when the
// relevant ones are taken away.
const withoutRelevant = 60

// Answers answers the questions from the corpus without a language model, and compares
// the answers with the reference answers.
func Answers(ctx context.Context, config *app.Config, files AnswersFiles) (report AnswersReport, err error) {
	queries, err := readQueries(files.Queries)
	if err != nil {
		return report, err
	}
	judged, err := readJudgments(files.Judgments)
	if err != nil {
		return report, err
	}
	folder, err := os.MkdirTemp("", "parley-eval-")
	if err != nil {
		return report, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	t, err := openTrial(ctx, config, "embedded", folder, true)
	if err != nil {
		return report, err
	}
	defer t.close()
	pages, err := t.indexPages(ctx, files.Corpus)
	if err != nil {
		return report, err
	}
	for _, q := range queries {
		relevant := map[string]bool{}
		for id, grade := range judged[q.name()] {
			if grade > 0 {
				relevant[pages.of(id)] = true
			}
		}
		if err := report.ask(ctx, t, q, relevant); err != nil {
			return report, err
		}
	}
	if report.Answered[1] == 0 {
		return report, fault.New(fault.Invalid, "The measurement needs at least one question.")
	}
	report.divide()
	if files.Foreign == "" {
		return report, nil
	}
	return report, report.askForeign(ctx, t, files.Foreign)
}

// pages are the documents of sections.
type pages map[string]string

// of returns the document that a judgment is about: the page of its section. Where the
// corpus has whole pages, page#section is a section of page.
func (p pages) of(judged string) string {
	if page := p[judged]; page != "" {
		return page
	}
	page, _, _ := strings.Cut(judged, "#")
	return cmp.Or(p[page], judged)
}

// indexPages indexes the corpus. Sections of one page become one document.
func (t *indexed) indexPages(ctx context.Context, corpus string) (pages, error) {
	var documents []split.Document
	places, found := map[string]int{}, pages{}
	err := readLines(corpus, func(line corpusLine) error {
		if line.Page == "" {
			found[line.name()] = line.name()
			documents = append(documents, line.document())
			return nil
		}
		found[line.name()] = line.Page
		at, begun := places[line.Page]
		if !begun {
			at = len(documents)
			places[line.Page] = at
			documents = append(documents, split.Document{ID: line.Page})
		}
		text := strings.TrimPrefix(strings.TrimSpace(line.Text), line.Title)
		documents[at].Content += "## " + line.Title + "\n\n" + strings.TrimSpace(text) + "\n\n"
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, t.port.Rebuild(ctx, t.Version(), func(ctx context.Context, into retrieval.Filler) error {
		for place, document := range documents {
			if _, err := t.AddAt(ctx, into, place, document, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// ask asks a question, and again without its relevant documents.
func (r *AnswersReport) ask(ctx context.Context, t *indexed, q queryLine, relevant map[string]bool) error {
	query := q.query("rewrite")
	query.Limit = answeredFrom
	began := time.Now()
	found, err := t.Passages(ctx, query)
	if err != nil {
		return err
	}
	said := extractive.Answer(asked(query.Text, found))
	r.Seconds += time.Since(began).Seconds()
	r.cost(query.Text, found, said)
	answer := withoutSources(said)
	r.Answered.count(answer != "")
	if answer != "" && len(relevant) > 0 {
		r.Citations.count(citesAny(said, found, relevant))
	}
	if q.Target != "" {
		r.References++
		r.compare(answer, q.Target)
		r.Best += bestQuotation(found, q.Target)
	}
	if len(relevant) == 0 {
		return nil
	}
	query.Limit = withoutRelevant
	all, err := t.Passages(ctx, query)
	if err != nil {
		return err
	}
	var others []retrieval.Result
	for _, f := range all {
		if !relevant[f.DocumentID] && len(others) < answeredFrom {
			others = append(others, f)
		}
	}
	r.WithoutRelevant.count(answerOf(query.Text, others) == "")
	return nil
}

func (r *AnswersReport) compare(answer, reference string) {
	if answer == "" {
		return
	}
	o := testrun.OverlapOf(answer, reference)
	r.F1 += o.F1
	r.Precision += o.Precision
	r.Recall += o.Recall
	r.Words += float64(len(testrun.Words(answer)))
	r.AnsweredF1++
}

// divide turns sums into means. AnsweredF1 has counted the answers until now.
func (r *AnswersReport) divide() {
	answered := max(1, r.AnsweredF1)
	r.AnsweredF1, r.Precision, r.Recall, r.Words = r.F1/answered, r.Precision/answered, r.Recall/answered, r.Words/answered
	r.F1 /= float64(max(1, r.References))
	r.Best /= float64(max(1, r.References))
	r.Seconds /= float64(max(1, r.Answered[1]))
}

// cost counts the tokens that a model would have been given, and the tokens of the answer.
func (r *AnswersReport) cost(question string, found []retrieval.Result, said string) {
	r.PromptTokens += tokens.Count(question)
	for _, f := range found {
		r.PromptTokens += tokens.Count(f.Text)
	}
	r.CompletionTokens += tokens.Count(said)
}

// citesAny reports whether an answer cites a passage of one of the documents.
func citesAny(said string, found []retrieval.Result, documents map[string]bool) bool {
	for i, f := range found {
		if documents[f.DocumentID] && strings.Contains(said, "["+strconv.Itoa(i+1)+"]") {
			return true
		}
	}
	return false
}

func (r *AnswersReport) askForeign(ctx context.Context, t *indexed, file string) error {
	queries, err := readQueries(file)
	if err != nil {
		return err
	}
	for _, q := range queries {
		query := q.query("rewrite")
		query.Limit = answeredFrom
		found, err := t.Passages(ctx, query)
		if err != nil {
			return err
		}
		r.Foreign.count(answerOf(query.Text, found) == "")
	}
	return nil
}

// sources matches the line under each quotation that names its source.
var sources = regexp.MustCompile(`(?m)^\*Source: .*$`)

func asked(question string, passages []retrieval.Result) prompt.Prompt {
	return prompt.Prompt{Question: question, Passages: passages, NoAnswer: unanswered}
}

// answerOf is what is quoted in answer to a question, or empty.
func answerOf(question string, passages []retrieval.Result) string {
	return withoutSources(extractive.Answer(asked(question, passages)))
}

func withoutSources(answer string) string {
	if answer == unanswered {
		return ""
	}
	return strings.TrimSpace(sources.ReplaceAllString(answer, ""))
}
