package office

import (
	"strings"

	"parley/core/knowledge"
	"parley/extract/document"
)

// partNotes says what the parts are to which relations of a kind lead. A kind without a note holds
// no text of the document: how it looks, or what a program keeps for itself. What is missing here is
// [knowledge.NotePart].
var partNotes = map[string]knowledge.NoteKind{
	"image": knowledge.NoteImage, "chart": knowledge.NoteChart, "chartEx": knowledge.NoteChart, "chartsheet": knowledge.NoteChart,
	"diagramData": knowledge.NoteDiagram, "ink": knowledge.NoteDrawing, "drawing": knowledge.NoteDrawing,
	"video": knowledge.NoteMedia, "audio": knowledge.NoteMedia, "media": knowledge.NoteMedia,
	"oleObject": knowledge.NoteEmbedded, "package": knowledge.NoteEmbedded, "subDocument": knowledge.NoteEmbedded,
	"control": knowledge.NoteForm, "ctrlProp": knowledge.NoteForm, "dialogsheet": knowledge.NoteForm,
	"comments": knowledge.NoteComment, "threadedComment": knowledge.NoteComment,
	"header": knowledge.NoteHeader, "footer": knowledge.NoteHeader,
}

// plainParts are the kinds of relations whose parts hold no text of the document, or text that is
// read by other ways.
var plainParts = func() map[string]bool {
	kinds := map[string]bool{}
	for kind := range strings.FieldsSeq(`aFChunk attachedTemplate calcChain changesInfo chartColorStyle chartStyle chartUserShapes commentAuthors authors
		commentsExtended commentsExtensible commentsIds connections core-properties custom-properties custom-property customXml customXmlProps customProperty
		diagramColors diagramDrawing diagramLayout diagramQuickStyle documenttasks endnotes extended-properties externalLink externalLinkPath font fontTable footnotes
		glossaryDocument handoutMaster hyperlink keyMapCustomizations legacyDiagramText legacyDrawing mailMergeSource metadata notesMaster notesSlide numbering
		officeDocument people person pivotCacheDefinition pivotCacheRecords pivotTable presProps printerSettings queryTable rdRichValue rdRichValueStructure
		rdRichValueTypes rdArray rdSupportingPropertyBag rdSupportingPropertyBagStructure richStyles revisionInfo settings sharedStrings sheetMetadata slicer slicerCache slide slideLayout slideMaster slideUpdateInfo
		styles stylesWithEffects table tableSingleCells tableStyles tags tasks theme themeOverride thumbnail timeline timelineCache vbaProject viewProps vmlDrawing
		webSettings wordVbaData worksheet xmlMaps`) {
		kinds[kind] = true
	}
	return kinds
}()

// noteUnread counts the parts that those read refer to, and that nobody read.
func (a *archive) noteUnread(notes *document.Notes) {
	threaded := false
	for _, r := range a.related {
		threaded = threaded || r.kind == "threadedComment"
	}
	seen := map[string]bool{}
	for _, r := range a.related {
		key := entryName(r.target)
		if r.external {
			key = r.target
		}
		if seen[key] || !r.external && (a.opened[key] || a.entries[key] == nil) || threaded && r.kind == "comments" {
			continue
		}
		seen[key] = true
		kind, known := partNotes[r.kind]
		switch {
		case strings.Contains(key, "/ink/"):
			kind = knowledge.NoteDrawing
		case plainParts[r.kind] || !known && r.external:
			continue
		case !known:
			kind = knowledge.NotePart
		}
		notes.Add(kind, a.countIn(kind, r))
	}
}

// countIn returns how many things a part holds: comments, or a header with words.
func (a *archive) countIn(kind knowledge.NoteKind, r relation) int {
	if kind != knowledge.NoteComment && kind != knowledge.NoteHeader || r.external {
		return 1
	}
	root, err := a.tree(r.target)
	if err != nil {
		return 1
	}
	if kind == knowledge.NoteHeader {
		words := false
		root.each("t", func(t *xmlNode) { words = words || strings.TrimSpace(t.text) != "" })
		if words {
			return 1
		}
		return 0
	}
	n := 0
	for _, name := range []string{"comment", "cm", "threadedComment"} {
		root.each(name, func(*xmlNode) { n++ })
	}
	return n
}

// lettering counts letters that are drawn as a picture, whose text is in an attribute.
func lettering(n *xmlNode, notes *document.Notes) {
	n.each("textpath", func(path *xmlNode) {
		if strings.TrimSpace(path.attr("string")) != "" {
			notes.Add(knowledge.NoteDrawing, 1)
		}
	})
}

// noteSheet counts what stands on a sheet besides its cells.
func noteSheet(doc *document.Document, a *archive, s sheet) error {
	relations, err := a.relations(s.part)
	if err != nil {
		return err
	}
	for _, r := range relations {
		if r.kind != "drawing" || r.external {
			continue
		}
		if _, err := a.relations(r.target); err != nil {
			return err
		}
		drawing, err := a.tree(r.target)
		if err != nil {
			return err
		}
		drawing.each("sp", func(sp *xmlNode) {
			written := false
			sp.kid("txBody").each("t", func(t *xmlNode) { written = written || strings.TrimSpace(t.text) != "" })
			if written {
				doc.Notes.Add(knowledge.NoteDrawing, 1)
			}
		})
	}
	return nil
}

// noteGraphic counts a chart without data, and a diagram without words.
func noteGraphic(data *xmlNode, rows [][]string, texts []string, notes *document.Notes) {
	if data.kid("chart") != nil && len(rows) == 0 {
		notes.Add(knowledge.NoteChart, 1)
	}
	if data.kid("relIds") != nil && len(texts) == 0 {
		notes.Add(knowledge.NoteDiagram, 1)
	}
}
