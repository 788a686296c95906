package harness

import (
	"bufio"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"parley/app"
)

// Measured has a server serve its metrics.
func Measured(c *app.Config) { c.MetricsAddr = "127.0.0.1:0" }

// Series is one line of a scrape.
type Series struct {
	Name   string
	Labels map[string]string
	Value  float64
}

// Figures are what a scrape has read.
type Figures []Series

// Scrape reads the metrics of a server that is [Measured].
func (w *Instance) Scrape() (found Figures) {
	w.Helper()
	response, err := http.Get("http://" + w.Server.MetricsAddr().String() + "/metrics")
	w.Must(err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		parts := series.FindStringSubmatch(lines.Text())
		if parts == nil {
			continue
		}
		value, err := strconv.ParseFloat(parts[3], 64)
		w.Must(err)
		one := Series{parts[1], map[string]string{}, value}
		for _, label := range labels.FindAllStringSubmatch(parts[2], -1) {
			one.Labels[label[1]] = label[2]
		}
		found = append(found, one)
	}
	w.Must(lines.Err())
	return found
}

var (
	series = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$`)
	labels = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"`)
)

// Of are the series with a name.
func (f Figures) Of(name string) (found Figures) {
	for _, one := range f {
		if one.Name == name {
			found = append(found, one)
		}
	}
	return found
}

// Sum is the sum of the series with a name and labels, given as name=value.
func (f Figures) Sum(name string, labels ...string) (sum float64) {
	for _, one := range f.Of(name) {
		fits := true
		for _, pair := range labels {
			label, value, _ := strings.Cut(pair, "=")
			fits = fits && one.Labels[label] == value
		}
		if fits {
			sum += one.Value
		}
	}
	return sum
}
