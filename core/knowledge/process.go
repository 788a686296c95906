package knowledge

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge/split"
	"parley/core/retrieval"
	"parley/internal/plain"
)

// readOnly takes a document to Indexing, where other workers go on with it.
func (s *Service) readOnly(ctx context.Context, d *Document) error {
	bot, err := s.chatbot(ctx, d.WorkspaceID, d.ChatbotID)
	if err != nil {
		return err
	}
	if err := s.read(ctx, bot, d); err != nil || d.State != Indexing {
		return err
	}
	next, now := *d, s.now()
	next.DueAt = &now
	err = s.inWorkspace(ctx, d.WorkspaceID, []string{IndexWork}, func(ctx context.Context) error {
		return taken(s.store.UpdateDocument(ctx, d.WorkspaceID, Indexing, next, false))
	})
	if err == nil {
		*d = next
	}
	return err
}

// process takes a document through the steps that it has not taken yet. Each
// step is in the database before the next begins, so that who takes over goes
// on from there.
func (s *Service) process(ctx context.Context, d *Document) error {
	bot, err := s.chatbot(ctx, d.WorkspaceID, d.ChatbotID)
	if err != nil {
		return err
	}
	if d.State != Indexing {
		if err := s.read(ctx, bot, d); err != nil || d.State != Indexing {
			return err
		}
	}
	return s.indexDocument(ctx, bot, d)
}

// read brings a document from wherever its content comes from to Indexing. If
// the content is what it was, it goes back to Ready instead.
func (s *Service) read(ctx context.Context, bot chatbot.Chatbot, d *Document) error {
	if d.URL != "" {
		return s.readAddress(ctx, bot, d)
	}
	upload, err := s.store.Upload(ctx, d.WorkspaceID, d.ID)
	if fault.Is(err, fault.NotFound) { // a text that was typed, or has been extracted
		if d.Content == "" {
			return errNoFile
		}
		return s.keep(ctx, bot, d, *d)
	}
	if err != nil {
		return err
	}
	if err := s.enter(ctx, d, Extracting); err != nil {
		return err
	}
	extracted, err := s.extractor.Extract(ctx, File{Kind: d.Kind, Name: upload.Name, ContentType: upload.ContentType, Body: upload.Body})
	if err != nil {
		return err
	}
	next := filled(*d, extracted)
	if extracted.Title != "" && d.Title == plain.Shorten(plain.Line(upload.Name), maxTitle) {
		next.Title = plain.Shorten(plain.Line(extracted.Title), maxTitle)
	}
	return s.keep(ctx, bot, d, next)
}

// filled returns a document with the text of a file.
func filled(d Document, extracted Extracted) Document {
	d.Content, d.Places = strings.ToValidUTF8(strings.ReplaceAll(extracted.Markdown, "\x00", ""), "\uFFFD"), nil
	if extracted.Kind != "" {
		d.Kind = extracted.Kind
	}
	for _, place := range extracted.Places {
		d.Places = append(d.Places, split.Place{Offset: place.Offset, Name: plain.Shorten(plain.Line(place.Name), maxTitle)})
	}
	return d
}

// enter moves a document to a state.
func (s *Service) enter(ctx context.Context, d *Document, state State) error {
	next := *d
	next.State = state
	return s.move(ctx, d, next)
}

// rest moves a document to Ready.
func (s *Service) rest(ctx context.Context, d *Document, next Document) error {
	next.State, next.DueAt, next.Attempts, next.Reason = Ready, nil, 0, ""
	return s.move(ctx, d, next)
}

// move stores what a document becomes. Until that is stored d stays what it
// was: a failure is written to the document as it is in the database.
func (s *Service) move(ctx context.Context, d *Document, next Document) error {
	next.UpdatedAt = s.now()
	if err := taken(s.store.UpdateDocument(ctx, d.WorkspaceID, d.State, next, false)); err != nil {
		return err
	}
	*d = next
	return nil
}

// keep stores the content that a document is to have next, and moves it to
// Indexing, or to Ready if that is what is answered from already. A file is
// not needed any more then.
func (s *Service) keep(ctx context.Context, bot chatbot.Chatbot, d *Document, next Document) error {
	switch {
	case strings.TrimSpace(next.Content) == "":
		return fault.New(fault.Invalid, "There is no text in it.")
	case len(next.Content) > MaxContent:
		return fault.New(fault.TooLarge, "Its text is larger than 5 MiB. Split it.")
	}
	next.Chars = utf8.RuneCountInString(next.Content)
	next.ContentHash = s.contentHash(bot, next)
	if next.ContentHash == d.ContentHash && d.Live == d.Version && d.Live > 0 {
		return s.rest(ctx, d, next)
	}
	passages := s.splitFor(bot, next)
	next.State, next.Version, next.Passages, next.Indexed, next.UpdatedAt = Indexing, d.Version+1, len(passages), 0, s.now()
	if due := s.now().Add(whileAdded); next.DueAt == nil || next.DueAt.Before(due) {
		next.DueAt = &due
	}
	err := s.store.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.store.LockWorkspace(ctx, d.WorkspaceID)
		if err != nil {
			return err
		}
		file := 0 // it goes when its text comes
		if d.URL == "" {
			if file, err = s.store.UploadSize(ctx, d.WorkspaceID, d.ID); err != nil {
				return err
			}
		}
		if err := s.admit(ctx, workspace, next.Chars-d.Chars, len(next.Content)-len(d.Content)-file); err != nil {
			return err
		}
		if err := taken(s.store.UpdateDocument(ctx, d.WorkspaceID, d.State, next, true)); err != nil {
			return err
		}
		// Here, since who indexes the document may add its passages too, if adding
		// them takes long: none that is in the index may be deleted later.
		if err := s.store.DeletePassages(ctx, d.WorkspaceID, d.ID, d.Live); err != nil {
			return err
		}
		if d.URL != "" {
			return nil
		}
		return s.store.DeleteUpload(ctx, d.WorkspaceID, d.ID)
	})
	if err != nil {
		return err
	}
	*d = next
	return addedBy(s.store.AddPassages(ctx, d.WorkspaceID, *d, passages))
}

// contentHash is of all that the passages are made of.
func (s *Service) contentHash(bot chatbot.Chatbot, d Document) string {
	return hash(string(d.Kind), d.Title, d.Content, split.Name(bot))
}

// addPassages stores the passages of a version, in place of all but those that
// are answered from.
func (s *Service) addPassages(ctx context.Context, d Document, passages []retrieval.Passage) error {
	if err := s.store.DeletePassages(ctx, d.WorkspaceID, d.ID, d.Live); err != nil {
		return err
	}
	return addedBy(s.store.AddPassages(ctx, d.WorkspaceID, d, passages))
}

// addedBy turns a conflict into errTaken: somebody else adds the passages just
// now, or the document has gone.
func addedBy(err error) error {
	if fault.Is(err, fault.Conflict) {
		return errTaken
	}
	return err
}

// indexDocument brings the passages of a document into the index, and then
// into answers.
func (s *Service) indexDocument(ctx context.Context, bot chatbot.Chatbot, d *Document) error {
	if d.ContentHash != s.contentHash(bot, *d) { // it is to be split anew
		if err := s.keep(ctx, bot, d, *d); err != nil {
			return err
		}
	}
	passages, err := s.store.Passages(ctx, d.WorkspaceID, d.ID, d.Version)
	if err == nil && len(passages) != d.Passages { // a crash came between
		if err = s.addPassages(ctx, *d, s.splitFor(bot, *d)); err == nil {
			passages, err = s.store.Passages(ctx, d.WorkspaceID, d.ID, d.Version)
		}
	}
	if err != nil {
		return err
	}
	if err := s.putIntoIndex(ctx, d, passages); err != nil {
		return err
	}
	next := *d
	next.Live, next.Indexed = d.Version, d.Passages
	err = s.rest(ctx, d, next)
	if errors.Is(err, errTaken) { // it was removed or cancelled while it went in
		_, held := s.hold(ctx, *d)
		return errors.Join(err, held)
	}
	// The passages of the version before go with the next one: a search may
	// have found them just now, and is about to look them up.
	return err
}

// putIntoIndex makes the passages the only ones of the document in the index,
// and has the index count them.
func (s *Service) putIntoIndex(ctx context.Context, d *Document, passages []retrieval.Passage) error {
	scope := retrieval.Scope{WorkspaceID: d.WorkspaceID, ChatbotID: d.ChatbotID}
	entries, err := s.entries(ctx, d, passages)
	if err != nil {
		return err
	}
	if err := s.index.Replace(ctx, scope, d.ID, entries); err != nil {
		return err
	}
	held, err := s.index.Count(ctx, scope, d.ID)
	if err != nil {
		return err
	}
	if held != len(entries) {
		return fault.New(fault.Upstream, "The index holds %d of %d passages.", held, len(entries))
	}
	return nil
}

// splitFor cuts a document as its chatbot wants it.
func (s *Service) splitFor(bot chatbot.Chatbot, d Document) []retrieval.Passage {
	return split.Split(
		split.Document{ID: d.ID, Title: d.Title, Plain: d.Kind == Text, Content: d.Content, Places: d.Places}, s.sizes(bot))
}

func (s *Service) sizes(bot chatbot.Chatbot) split.Sizes {
	aim, limit := bot.PassageSizes()
	return split.Sizes{Aim: aim, Limit: limit, Count: s.tokens}
}
