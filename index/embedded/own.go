package embedded

import "context"

// Own is the index of one of several servers, each of which has its own.
type Own struct{ index *Index }

// NewOwn returns the index of one server.
func NewOwn(x *Index) *Own { return &Own{x} }

// As the bookmark's, this table came later than the schema's version.
const identityTable = `CREATE TABLE IF NOT EXISTS identity (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL) STRICT`

// KeepIdentity returns the name that the file was given once. A file without one is given
// the fresh name. The name goes with the file: another file is another index.
func (o *Own) KeepIdentity(ctx context.Context, fresh string) (name string, err error) {
	err = o.index.write.change(ctx, func() error {
		if err := o.index.write.run(identityTable); err != nil {
			return err
		}
		if err := o.index.write.exec("INSERT INTO identity (one, name) VALUES (1, ?) ON CONFLICT (one) DO NOTHING", fresh); err != nil {
			return err
		}
		return o.index.write.row("SELECT name FROM identity", &name)
	})
	return name, err
}

// Clear takes all chatbots of a workspace out of the file, also out of a version that is
// being filled, and scrubs the file. It returns how many passages are left: none, unless
// somebody added one meanwhile.
func (o *Own) Clear(ctx context.Context, workspaceID string) (left int64, err error) {
	x := o.index
	var scopes []int64
	err = x.write.change(ctx, func() (err error) {
		if scopes, err = x.write.numbers("SELECT id FROM scope WHERE workspace = ?", workspaceID); err != nil {
			return err
		}
		for _, id := range scopes {
			if err := x.write.exec("INSERT INTO dropped (scope) VALUES (?)", id); err != nil {
				return err
			}
		}
		return x.write.exec("DELETE FROM scope WHERE workspace = ?", workspaceID)
	})
	if err != nil {
		return 0, err
	}
	for _, id := range scopes {
		x.states.cache.forget(id)
	}
	if err := x.Scrub(ctx); err != nil {
		return 0, err
	}
	err = x.read.QueryRowContext(ctx, `SELECT coalesce(sum(passages), 0) FROM document WHERE scope IN
		(SELECT id FROM scope WHERE workspace = ?)`, workspaceID).Scan(&left)
	return left, x.explain(ctx, err)
}
