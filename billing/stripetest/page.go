package stripetest

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

// pageView is the content of a page.
type pageView struct {
	Title, Text, Problem string
	Buttons              []button
	// Back is a link, if there is one.
	Back string
}

// button is a form with one button.
type button struct{ Action, Label string }

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><title>{{.Title}}</title>
<main><h1>{{.Title}}</h1>
<p>{{.Text}}</p>
{{with .Problem}}<p role="alert">{{.}}</p>{{end}}
{{range .Buttons}}<form method="post"><button name="action" value="{{.Action}}">{{.Label}}</button></form>
{{end}}
{{with .Back}}<p><a id="back" href="{{.}}">Back</a></p>{{end}}
</main></html>
`))

// showPages routes a page and the actions of its buttons. Press returns where the browser
// goes next.
func (s *Server) showPages(mux *http.ServeMux, path string, show func(id string) (pageView, error), press func(id, action string) (string, error)) {
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		view, err := show(r.PathValue("id"))
		s.mu.Unlock()
		s.writePage(w, view, err)
	})
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		action := r.PostFormValue("action") // a slow client must not hold the lock
		s.mu.Lock()
		next, err := press(id, action)
		view, gone := show(id)
		s.mu.Unlock()
		if err == nil {
			http.Redirect(w, r, next, http.StatusSeeOther)
			return
		}
		view.Problem = err.Error()
		s.writePage(w, view, gone)
	})
}

func (s *Server) writePage(w http.ResponseWriter, view pageView, err error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		view = pageView{Title: "Something went wrong", Text: err.Error()}
	} else if view.Problem != "" {
		w.WriteHeader(http.StatusPaymentRequired)
	}
	_ = pageTemplate.Execute(w, view) // the browser may have gone away
}

// Press presses a button of a page, as a person would: pay at a checkout; cancel, resume,
// confirm, card or change:<lookup key> at a portal. It returns where a browser goes next.
func (s *Server) Press(page, action string) (next string, err error) {
	local := strings.Replace(page, "localhost", "127.0.0.1", 1)
	client := &http.Client{Timeout: deliveryTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.PostForm(local, url.Values{"action": {action}})
	if err != nil {
		return "", err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		return "", fmt.Errorf("stripetest: the page answers %s with %d", action, response.StatusCode)
	}
	return response.Header.Get("Location"), nil
}

// amount formats a price for people.
func amount(of *price) string {
	return fmt.Sprintf("%d.%02d %s a %s", of.UnitAmount/100, of.UnitAmount%100, strings.ToUpper(of.Currency), of.Recurring.Interval)
}
