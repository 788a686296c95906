package app

import (
	"context"

	"parley/core/fault"
)

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
// answers belong to a dead one. Where there is no room to write so, [turn.Service.Renew]
// marks them once there is.
func (p *Program) InterruptCut(ctx context.Context) error {
	if !p.Store.IsSQLite() {
		return nil
	}
	err := p.Turns.InterruptAll(ctx)
	if fault.IsOutOfStorage(err) {
		p.Log.Error("the storage is full: this server can only be read from until there is room", "error", err)
		return nil
	}
	return err
}
