// Package qr owns QR codes as pictures for pages.
//
// It does not own what they say.
package qr

import (
	"fmt"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quiet is the margin around a code, in modules (ISO/IEC 18004, section 9.1).
const quiet = 4

// Code is the picture of a text.
type Code struct {
	// Size is its width and height, and Path draws its dark modules, as in SVG.
	Size int
	Path string
}

// Of returns the code of a text, which is readable when a tenth of it is damaged.
func Of(text string) (Code, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return Code{}, err
	}
	width := code.Bounds().Dx()
	var path strings.Builder
	for y := range width {
		for x := range width {
			if gray, _, _, _ := code.At(x, y).RGBA(); gray == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	return Code{Size: width + 2*quiet, Path: path.String()}, nil
}
