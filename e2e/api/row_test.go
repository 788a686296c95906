package api

import (
	"net/http"
	"slices"

	"parley/e2e/harness"
)

// routesOf lists what a server has registered, without middlewares; HEAD
// belongs to GET, and what leads from the address of a form to its page to POST.
func routesOf(w *harness.Instance) []string {
	var names []string
	leads := map[string]bool{} // addresses of forms that lead to the form's page
	for _, declared := range w.Server.Routes.All() {
		leads["GET "+declared.Path] = declared.Form != ""
	}
	for _, route := range w.Server.App.GetRoutes(true) {
		if route.Method != http.MethodHead && !leads[route.Method+" "+route.Path] {
			names = append(names, route.Method+" "+route.Path)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
