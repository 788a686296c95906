package chat

// Readers is how many follow an answer of this process, its caller apart while
// it has not been run.
func (s *Service) Readers(answerID int64) int {
	r := s.runOf(answerID)
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readers
}
