package app

import (
	"context"
	"fmt"
	"io"

	"parley/core/retrieval"
	"parley/index/embedded"
	"parley/index/weaviate"
	"parley/llm/openai"
	"parley/text/encode/words"
)

// index is an open retrieval index.
type index interface {
	retrieval.Index
	io.Closer
}

// openIndex opens the index that the configuration names.
func openIndex(ctx context.Context, config *Config) (index, error) {
	if config.WeaviateURL == "" {
		x, err := embedded.Open(config.IndexPath())
		if err != nil {
			return nil, err
		}
		return x, nil
	}
	x, err := OpenWeaviate(ctx, config, config.WeaviateName)
	if err != nil { // an interface that holds a nil pointer would not be nil
		return nil, err
	}
	return x, nil
}

// OpenWeaviate opens the Weaviate of the configuration, with collections whose
// names begin with prefix.
func OpenWeaviate(ctx context.Context, config *Config, prefix string) (*weaviate.Index, error) {
	return weaviate.Open(ctx, config.Weaviate.Index(prefix))
}

// OpenEmbedder opens the embedding model that the configuration names.
func OpenEmbedder(config *Config) (retrieval.Embedder, error) {
	if config.EmbedModel == "" {
		return words.Embedder{}, nil
	}
	settings := openai.Config{BaseURL: config.EmbedAddress(), APIKey: config.EmbedAPIKey, Model: config.EmbedModel}
	embedder, err := openai.NewEmbedder(settings, config.EmbedSize)
	if err != nil { // an interface that holds a nil pointer would not be nil
		return nil, fmt.Errorf("cannot use the embedding model: %w", err)
	}
	if config.SendsTraces() {
		return recordedEmbedder{embedder, config.EmbedModel}, nil
	}
	return embedder, nil
}

// IndexIsCurrent reports whether the index in use was built by this version of the
// program, with its embedding model.
func (p *Program) IndexIsCurrent(ctx context.Context) (bool, error) {
	version, err := p.Index.Version(ctx)
	return version == p.indexVersion, err
}

// indexName returns the doctor's name for the index.
func indexName(config *Config) string {
	if config.WeaviateURL == "" {
		return "embedded, " + config.IndexPath()
	}
	return "Weaviate"
}
