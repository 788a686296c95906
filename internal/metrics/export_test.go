package metrics

// Gather collects all figures, as a scrape does.
func (m *Metrics) Gather() { _, _ = m.registry.Gather() }
