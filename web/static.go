package web

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/static"
	"parley/web/site"
)

// asset is a file as it is sent.
type asset struct {
	kind, etag string
	content    []byte
}

var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// loadAssets reads the embedded files. They are in the program, so that one
// cannot be read is a mistake in it.
func loadAssets() map[string]asset {
	entries, err := fs.ReadDir(static.Files, ".")
	if err != nil {
		panic(err)
	}
	assets := map[string]asset{}
	for _, entry := range entries {
		content, err := static.Files.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		assets[entry.Name()] = asset{
			kind: assetKinds[path.Ext(entry.Name())], content: content,
			etag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
		}
	}
	return assets
}

// files answers with what is embedded.
type files struct {
	*site.Site
	assets map[string]asset
}

// static answers with a file, which browsers keep but ask after each time, so
// that a page and its scripts are of one version.
func (s files) static(c *fiber.Ctx) error {
	file, ok := s.assets[c.Params("*")]
	if !ok {
		return site.Fail(c, s.Log, fiber.ErrNotFound)
	}
	site.SetHeaders(c)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Set(fiber.HeaderETag, file.etag)
	if strings.Contains(c.Get(fiber.HeaderIfNoneMatch), file.etag) {
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, file.kind)
	return c.Send(file.content)
}
