package extract

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pdfFile builds PDFs for tests: text in the standard fonts at given positions.
type pdfFile struct {
	pages []string
	// extra replaces or adds objects by their number.
	extra map[int]string
	// password encrypts with the standard handler, revision 2 (PDF 1.7,
	// section 7.6.3).
	password string
}

// text returns operators that show text at a position.
func text(x, y, size float64, font, s string) string {
	s = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s)
	return fmt.Sprintf("BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, s)
}

// lines returns operators for successive lines.
func lines(x, y, size float64, font string, texts ...string) string {
	var b strings.Builder
	for i, s := range texts {
		b.WriteString(text(x, y-float64(i)*size*1.2, size, font, s))
	}
	return b.String()
}

// bytes builds the file. Objects 1 and 2 are the catalog and the page tree, 3
// and 4 the fonts F (Helvetica) and B (Helvetica-Bold); two follow for each page.
func (f pdfFile) bytes() []byte {
	objects := map[int]string{
		1: "<< /Type /Catalog /Pages 2 0 R >>",
		3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
	}
	var kids []string
	for i, content := range f.pages {
		n := 5 + 2*i
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		objects[n] = fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F 3 0 R /B 4 0 R >> /XObject << /Im 900 0 R >> >> >>", n+1)
		objects[n+1] = stream("", string(f.encrypt(n+1, []byte(content))))
	}
	objects[2] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	for n, object := range f.extra {
		objects[n] = object
	}
	trailer := ""
	if f.password != "" {
		objects[800] = fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /O <%x> /U <%x> /P -4 >>", f.owner(), f.user())
		trailer = " /Encrypt 800 0 R"
	}
	return writePDF(objects, trailer)
}

func stream(dict, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content)
}

func writePDF(objects map[int]string, trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make(map[int]int)
	for _, n := range sortedNumbers(objects) {
		offsets[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, objects[n])
	}
	start := b.Len()
	b.WriteString("xref\n0 1\n0000000000 65535 f \n")
	for _, n := range sortedNumbers(objects) {
		fmt.Fprintf(&b, "%d 1\n%010d 00000 n \n", n, offsets[n])
	}
	fmt.Fprintf(&b, "trailer\n<< /Size 1000 /Root 1 0 R%s /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] >>\nstartxref\n%d\n%%%%EOF\n", trailer, start)
	return b.Bytes()
}

func sortedNumbers(objects map[int]string) []int {
	columns := make(map[int]bool)
	for n := range objects {
		columns[n] = true
	}
	return slices.Sorted(maps.Keys(columns))
}

var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

func padded(password string) []byte { return append([]byte(password), padding...)[:32] }

func rc4With(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

func (f pdfFile) owner() []byte {
	sum := md5.Sum(padded(f.password))
	return rc4With(sum[:5], padded(f.password))
}

func (f pdfFile) key() []byte {
	h := append(padded(f.password), f.owner()...)
	permissions := int32(-4)
	h = binary.LittleEndian.AppendUint32(h, uint32(permissions))
	h = append(h, "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"...)
	sum := md5.Sum(h)
	return sum[:5]
}

func (f pdfFile) user() []byte { return rc4With(f.key(), padding) }

func (f pdfFile) encrypt(object int, data []byte) []byte {
	if f.password == "" {
		return data
	}
	sum := md5.Sum(append(f.key(), byte(object), byte(object>>8), byte(object>>16), 0, 0))
	return rc4With(sum[:10], data)
}
