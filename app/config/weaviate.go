package config

import (
	"fmt"

	"parley/core/fault"
	"parley/index/weaviate"
)

// Weaviate configures the Weaviate server with the retrieval index.
type Weaviate struct {
	WeaviateURL  string `name:"weaviate-url" env:"WEAVIATE_URL" placeholder:"URL" help:"Weaviate that holds the retrieval index, such as http://127.0.0.1:8081, or the nodes of a cluster with commas between them. Default: the embedded index."`
	WeaviateGRPC string `name:"weaviate-grpc" env:"WEAVIATE_GRPC" placeholder:"ADDRESS" help:"Host and port of Weaviate's gRPC interface, or those of all nodes in the order of WEAVIATE_URL. Default: port 50051 of each host of WEAVIATE_URL."`
	WeaviateKey  string `name:"weaviate-api-key" env:"WEAVIATE_API_KEY" placeholder:"KEY" secret:"text" help:"Weaviate's API key. Required unless Weaviate is on this machine."`
	WeaviateName string `name:"weaviate-prefix" env:"WEAVIATE_PREFIX" placeholder:"NAME" help:"Prefix of the names of collections in Weaviate, so that several installations can share it: letters and digits, beginning with a capital letter."`
	WeaviateCopy int    `name:"weaviate-replicas" env:"WEAVIATE_REPLICAS" range:"1-99" placeholder:"N" help:"Number of nodes that hold each passage. Takes effect with parley reindex. Default: 1."`
}

// Index returns the adapter's configuration. The names of its collections begin
// with prefix.
func (c *Weaviate) Index(prefix string) weaviate.Config {
	return weaviate.Config{
		URL: c.WeaviateURL, GRPC: c.WeaviateGRPC, APIKey: c.WeaviateKey, Replicas: c.WeaviateCopy, Prefix: prefix,
	}
}

func (c *Weaviate) check() error {
	if c.WeaviateURL == "" {
		return nil
	}
	if err := c.Index(c.WeaviateName).Check(); err != nil {
		failure := fault.As(err)
		return fmt.Errorf("%s: %s", weaviateSettings[failure.Field], failure.Message)
	}
	return nil
}

// weaviateSettings maps the fields of the adapter's configuration to settings.
var weaviateSettings = map[string]string{
	"URL": "WEAVIATE_URL", "GRPC": "WEAVIATE_GRPC", "APIKey": "WEAVIATE_API_KEY", "Replicas": "WEAVIATE_REPLICAS", "Prefix": "WEAVIATE_PREFIX",
}
