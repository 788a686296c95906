package pdf

import (
	"parley/core/knowledge"
	"parley/extract/document"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

const (
	// maxObjects is how many objects of a PDF's pages are looked at, and maxAnnotations how many
	// annotations: each costs some calls into WebAssembly.
	maxObjects, maxAnnotations = 20_000, 5_000
)

// annotationNotes says what annotations are. The others mark or link what the text of the page
// says, or are drawn by a program.
var annotationNotes = map[enums.FPDF_ANNOTATION_SUBTYPE]knowledge.NoteKind{
	enums.FPDF_ANNOT_SUBTYPE_TEXT: knowledge.NoteComment, enums.FPDF_ANNOT_SUBTYPE_FREETEXT: knowledge.NoteComment,
	enums.FPDF_ANNOT_SUBTYPE_STAMP: knowledge.NoteDrawing, enums.FPDF_ANNOT_SUBTYPE_INK: knowledge.NoteDrawing,
	enums.FPDF_ANNOT_SUBTYPE_FILEATTACHMENT: knowledge.NoteEmbedded,
	enums.FPDF_ANNOT_SUBTYPE_SOUND:          knowledge.NoteMedia, enums.FPDF_ANNOT_SUBTYPE_MOVIE: knowledge.NoteMedia,
	enums.FPDF_ANNOT_SUBTYPE_SCREEN: knowledge.NoteMedia, enums.FPDF_ANNOT_SUBTYPE_RICHMEDIA: knowledge.NoteMedia,
	enums.FPDF_ANNOT_SUBTYPE_THREED: knowledge.NoteMedia,
	enums.FPDF_ANNOT_SUBTYPE_WIDGET: knowledge.NoteForm, enums.FPDF_ANNOT_SUBTYPE_XFAWIDGET: knowledge.NoteForm,
}

// unread counts what the pages hold besides text, and pages that have no text at all.
func unread(file references.FPDF_DOCUMENT, pages []*page, notes *document.Notes) {
	objects, annotations := maxObjects, maxAnnotations
	for i, p := range pages {
		at := requests.Page{ByIndex: &requests.PageByIndex{Document: file, Index: i}}
		images := imagesOf(at, &objects)
		if len(p.spans) == 0 && (p.failed || images > 0) {
			notes.Add(knowledge.NotePage, 1)
		} else {
			notes.Add(knowledge.NoteImage, images)
		}
		countAnnotations(at, &annotations, notes)
	}
	if attached, err := pdfium.FPDFDoc_GetAttachmentCount(&requests.FPDFDoc_GetAttachmentCount{Document: file}); err == nil {
		notes.Add(knowledge.NoteEmbedded, attached.AttachmentCount)
	}
}

// imagesOf counts the images of a page, also in groups of objects.
func imagesOf(at requests.Page, left *int) int {
	all, err := pdfium.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: at})
	if err != nil {
		return 0
	}
	images := 0
	for i := 0; i < all.Count && *left > 0; i++ {
		if object, err := pdfium.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: at, Index: i}); err == nil {
			images += imagesIn(object.PageObject, left, maxGroups)
		}
	}
	return images
}

// maxGroups is how deep groups of objects are looked into.
const maxGroups = 5

func imagesIn(object references.FPDF_PAGEOBJECT, left *int, deeper int) int {
	*left--
	kind, err := pdfium.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object})
	if err != nil || kind.Type != enums.FPDF_PAGEOBJ_FORM || deeper == 0 {
		if err == nil && kind.Type == enums.FPDF_PAGEOBJ_IMAGE {
			return 1
		}
		return 0
	}
	all, err := pdfium.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: object})
	if err != nil {
		return 0
	}
	images := 0
	for i := 0; i < all.Count && *left > 0; i++ {
		if inner, err := pdfium.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: object, Index: uint64(i)}); err == nil {
			images += imagesIn(inner.PageObject, left, deeper-1)
		}
	}
	return images
}

func countAnnotations(at requests.Page, left *int, notes *document.Notes) {
	all, err := pdfium.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: at})
	if err != nil {
		return
	}
	for i := 0; i < all.Count && *left > 0; i++ {
		*left--
		found, err := pdfium.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: at, Index: i})
		if err != nil {
			continue
		}
		kind, err := pdfium.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: found.Annotation})
		if note, is := annotationNotes[kind.Subtype]; err == nil && is {
			notes.Add(note, 1)
		}
		_, _ = pdfium.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: found.Annotation})
	}
}
