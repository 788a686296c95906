package pdf

import (
	"context"
	"fmt"
	"io"
	"time"

	"parley/extract/document"

	gopdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// pdfium is the PDF reader of this process. The child reads one document and
// exits, so one instance is enough and nothing closes it.
var pdfium gopdfium.Pdfium

const (
	// wasmPage is the unit of WebAssembly's memory (core specification 2.0,
	// section 4.2.8).
	wasmPage = 64 << 10
	// leastMemory is how much memory the reader needs to start.
	leastMemory = 32 << 20
)

// Prepare starts the PDF reader: pdfium, compiled to WebAssembly, which sees no
// files and may use half of the memory. It does nothing if the reader is running.
func Prepare(cacheDir string, limits document.Limits) error {
	if pdfium != nil {
		return nil
	}
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(min(max(limits.Memory/2, leastMemory), 4<<30) / wasmPage))
	instance, err := startPDF(cacheDir, config)
	pdfium = instance
	return err
}

// Warm compiles the PDF reader into a directory.
func Warm(cacheDir string) error {
	_, err := startPDF(cacheDir, wazero.NewRuntimeConfig())
	return err
}

func startPDF(cacheDir string, config wazero.RuntimeConfig) (gopdfium.Pdfium, error) {
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return nil, fmt.Errorf("opening the cache of the PDF reader: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MinIdle: 0, MaxIdle: 1, MaxTotal: 1,
		RuntimeConfig: config,
		FSConfig:      wazero.NewFSConfig(), // no directory
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return pool.GetInstanceWithContext(ctx)
}
