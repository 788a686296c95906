package knowledge

import (
	"context"
	"strings"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/plain"
	"parley/text/split"
)

// Extractor makes Markdown of a file. Its failures that an owner can act on
// are faults of kind Invalid or TooLarge.
type Extractor interface {
	Extract(ctx context.Context, file File) (Extracted, error)
}

// File is what an [Extractor] reads.
type File struct {
	// Kind is empty if it must be detected.
	Kind              Kind
	Name, ContentType string
	// URL is where it came from, for relative links, or empty.
	URL  string
	Body []byte
}

// Extracted is the text of a file.
type Extracted struct {
	Kind Kind
	// Title is the file's own, or empty.
	Title    string
	Markdown string
	// Places are in the order of their offsets in Markdown.
	Places []split.Place
	// Notes say what is not in the Markdown.
	Notes []Note
	// Links are the absolute addresses that a page links to, and NoIndex says
	// that the page asks not to be read by machines.
	Links   []string
	NoIndex bool
	// Refresh is the page to which this one sends its visitors, and Canonical the
	// address that it prefers for itself; both may be empty.
	Refresh, Canonical string
}

// reader brings documents from wherever their content comes from to [Indexing].
type reader struct {
	mover
	workspaces *workspaces
	uploads    UploadStore
	originals  originals
	sources    SourceStore
	passages   PassageStore
	extractor  Extractor
	fetcher    Fetcher
	crawler    *crawler
	removals   *Removals
	splitter   splitter
}

// read brings a document from wherever its content comes from to Indexing. If
// the content is what it was, it goes back to Ready instead.
func (s *reader) read(ctx context.Context, bot chatbot.Chatbot, d *Document) error {
	if d.URL != "" {
		return s.readAddress(ctx, bot, d)
	}
	fresh := true
	upload, err := s.uploads.Upload(ctx, d.WorkspaceID, d.ID)
	if fault.Is(err, fault.NotFound) {
		fresh = false
		upload, err = s.originals.outdated(ctx, *d)
	}
	if fault.Is(err, fault.NotFound) { // a text that was typed, or has been extracted
		if d.Content == "" {
			return errNoFile
		}
		next := *d
		if d.Original == OriginalKept && d.readByOlder() { // else it would be tried again and again
			next.Original = ""
		}
		return s.storeContent(ctx, bot, d, next, nil)
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
	if extracted.Title != "" && d.Title == plain.Shorten(plain.Title(upload.Name), maxTitle) {
		next.Title = plain.Shorten(plain.Title(extracted.Title), maxTitle)
	}
	if !fresh {
		return s.storeContent(ctx, bot, d, next, nil)
	}
	return s.storeContent(ctx, bot, d, next, &upload)
}

// readAddress fetches the page of a document and keeps what it says. What a
// site's page links to joins the source.
func (s *reader) readAddress(ctx context.Context, bot chatbot.Chatbot, d *Document) error {
	source, err := s.sources.Source(ctx, d.WorkspaceID, d.ChatbotID, d.SourceID)
	if err != nil {
		return err
	}
	if err := s.enter(ctx, d, Fetching); err != nil {
		return err
	}
	request := Fetch{URL: d.URL}
	if d.Live > 0 && !d.ReaderOutdated() {
		request.ETag, request.LastModified = d.ETag, d.LastModified
	}
	page, err := s.fetcher.Get(ctx, request)
	if err != nil {
		return err
	}
	now := s.now()
	d.FetchedAt = &now
	switch {
	case page.Gone && d.Live > 0:
		return s.vanish(ctx, *d)
	case page.Gone:
		return errGone
	case page.NotModified && page.NoIndex:
		return errNoIndex
	case page.NotModified: // but perhaps it must be split in another way
		return s.storeContent(ctx, bot, d, *d, nil)
	}
	if err := s.enter(ctx, d, Extracting); err != nil {
		return err
	}
	extracted, err := s.extract(ctx, &page)
	if err != nil {
		return err
	}
	if source.Kind == Site {
		if err := s.join(ctx, source, *d, page, extracted); err != nil {
			return err
		}
	}
	if extracted, err = s.refreshed(ctx, &page, extracted); err != nil {
		return err
	}
	if page.NoIndex || extracted.NoIndex {
		return errNoIndex
	}
	next := filled(*d, extracted)
	next.ETag, next.LastModified = fitting(page.ETag, 1024), fitting(page.LastModified, 100)
	if title := plain.Shorten(plain.Title(extracted.Title), maxTitle); title != "" {
		next.Title = title
	}
	return s.storeContent(ctx, bot, d, next, nil)
}

var (
	errGone    = fault.New(fault.Invalid, "The server says that this page does not exist.")
	errNoIndex = fault.New(fault.Invalid, "The page asks not to be read by machines (noindex).")
	errCircle  = fault.New(fault.Invalid, "The page leads on to other pages without an end.")
)

func (s *reader) extract(ctx context.Context, page *Fetched) (Extracted, error) {
	return s.extractor.Extract(ctx, File{Name: page.URL, ContentType: page.ContentType, URL: page.URL, Body: page.Body})
}

// join adds to a site what a page of it links to. A page that is another page of the
// site by its own word is not read twice: it fails with that reason.
func (s *reader) join(ctx context.Context, source Source, d Document, page Fetched, extracted Extracted) error {
	if !page.NoFollow {
		if err := s.crawler.follow(ctx, source, d, extracted.Links); err != nil {
			return err
		}
	}
	address, err := s.crawler.original(ctx, source, d, extracted)
	if err != nil || address == "" {
		return err
	}
	return fault.New(fault.Invalid, "The page says that it is %s, which is read in its place.", plain.Shorten(address, maxTitle))
}

// mostRefreshes is how many pages a page may lead on to.
const mostRefreshes = 5

// refreshed follows a page that only sends its visitors on, as the fetcher follows redirects.
func (s *reader) refreshed(ctx context.Context, page *Fetched, extracted Extracted) (Extracted, error) {
	for range mostRefreshes {
		if extracted.Refresh == "" {
			return extracted, nil
		}
		next, err := s.fetcher.Get(ctx, Fetch{URL: extracted.Refresh})
		if err != nil {
			return Extracted{}, err
		}
		if next.Gone {
			return Extracted{}, errGone
		}
		if extracted, err = s.extract(ctx, &next); err != nil {
			return Extracted{}, err
		}
		next.ETag, next.LastModified = "", "" // they are of another address than the document's
		*page = next
	}
	return Extracted{}, errCircle
}

// vanish removes a document whose page has gone.
func (s *reader) vanish(ctx context.Context, d Document) error {
	return s.workspaces.change(ctx, d.WorkspaceID, []string{IndexWork}, func(ctx context.Context) error { return s.removals.mark(ctx, d) })
}

// filled returns a document with the text of a file.
func filled(d Document, extracted Extracted) Document {
	d.Content, d.Places = strings.ToValidUTF8(strings.ReplaceAll(extracted.Markdown, "\x00", ""), "\uFFFD"), nil
	d.Notes = extracted.Notes
	if extracted.Kind != "" {
		d.Kind = extracted.Kind
	}
	d.ReaderVersion = ReaderVersion(d.Kind)
	for _, place := range extracted.Places {
		d.Places = append(d.Places, split.Place{Offset: place.Offset, Name: plain.Shorten(plain.Title(place.Name), maxTitle)})
	}
	return d
}

// fitting returns a header's value, or nothing if it is too long: without it
// the page is fetched whole.
func fitting(value string, limit int) string {
	if len(value) > limit || !plain.Storable(value) {
		return ""
	}
	return value
}

// storeContent stores the next content of a document, and moves the document to Indexing, or
// to Ready if the content is live already. The upload that it was read from, if any, is kept or deleted: see settleFile.
func (s *reader) storeContent(ctx context.Context, bot chatbot.Chatbot, d *Document, next Document, upload *Upload) error {
	switch {
	case strings.TrimSpace(next.Content) == "":
		return fault.New(fault.Invalid, "There is no text in it.")
	case len(next.Content) > MaxContent:
		return fault.New(fault.TooLarge, "Its text is larger than 5 MiB. Split it.")
	case len(next.Places) > maxPlaces:
		return fault.New(fault.TooLarge, "It has more than %d pages. Split it.", maxPlaces)
	}
	next.Chars = utf8.RuneCountInString(next.Content)
	next.ContentHash = contentHash(bot, next)
	if next.ContentHash == d.ContentHash && d.Live == d.Version && d.Live > 0 {
		if upload == nil {
			return s.ready(ctx, d, next)
		}
		return s.workspaces.InTx(ctx, func(ctx context.Context) error {
			workspace, err := s.workspaces.lock(ctx, d.WorkspaceID)
			if err != nil {
				return err
			}
			if err := s.settleFile(ctx, bot, &next, upload, s.admitBeside(ctx, workspace, *d, 0), 0); err != nil {
				return err
			}
			return s.ready(ctx, d, next)
		})
	}
	if err := s.admitText(ctx, *d, next); err != nil { // before anything is made of it
		return err
	}
	passages, err := s.splitter.split(ctx, bot, next)
	if err != nil {
		return err
	}
	next.Begun = min(d.Begun, 1) // the reading ended well
	next.State, next.Version, next.Passages, next.Indexed, next.UpdatedAt = Indexing, d.Version+1, len(passages), 0, s.now()
	if due := s.now().Add(whileAdded); next.DueAt == nil || next.DueAt.Before(due) {
		next.DueAt = &due
	}
	err = s.workspaces.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.workspaces.lock(ctx, d.WorkspaceID)
		if err != nil {
			return err
		}
		admit := s.admitBeside(ctx, workspace, *d, next.Chars-d.Chars)
		if err := s.settleFile(ctx, bot, &next, upload, admit, len(next.Content)-len(d.Content)); err != nil {
			return err
		}
		if err := taken(s.documents.UpdateDocument(ctx, d.WorkspaceID, d.State, next, true)); err != nil {
			return err
		}
		// Delete them now: if adding takes long, another worker may add the passages
		// too, and none that is in the index may be deleted later.
		return s.passages.DeletePassages(ctx, d.WorkspaceID, d.ID, d.Live)
	})
	if err != nil {
		return err
	}
	*d = next
	return addedBy(s.passages.AddPassages(ctx, d.WorkspaceID, *d, passages))
}

// admitBeside returns what admits characters and bytes that come in place of the document's upload.
func (s *reader) admitBeside(ctx context.Context, workspace tenant.Workspace, d Document, chars int) func(bytes int) error {
	return func(bytes int) error {
		uploaded := 0
		if d.URL == "" {
			var err error
			if uploaded, err = s.uploads.UploadSize(ctx, d.WorkspaceID, d.ID); err != nil {
				return err
			}
		}
		return s.workspaces.admit(ctx, workspace, chars, bytes-uploaded)
	}
}

// admitText refuses a text whose additional characters the plan does not include.
func (s *reader) admitText(ctx context.Context, d, next Document) error {
	more := next.Chars - d.Chars
	if more <= 0 {
		return nil
	}
	return s.workspaces.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.workspaces.lock(ctx, d.WorkspaceID)
		if err != nil {
			return err
		}
		return s.workspaces.admit(ctx, workspace, more, 0)
	})
}

// contentHash hashes everything that determines the passages.
func contentHash(bot chatbot.Chatbot, d Document) string {
	return hash(string(d.Kind), d.Title, d.Content, split.Name(sizesOf(bot)))
}

// addedBy turns a conflict into errTaken: somebody else adds the passages just
// now, or the document has gone.
func addedBy(err error) error {
	if fault.Is(err, fault.Conflict) {
		return errTaken
	}
	return err
}

// readOnly takes a document to Indexing, where other workers go on with it.
func (s *Worker) readOnly(ctx context.Context, d *Document) error {
	bot, err := s.workspaces.chatbot(ctx, d.WorkspaceID, d.ChatbotID)
	if err != nil {
		return err
	}
	if err := s.reader.read(ctx, bot, d); err != nil || d.State != Indexing {
		return err
	}
	next, now := *d, s.now()
	next.DueAt, next.Begun = &now, 0
	err = s.workspaces.change(ctx, d.WorkspaceID, []string{IndexWork}, func(ctx context.Context) error {
		return taken(s.documents.UpdateDocument(ctx, d.WorkspaceID, Indexing, next, false))
	})
	if err == nil {
		*d = next
	}
	return err
}
