package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"parley/app"
	"parley/core/fault"
	"parley/core/knowledge/trial"
	"parley/core/retrieval"
	"parley/core/retrieval/encoder"
	"parley/index/embedded"
	"parley/text/tokens"
)

// indexed is a trial with its index.
type indexed struct {
	*trial.Trial
	port retrieval.Index
	// writers is how many documents are indexed at once.
	writers int
	size    func() int64
	close   func()
}

// openTrial opens an empty index beside the ones in use. It encodes passages if a server
// with this configuration does, and keeps them if answers are to be made from them.
func openTrial(ctx context.Context, config *app.Config, index, folder string, keep bool) (*indexed, error) {
	ports := trial.Ports{Keep: keep}
	if app.Encodes(config) {
		ports.Encoder = encoder.New()
	}
	embedder, err := app.OpenEmbedder(config)
	if err != nil {
		return nil, err
	}
	t := &indexed{writers: 2 * runtime.GOMAXPROCS(0)}
	if index == "weaviate" {
		err = t.openWeaviate(ctx, config)
	} else {
		err = t.openEmbedded(filepath.Join(folder, "index.db"))
	}
	if err != nil {
		return nil, err
	}
	ports.Index, ports.Embedder, ports.Tokens = t.port, embedder, tokens.Count
	t.Trial = trial.New(ports, retrieval.Scope{WorkspaceID: "ws_eval", ChatbotID: "cb_eval"})
	return t, nil
}

func (t *indexed) openEmbedded(path string) error {
	index, err := embedded.Open(path)
	if err != nil {
		return err
	}
	t.port = index
	t.size = func() int64 {
		var bytes int64
		for _, end := range []string{"", "-wal"} {
			if info, err := os.Stat(path + end); err == nil {
				bytes += info.Size()
			}
		}
		return bytes
	}
	t.close = func() { _ = index.Close() }
	return nil
}

// openWeaviate creates separate collections on the configured Weaviate, and deletes
// them at the end.
func (t *indexed) openWeaviate(ctx context.Context, config *app.Config) error {
	if config.WeaviateURL == "" {
		return fault.New(fault.Invalid, "Set WEAVIATE_URL to measure Weaviate.")
	}
	index, err := app.OpenWeaviate(ctx, config, fmt.Sprint("Eval", time.Now().UnixNano()))
	if err != nil {
		return err
	}
	t.port, t.size = index, func() int64 { return 0 }
	t.close = func() {
		_ = index.Destroy(context.WithoutCancel(ctx))
		_ = index.Close()
	}
	return nil
}
