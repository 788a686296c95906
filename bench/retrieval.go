package bench

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"parley/bench/retrieval"
)

// RetrievalSettings say what of retrieval is measured.
type RetrievalSettings struct {
	retrieval.Settings
	// Command is the command line, for the report.
	Command string `json:"command"`
}

// RetrievalReport is what the part about retrieval found.
type RetrievalReport struct {
	Date     time.Time         `json:"date"`
	Settings RetrievalSettings `json:"settings"`
	Machine  Machine           `json:"machine"`
	retrieval.Results
}

// RunRetrieval measures retrieval, and tells progress what it is at.
func RunRetrieval(ctx context.Context, settings RetrievalSettings, progress io.Writer) (report RetrievalReport, err error) {
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return RetrievalReport{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	machine, err := readMachine(dir)
	if err != nil {
		return RetrievalReport{}, err
	}
	report = RetrievalReport{Settings: settings, Machine: machine, Date: time.Now().UTC().Truncate(time.Second)}
	report.Results, err = retrieval.Run(ctx, settings.Settings, dir, progress)
	return report, err
}
