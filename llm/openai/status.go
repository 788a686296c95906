package openai

// Status is the HTTP status of the refusal. Callers find it with errors.As.
func (r *refusal) Status() int { return r.status }
