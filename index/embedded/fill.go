package embedded

import (
	"context"
	"fmt"

	"parley/core/retrieval"
	"parley/index/embedded/segment"
)

// Fill does Replace for several documents, in one transaction and few segments. Those without
// entries are removed before.
func (x *Index) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	return x.fill(ctx, serving, scope, contents)
}

// Fill does [Index.Fill] in the new index.
func (f filler) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	return f.index.fill(ctx, f.version, scope, contents)
}

func (x *Index) fill(ctx context.Context, version int64, scope retrieval.Scope, contents []retrieval.Content) error {
	var present []retrieval.Content
	for _, content := range contents {
		if len(content.Entries) == 0 {
			if err := x.remove(ctx, version, scope, content.DocumentID); err != nil {
				return err
			}
			continue
		}
		if content.Entries[0].DocumentID != content.DocumentID {
			return fmt.Errorf("passage %d belongs to document %q, not to %q", content.Entries[0].PassageID, content.Entries[0].DocumentID, content.DocumentID)
		}
		present = append(present, content)
	}
	groups, err := segment.BuildAll(present)
	if err != nil || len(groups) == 0 {
		return err
	}
	var id, segments int64
	err = x.write.change(ctx, func() error {
		c, err := x.write.enter(version, scope)
		if err != nil {
			return err
		}
		for _, group := range groups {
			if err := c.put(group); err != nil {
				return err
			}
		}
		id = c.scope
		_, err = c.get([]any{&segments}, countSegments, id)
		return err
	})
	if err != nil {
		return err
	}
	x.compactor.wrote(ctx, id, segments)
	return nil
}

// put adds a group of documents, and removes what there was of them.
func (c *changing) put(group segment.Group) error {
	for _, content := range group.Contents {
		if err := c.fits(segment.Dimension(content.Entries)); err != nil {
			return err
		}
	}
	first, passages := c.generation+1, 0
	if err := c.raise(len(group.Contents)); err != nil {
		return err
	}
	for i, content := range group.Contents {
		if _, err := c.bury(content.DocumentID); err != nil {
			return err
		}
		passages += len(content.Entries)
		if err := c.exec(insertDocument, c.scope, content.DocumentID, first+int64(i), len(content.Entries)); err != nil {
			return err
		}
	}
	for _, data := range group.Segments {
		if _, err := c.insertSegment(c.scope, first, c.generation, passages, data); err != nil {
			return err
		}
	}
	return nil
}
