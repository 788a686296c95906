package metrics

// KnowJobs declares the kinds of jobs.
func (m *Metrics) KnowJobs(kinds ...string) {
	for _, kind := range kinds {
		m.jobFailures.WithLabelValues(kind)
	}
}

// JobFailed counts a job that failed and is tried again. Its kind was declared.
func (m *Metrics) JobFailed(kind string) { m.jobFailures.WithLabelValues(kind).Inc() }

// KnowReaders declares the ways in which a process that reads a file ends.
func (m *Metrics) KnowReaders(ends ...string) {
	for _, end := range ends {
		m.readers.WithLabelValues(end)
	}
}

// ReaderEnded counts a process that has read a file, or has not. Its end was declared.
func (m *Metrics) ReaderEnded(end string) { m.readers.WithLabelValues(end).Inc() }
