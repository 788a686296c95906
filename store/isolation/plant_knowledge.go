package isolation

import (
	"context"
	"strings"

	"parley/core/knowledge"
	"parley/internal/id"
	knowledgestore "parley/store/knowledge"
)

func (p *planter) sources(ctx context.Context) error {
	return p.db.Source.Create().SetID(p.named("src", "source", "source_id")).SetWorkspaceID(p.ws).SetChatbotID(p.is.IDs["chatbot"]).SetKind(string(knowledge.Page)).
		SetURL("https://" + p.Word("sources.url") + ".invalid/").SetInclude([]string{}).SetExclude([]string{}).SetSchedule(string(knowledge.Never)).
		SetState(string(knowledge.SourceReady)).SetSyncedAt(p.At).SetCreatedAt(p.At).Exec(ctx)
}

// documentsEach is how many documents a throw-away workspace has.
const documentsEach = 20

// documents are ready, with a passage each. The caller puts them into the index.
func (p *planter) documents(ctx context.Context) error {
	for i := range documentsEach {
		d := knowledge.Document{
			ID: p.NewID("doc"), ChatbotID: p.is.IDs["chatbot"], Title: p.Text("documents.title"), Kind: knowledge.Markdown, State: knowledge.Ready,
			Content:   "# " + p.Text("passages.heading_path") + "\n\nThe watchword is " + p.Text("documents.content") + ".\n",
			UpdatedAt: p.At, CreatedAt: p.At, Version: 1, Live: 1,
		}
		d.InputHash, d.ContentHash, d.Chars = id.Hash(d.ID+d.Content), id.Hash(d.Content), len(d.Content)
		if i == 0 {
			p.is.IDs["document"], p.is.IDs["document_id"] = d.ID, d.ID
			d.ExternalID, d.Original = p.named("ext", "external_id"), knowledge.OriginalKept
		}
		if i == 1 {
			d.SourceID, d.URL = p.is.IDs["source"], "https://"+p.Word("documents.url")+".invalid/"
		}
		if err := knowledgestore.NewDocumentRow(p.db, p.ws, d).SetPassageCount(1).SetIndexed(1).SetVersion(1).SetLive(1).SetFetchedAt(p.At).SetOriginal(string(d.Original)).Exec(ctx); err != nil {
			return err
		}
		heading, text, _ := strings.Cut(strings.TrimPrefix(d.Content, "# "), "\n\n")
		err := p.db.Passage.Create().SetWorkspaceID(p.ws).SetChatbotID(d.ChatbotID).SetDocumentID(d.ID).SetVersion(1).SetOrdinal(0).SetTitle(d.Title).
			SetHeadingPath([]string{heading}).SetStart(0).SetEnd(len(d.Content)).SetContentHash(d.ContentHash).SetText(text).Exec(ctx)
		if err != nil {
			return err
		}
		if d.Original == knowledge.OriginalKept {
			if err := p.original(ctx, d); err != nil {
				return err
			}
		}
		p.is.Documents = append(p.is.Documents, d.ID)
	}
	if err := p.db.Upload.Create().SetWorkspaceID(p.ws).SetDocumentID(p.is.Documents[2]).SetName(p.Text("uploads.name")).SetContentType("text/plain").SetBody([]byte(p.Text("uploads.body"))).Exec(ctx); err != nil {
		return err
	}
	if err := p.add(ctx, p.into("embeddings").Set("model", p.Word("embeddings.model")).Set("text_hash", id.Hash(p.ws)).Set("vector", []byte{0, 0, 0, 0}).Set("used_at", p.At)); err != nil {
		return err
	}
	return p.db.Removal.Create().SetID(p.named("rm", "removal_id")).SetWorkspaceID(p.ws).SetChatbotID(p.is.IDs["chatbot"]).SetDocumentID(p.NewID("doc")).
		SetTitle(p.Text("removals.title")).SetURL("https://" + p.Word("removals.url") + ".invalid/").SetContentHash(id.Hash(p.ws)).SetPassages(1).
		SetRequestedAt(p.At).SetConfirmedAt(p.At).SetCountedAt(p.At).SetMessageIds([]int64{}).Exec(ctx)
}

// original is the file that a document was read from.
func (p *planter) original(ctx context.Context, d knowledge.Document) error {
	body := []byte(p.Text("originals.body"))
	return p.add(ctx, p.into("originals").Set("document_id", d.ID).Set("name", p.Text("originals.name")).Set("content_type", "text/plain").
		Set("input_hash", d.InputHash).Set("body", body).Set("bytes", len(body)))
}
