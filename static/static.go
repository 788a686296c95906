// Package static owns the files that browsers fetch as they are: style, scripts, icons and
// the font. It joins the parts of the style, compresses each file once, and gives all of
// them one address that changes with any of them. Scripts are written as small modules
// under js; `make generate` puts the modules of a page together into one file under
// bundles, which is what browsers get.
//
// It does not own how they are served (package web).
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

//go:embed css/*.css bundles/*.js fonts/*.woff2 licenses/*.txt *.svg
var files embed.FS

// style is the one file that the parts under css become.
const style = "parley.css"

// kinds are the types of the files, by the end of their names.
var kinds = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

// File is a file as it is sent.
type File struct {
	// Type is the media type of the content.
	Type    string
	Content []byte
	packed  func() packed
}

// packed is a file's content, compressed. A form that saves nothing is nil.
type packed struct{ brotli, gzip []byte }

// Brotli returns the content compressed so, or nil where that saves nothing.
func (f File) Brotli() []byte { return f.packed().brotli }

// Gzip returns the content compressed so, or nil where that saves nothing.
func (f File) Gzip() []byte { return f.packed().gzip }

// assets are all files by name, and version is the hash of them all.
var assets, version = load()

// URL is the address of a file. It has the hash of all files in its path, and not
// in its name, so that scripts import one another by relative addresses.
func URL(name string) string { return "/static/" + version + "/" + name }

// Open returns the file at the rest of an address after /static/, and whether the
// address has the present hash, so that what is there never changes.
func Open(rest string) (file File, fixed, found bool) {
	hash, name, _ := strings.Cut(rest, "/")
	file, found = assets[name]
	return file, hash == version, found
}

// load reads the embedded files. They are in the program, so one that cannot be
// read is a mistake in it.
func load() (map[string]File, string) {
	contents, names := map[string][]byte{}, []string{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		if strings.HasPrefix(name, "css/") { // in order, by their numbers
			name = style
		}
		if script, bundled := strings.CutPrefix(name, "bundles/"); bundled {
			name = "js/" + script
		}
		if _, again := contents[name]; !again {
			names = append(names, name)
		}
		contents[name] = append(contents[name], content...)
		return err
	})
	if err != nil {
		panic(err)
	}
	all, hash := map[string]File{}, sha256.New()
	for _, name := range names {
		content := contents[name]
		hash.Write([]byte(name))
		hash.Write(content)
		all[name] = File{Type: kinds[path.Ext(name)], Content: content, packed: sync.OnceValue(func() packed { return pack(content) })}
	}
	return all, hex.EncodeToString(hash.Sum(nil)[:6])
}

func pack(content []byte) packed {
	var small, medium bytes.Buffer
	b := brotli.NewWriterLevel(&small, brotli.BestCompression)
	z, _ := gzip.NewWriterLevel(&medium, gzip.BestCompression)
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{b, z} {
		_, _ = w.Write(content) // a buffer takes everything
		_ = w.Close()
	}
	var p packed
	if small.Len() < len(content)*9/10 {
		p.brotli = small.Bytes()
	}
	if medium.Len() < len(content)*9/10 {
		p.gzip = medium.Bytes()
	}
	return p
}
