package config

import "parley/index/weaviate"

// Weaviate returns how to reach the Weaviate of the configuration.
func (c *Config) Weaviate(prefix string) weaviate.Config {
	return weaviate.Config{
		URL: c.WeaviateURL, GRPC: c.WeaviateGRPC, APIKey: c.WeaviateKey, Replicas: c.WeaviateCopy, Prefix: prefix,
	}
}
