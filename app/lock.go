package app

import "context"

// Lock makes this process the only server on its data folders. A server takes the
// lock before it opens the database, or a newer version would migrate the database of
// a running server.
func Lock(config *Config) (unlock func(), err error) {
	var unlocks []func()
	unlock = func() {
		for _, each := range unlocks {
			each()
		}
	}
	for _, dir := range config.DataDirs() {
		one, err := lockDataDir(dir)
		if err != nil {
			unlock()
			return nil, err
		}
		unlocks = append(unlocks, one)
	}
	return unlock, nil
}

// InterruptCut marks the answers that a dead process left unfinished as interrupted.
// On SQLite this process is the only server on the database, so all unfinished
// answers belong to a dead one.
func (p *Program) InterruptCut(ctx context.Context) error {
	if !p.Store.IsSQLite() {
		return nil
	}
	return p.Turns.InterruptAll(ctx)
}
