package store

// Connections are those of the pool that requests share.
type Connections struct {
	// InUse and Idle are open. Unopened is how many more the pool may open.
	InUse, Idle, Unopened int
}

// Connections returns how many there are now.
func (s *Store) Connections() Connections {
	now := s.reads.Stats()
	return Connections{InUse: now.InUse, Idle: now.Idle, Unopened: max(0, now.MaxOpenConnections-now.OpenConnections)}
}
