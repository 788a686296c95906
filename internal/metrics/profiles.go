package metrics

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"strconv"
	"time"
)

const (
	// profiledFor is how long the processors are watched unless seconds says otherwise, and
	// profiledMost the longest that it may say.
	profiledFor  = 30
	profiledMost = 300
)

// addProfiles adds what go tool pprof reads. Package net/http/pprof has the same and three
// hundred kilobytes more, and serves the command line, whose arguments may have secrets.
func addProfiles(routes *http.ServeMux) {
	routes.HandleFunc("GET /debug/pprof/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "profile?seconds=30")
		for _, profile := range pprof.Profiles() {
			fmt.Fprintln(w, profile.Name()+"?debug=1")
		}
	})
	routes.HandleFunc("GET /debug/pprof/profile", profileProcessors)
	routes.HandleFunc("GET /debug/pprof/{name}", func(w http.ResponseWriter, r *http.Request) {
		profile := pprof.Lookup(r.PathValue("name"))
		if profile == nil {
			http.NotFound(w, r)
			return
		}
		debug, _ := strconv.Atoi(r.FormValue("debug"))
		if debug == 0 {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		_ = profile.WriteTo(w, debug) // the reader has gone
	})
}

// profileProcessors tells what the processors do for some seconds, or until the reader leaves.
func profileProcessors(w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.Atoi(r.FormValue("seconds"))
	if err != nil || seconds < 1 {
		seconds = profiledFor
	}
	if seconds > profiledMost {
		http.Error(w, fmt.Sprintf("Ask for at most %d seconds.", profiledMost), http.StatusBadRequest)
		return
	}
	watched := time.Duration(seconds) * time.Second
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(watched + requestTimeout))
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := pprof.StartCPUProfile(w); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer pprof.StopCPUProfile()
	select {
	case <-time.After(watched):
	case <-r.Context().Done():
	}
}
