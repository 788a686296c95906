package turn

// Subscribers is how many read an answer of this process, its caller apart
// while it has not been run.
func (s *Service) Subscribers(answerID int64) int {
	a := s.running.of(answerID)
	if a == nil {
		return 0
	}
	a.published.mu.Lock()
	defer a.published.mu.Unlock()
	return a.published.subscribers
}
