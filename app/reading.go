package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/core/knowledge"
	"parley/extract"
	"parley/fetch"
	"parley/fetch/hosts"
	"parley/store/servers"
)

// ExtractChild is the command of the process that reads one untrusted file.
const ExtractChild = "extract-child"

// ReadAsChild reads one document from in. The process that does so ends after it.
func ReadAsChild(in io.Reader, out io.Writer) error { return extract.Child(in, out) }

// openExtractor returns the reader of files. It reads each in a separate process, of a
// program or, without one, of this one.
func openExtractor(config *Config, program string) (*extract.Extractor, error) {
	if program == "" {
		this, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("cannot find the path of this program: %w", err)
		}
		program = this
	}
	// The process that reads a file works in a folder of its own.
	cache, err := filepath.Abs(filepath.Join(config.DataDir, "cache"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	e := extract.New(extract.Limits{Bytes: knowledge.MaxUpload, Markdown: knowledge.MaxContent}, []string{program, ExtractChild})
	e.CacheDir, e.Unconfined = cache, config.Unconfined
	return e, nil
}

// longestWait is how long a worker waits until a host may be asked again. If it takes
// longer, the worker continues with other workspaces, and with other sites of this one.
const longestWait = 5 * time.Second

// newKnowledgeFetcher returns a fetcher of pages for package knowledge.
func (p *Program) newKnowledgeFetcher() (fetch.KnowledgeFetcher, error) {
	allowed, err := p.Config.CrawlTargets()
	if err != nil {
		return fetch.KnowledgeFetcher{}, err
	}
	var shared hosts.Hosts
	if busy := servers.NewBusyHosts(p.Store); busy != nil {
		shared = busy
	}
	return fetch.NewKnowledgeFetcher(fetch.New(fetch.Config{
		UserAgent: p.Config.UserAgent(), Bytes: knowledge.MaxUpload, Ports: p.Config.FetchPorts, Delay: p.Config.FetchDelay, Allow: allowed, Refused: p.reportTarget,
		PageWait: longestWait, Hosts: shared,
	})), nil
}
